# SPDX-License-Identifier: GPL-2.0-or-later
# Writes docs/collectors.md from a catalog (catalog.c): the help texts of the modules with a fixed
# cluster.

# Mark names of functions and metrics as code: all words with an underscore that are not code yet.
def words: gsub("(?<w>[A-Za-z0-9_.:]*_[A-Za-z0-9_.:]*[A-Za-z0-9_])"; "`\(.w)`");
def text: split("`") | to_entries
	| map(if .key % 2 == 0 then .value | words else "`\(.value)`" end) | join("");
def code: "`\(.)`";
# Join the lines of each paragraph of a help text.
def paragraphs: gsub("(?<end>[^\n])\n(?<begin>[^\n ])"; "\(.end) \(.begin)");

[.modules[] | select(.cluster > 0)] | sort_by(.name) as $modules |

("<!-- SPDX-License-Identifier: GPL-2.0-or-later -->
# What does each module measure?

Each section has a module's own help texts: from which function to which an operation is measured, what
counts, and what is not counted. `estat help MODULE` and `pminfo -T METRIC` print the same texts.

`make docs` writes this page from the modules by `share/collectors.jq`; `make` fails if the page differs.
[metrics.md](metrics.md) lists the metrics. [kernels.md](kernels.md) has what differs by kernel and ZFS.
*On demand* is a module that is attached only while a client reads it. A *layer* is a series that
`estat layers` shows; the number is its rank, the smallest at the top of the stack.
\([$modules[] | .on_demand as $on_demand |
	"\n## \(.name)\(if $on_demand then " (on demand)" else "" end)\n" +
	([.series[] | (.axes | map(code) | join(", ")) as $axes | .groups[] |
		"\n### \(.name)\n\nAxes: \($axes)." +
		(if .rank then " Layer \(.rank)." else "" end) +
		"\n\n\(.help | paragraphs | text).\n"] | join(""))] | join(""))" | rtrimstr("\n"))
