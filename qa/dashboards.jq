# SPDX-License-Identifier: GPL-2.0-or-later
# What is wrong with dashboards, a line each: jq -r -n -f dashboards.jq CATALOG DASHBOARD...

# Two panels that lie on each other
def overlap($a; $b):
	$a.x < $b.x + $b.w and $b.x < $a.x + $a.w and $a.y < $b.y + $b.h and $b.y < $a.y + $a.h;

def twice: group_by(.)[] | select(length > 1) | .[0];

# The variables that a text has, but what is not a dashboard's: the groups of a regular
# expression, and what legends have.
def variables:
	[scan("\\$\\{?([A-Za-z_]\\w*)")[]] | unique - ["__rate_interval", "instance", "metric", "metric0"];

def family: gsub("\\."; "_");
def targets: .panels[] | .targets[]?;

def places:
	.panels as $panels
	| (range($panels | length) as $i | range($i) as $j
		| select(overlap($panels[$i].gridPos; $panels[$j].gridPos))
		| "panels \($panels[$j].id) and \($panels[$i].id) overlap"),
	($panels[] | select(.gridPos.x < 0 or .gridPos.x + .gridPos.w > 24) | "panel \(.id) is too wide"),
	([$panels[].id] | twice | "two panels have the id \(.)"),
	($panels[] | [.targets[]?.refId] | twice | "two targets have the refId \(.)");

def undefined:
	([.templating.list[].name]) as $defined
	| (del(.templating.list) | tojson | variables) as $used
	| (($used - $defined)[] | "variable \(.) is not defined"),
	(($defined - $used)[] | "variable \(.) is not used");

# The metrics that a dashboard names: of PCP, or their families in Prometheus
def named: [targets.expr | scan("estat[._][a-z0-9_.]*[a-z0-9_]")] | unique;

def unknown($known): (named - $known)[] | "there is no metric \(.)";

# What a module's dashboard must show: heat maps of all histograms, rates, percentiles, errors
# and what was missed
def expected($source; $of):
	if $source == "prometheus" then
		[$of.series[].groups[].metrics[]
			| select(.kind == "cumulative" or (.total | not)
				and (.kind == "cumulative_count" or .leaf == "bytes" or .leaf == "errors"))
			| .name | family] + ["estat_module_missed", "estat_module_dropped"]
	else
		[$of.series[].groups[].metrics[]
			| select(.kind == "histogram" or (.kind | IN("percentile", "highest")) and .total
				or (.total | not) and (.leaf | IN("ops", "bytes", "errors", "p99")))
			| .name] + ["estat.module.missed", "estat.module.dropped"]
			+ if $source == "vector" then [$of.last[].name] else [] end
	end;

def lacking($source; $of): (expected($source; $of) - named)[] | "\(.) is in no panel";

# All histograms, and nothing else, are in heat maps.
def misdrawn($histograms):
	.panels[] | select(.type != "row")
	| (.type == "heatmap") as $heat
	| .title as $title
	| .targets[] | select((.expr | startswith("histogram_quantile") | not))
	| .expr | scan("estat[._][a-z0-9_.]*[a-z0-9_]")
	| select((. as $name | $histograms | index($name) != null) != $heat)
	| "\(.) is drawn in the wrong way in \($title)";

input as $catalog
| [$catalog.metrics[].name, $catalog.modules[].series[].groups[].metrics[].name, $catalog.modules[].last[].name] as $metrics
| ($metrics + ($metrics | map(family))) as $known
| [$catalog.modules[].series[].groups[].metrics[] | select(.kind == "histogram" or .kind == "cumulative")
	| .name, (.name | family)] as $histograms
| [inputs] as $dashboards
| ([$dashboards[].uid] | twice | "two dashboards have the uid \(.)"),
(("vector", "valkey", "prometheus") as $source | ($catalog.modules[].name | family), "overview"
	| "estat-\($source)-\(.)"
	| select(. as $uid | any($dashboards[]; .uid == $uid) | not) | "there is no dashboard \(.)"),
($dashboards[]
	| (.uid | split("-")) as [$_, $source, $page]
	| .uid as $uid
	| [$catalog.modules[] | select((.name | family) == $page)] as $of
	| (places, undefined, unknown($known), misdrawn($histograms),
		(select($page != "overview") | lacking($source; $of[0])),
		(select($uid | length > 40) | "the uid is too long"))
	| "\($uid): \(.)")
