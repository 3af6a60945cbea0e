# SPDX-License-Identifier: GPL-2.0-or-later
# The manual page estat-metrics(7), in man(7), of a catalog (share/catalog.c).

def escaped: gsub("\\\\"; "\\e") | gsub("-"; "\\-");
# Escape . and ' at the start of a line, where they would begin a macro.
def paragraph: escaped | gsub("(?m)^(?<c>[.'])"; "\\&\(.c)");
def units: if .units == "" then "" else ", \(.units)" end;
def entry(title): ".TP", ".B \(title | escaped)", (.oneline + units + "." | paragraph);
# What identifies a metric that several series have: its leaf, its text and its units.
def common: {leaf, oneline, units};

[.modules[].series[].groups[] | [.metrics[] | select(.total | not)]] as $series
| ([$series[][] | common] | group_by(.leaf) | map(group_by(tojson) | max_by(length))
	| map(select(length > 2) | .[0]) | INDEX(.leaf)) as $usual
| def is_usual: . as $m | $usual[.leaf] != null and common == $usual[$m.leaf];
  def total: if any(.metrics[]; .total) then "" else " No totals." end;
  def described($axes):
	".SS \(.name | escaped)",
	(.help + "." | paragraph),
	".PP",
	("Axes: \($axes).\(total)" | paragraph),
	([.metrics[] | select((.total or is_usual) | not)] | select(length > 0) | .[] | entry(.leaf)),
	([.metrics[] | select(.total | not) | select(is_usual) | .leaf] | select(length > 0)
		| ".PP", ("As in other series: \(join(", "))." | paragraph));

".\\\" SPDX-License-Identifier: GPL-2.0-or-later",
".TH ESTAT-METRICS 7 \"2026-11-26\" \"estat\" \"Performance Co-Pilot\"",
".SH NAME",
"\\fBestat-metrics\\fP \\- the metrics of estat",
".SH DESCRIPTION",
"These are the metrics that",
".BR pmdaestat (1)",
"exports, with the modules that it was built with.",
".BI \"pminfo \\-T\" \" metric\"",
"prints the same help texts.",
".PP",
"A series has its metrics by key. A key is an instance, and its axes are the instance's labels.",
"Metrics that can be added up exist once more over all keys, after",
".B .total",
"as in",
".BR estat.zio.total.ops .",
"The buckets of a histogram are instances, too, with the upper bound as the label",
".BR le .",
".SH WHAT SERIES HAVE IN COMMON",
"The section",
".B SERIES",
"names for each series which of these it has.",
([$series[][] | .leaf] | reduce .[] as $l ([]; if index([$l]) then . else . + [$l] end)
	| .[] | select($usual[.] != null) | $usual[.] | entry(.leaf)),
".SH SERIES",
(.modules | sort_by(.cluster)[] |
	(.series[] |
		(.axes | join(", ")) as $axes |
		.groups[] | described($axes)),
	(.events | select(length > 0) |
		".SS \(.[0].name | escaped)", (.[0].oneline + "." | paragraph),
		(.[1:][] | entry(.name))),
	(.last | select(length > 0) |
		".SS Last records", "An instance is a place for a record.", (.[] | entry(.name)))),
".SH MODULES AND AGENT",
(.metrics[] | entry(.name)),
".SH SEE ALSO",
".BR estat (1),",
".BR pmdaestat (1),",
".BR estat\\-module (7),",
".BR pminfo (1)"
