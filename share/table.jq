# SPDX-License-Identifier: GPL-2.0-or-later
# docs/metrics.md: a table of all metrics in a catalog (catalog.c) whose numbers are kept, those
# of modules that have a cluster of their own.
def row: "| " + join(" | ") + " |";
def table($head): ([$head, ($head | map("---"))] + .) | map(row) | join("\n");
def code: "`\(.)`";
def unit: if . == "" then "none" else . end;

# of a group, by key; those over all keys differ in name and number alone
def leaves: [.metrics[] | select(.total | not)];
def names: leaves | map(.leaf);
def span: map(split(".")[1] | tonumber) | "\(min) to \(max)";

[.modules[] | select(.cluster > 0)] as $modules |
[$modules[].series[].groups[]] as $groups |
# what all have that have a histogram of latency
([$groups[] | names | select(index("latency"))] |
	reduce .[] as $names (.[0]; . - (. - $names))) as $common |

"# Metrics

All that is exported, as `share/table.jq` makes it of the modules: `make docs` writes this page,
and `make` fails if it is not what they say. The help text of a metric, `pminfo -T`, says from what
to what it measures; the README has what a module's operations are. PMIDs are 400.CLUSTER.ITEM;
`qa/numbers` lists each of them.

## Groups

A row is what `NAME.METRIC` exists of, by key, and, but for instances, `NAME.total.METRIC` over all
keys. An instance is a key, its axes joined by `::`; of a histogram, a key and a bucket. *common*:
\($common | map(code) | join(", ")).

\([$modules[] | .cluster as $cluster | .series[] | .axes as $axes | .groups[] |
	[
		(.name | code),
		($axes | join(", ")),
		"\($cluster)",
		(.metrics | map(.pmid) | span),
		(names | if ($common - .) == [] then ["*common*"] + (. - $common | map(code))
			else map(code) end | join(", "))
	]] | table(["name", "axes", "cluster", "items", "metrics"]))

## Metrics of groups

\([$groups[] | leaves[]] | unique_by(.leaf, .type, .semantics, .units, .instances, .oneline) |
	map([(.leaf | code), .type, .semantics, (.units | unit), .instances, .oneline]) |
	table(["metric", "type", "semantics", "units", "instances", "what it is"]))

## Events

\([$modules[].events[]] | map([(.name | code), .pmid, .type, .semantics, (.units | unit), .oneline]) |
	table(["metric", "number", "type", "semantics", "units", "what it is"]))

## The agent's

Those of `estat.module` have an instance for each module.

\(.metrics | map([(.name | code), .pmid, .type, .semantics, (.units | unit), .oneline]) |
	table(["metric", "number", "type", "semantics", "units", "what it is"]))"
