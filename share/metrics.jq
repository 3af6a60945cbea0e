# SPDX-License-Identifier: GPL-2.0-or-later
# The manual page estat-metrics(7), in man(7), of a catalog (share/catalog.c).

def escaped: gsub("\\\\"; "\\e") | gsub("-"; "\\-");
# Text at the beginning of a line, where . and ' would make it a macro.
def paragraph: escaped | gsub("(?m)^(?<c>[.'])"; "\\&\(.c)");
def units: if .units == "" then "" else ", \(.units)" end;
def entry(title): ".TP", ".B \(title | escaped)", (.oneline + units + "." | paragraph);
# What is said of a metric whatever series has it: its leaf, its text and its units.
def common: {leaf, oneline, units};

[.modules[].series[].groups[] | [.metrics[] | select(.total | not)]] as $series
| ([$series[][] | common] | group_by(.leaf) | map(group_by(tojson) | max_by(length))
	| map(select(length > 2) | .[0]) | INDEX(.leaf)) as $usual
| def is_usual: . as $m | $usual[.leaf] != null and common == $usual[$m.leaf];
  def total: if any(.metrics[]; .total) then "" else " They have no totals." end;
  def described($axes):
	".SS \(.name | escaped)",
	(.help + "." | paragraph),
	".PP",
	("Axes: \($axes).\(total)" | paragraph),
	([.metrics[] | select((.total or is_usual) | not)] | select(length > 0) | .[] | entry(.leaf)),
	([.metrics[] | select(.total | not) | select(is_usual) | .leaf] | select(length > 0)
		| ".PP", ("As other series: \(join(", "))." | paragraph));

".\\\" SPDX-License-Identifier: GPL-2.0-or-later",
".TH ESTAT-METRICS 7 \"2026-11-22\" \"estat\" \"Performance Co-Pilot\"",
".SH NAME",
"\\fBestat-metrics\\fP \\- what the metrics of estat are",
".SH DESCRIPTION",
"The metrics that",
".BR pmdaestat (1)",
"exports with the modules it was built with. Their help is in the agent, too:",
".BI \"pminfo \\-T\" \" metric\"\\fR.",
".PP",
"A series has its metrics by key, an instance each of which the axes are labels, and where they can be",
"added up once more over all keys, after",
".B .total",
"as in",
".BR estat.zio.total.ops .",
"Buckets of a histogram are instances as well, with their upper bound as the label",
".BR le .",
".SH WHAT A SERIES HAS",
"Of these each series has those that are named below it.",
([$series[][] | .leaf] | reduce .[] as $l ([]; if index([$l]) then . else . + [$l] end)
	| .[] | select($usual[.] != null) | $usual[.] | entry(.leaf)),
".SH SERIES",
(.modules | sort_by(.cluster)[] |
	(.series[] |
		(.axes | join(", ")) as $axes |
		.groups[] | described($axes)),
	(.events | select(length > 0) |
		".SS \(.[0].name | escaped)", (.[0].oneline + "." | paragraph),
		(.[1:][] | entry(.name)))),
".SH MODULES AND AGENT",
(.metrics[] | entry(.name)),
".SH SEE ALSO",
".BR estat (1),",
".BR pmdaestat (1),",
".BR estat\\-module (7),",
".BR pminfo (1)"
