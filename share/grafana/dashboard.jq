# SPDX-License-Identifier: GPL-2.0-or-later
# The Grafana dashboards of a catalog (share/catalog.c) for one data source, a line for each: the
# dashboard's name (a module's, or overview), a tab, the dashboard as JSON.
#
#	jq -r --arg source vector|valkey|prometheus -f dashboard.jq CATALOG
#
# vector and valkey are the data sources of performancecopilot-pcp-app. A panel of all keys queries the
# total. In a heat map of a single key, which the variables choose, a row's name is the part of the
# instance's name after the last `-`. The plug-in's format heatmap takes the part after the first `-`,
# but the name of a disk or pool can contain a `-`. The legend cannot use the label le, because pmproxy
# leaves labels of instances out of /pmapi/indom.

# The differences between the data sources.

def types: {
	vector: "performancecopilot-vector-datasource",
	valkey: "performancecopilot-valkey-datasource",
	prometheus: "prometheus"
};
def titles: {vector: "PCP Vector", valkey: "PCP Valkey", prometheus: "Prometheus"};
def refresh: {vector: "2s", valkey: "10s", prometheus: "10s"};
def span: {vector: "now-2m", valkey: "now-30m", prometheus: "now-30m"};
def prometheus: $source == "prometheus";
def datasource: {type: types[$source], uid: "${datasource}"};

# A metric's name in Prometheus, as pmproxy's /metrics has it.
def family: gsub("\\."; "_");

# The selector after a metric's name in Prometheus, of the host and the matchers
def selector($matchers): "{" + (["hostname=~\"$host\""] + $matchers | join(",")) + "}";

# A target that shows a metric of PCP as it is. The plug-in makes rates of counters.
def pcp_target($expr; $legend): {
	expr: (if $source == "valkey" then "\($expr){hostname == \"$host\"}" else $expr end),
	format: "time_series",
	legendFormat: $legend
} + if $source == "vector" then {hostspec: "$host"} else {} end;

def prometheus_target($expr; $legend): {expr: $expr, legendFormat: $legend};

# Panels, without id, refId and position.

def panel($type; $title; $width; $height): {
	type: $type,
	title: $title,
	description: "",
	datasource: datasource,
	w: $width,
	h: $height,
	fieldConfig: {defaults: {}, overrides: []},
	options: {},
	transformations: [],
	targets: []
};

def heat_map($title; $unit): panel("heatmap"; $title; 12; 9) + {
	options: {
		calculate: false,
		cellGap: 0,
		color: {mode: "scheme", scheme: "Turbo", scale: "exponential", exponent: 0.5, steps: 64},
		filterValues: {le: 1e-9},
		legend: {show: true},
		rowsFrame: {layout: "le", value: "Operations a second"},
		tooltip: {mode: "single", yHistogram: true},
		yAxis: {axisPlacement: "left", unit: $unit}
	}
};

def lines($title; $unit; $width): panel("timeseries"; $title; $width; 8) + {
	fieldConfig: {defaults: {unit: $unit, min: 0}, overrides: []},
	options: {
		legend: {displayMode: "table", placement: "bottom", calcs: ["lastNotNull", "max"]},
		tooltip: {mode: "multi", sort: "desc"}
	}
};

def table($title): panel("table"; $title; 24; 8);

def row($title): {type: "row", title: $title, collapsed: false, panels: [], w: 24, h: 1};

# The metrics of a group by kind and by leaf, of the total or of the keys.

def pick($kind; $total): .metrics[] | select(.kind == $kind and .total == $total);
def leaf($leaf; $total): .metrics[] | select(.leaf == $leaf and .total == $total);
def has_leaf($leaf): any(.metrics[]; .leaf == $leaf);
def has_latency: any(.metrics[]; .kind == "histogram" and .leaf == "latency");
def leaf_of_percentiles: ["p50", "p90", "p99", "p999", "max"];

# A group's metrics other than operations, bytes, errors and latency.
def others:
	.metrics[]
	| select(.total | not)
	| select(.kind == "gauge" or .kind == "counter")
	| select(.leaf | IN("ops", "bytes", "errors", "latency_sum") | not);

# The legend of a key, in Prometheus.
def key_legend($axes): [$axes[] | "{{\(.)}}"] | join("::");
def key_matchers($axes): [$axes[] | "\(.)=~\"$\(.)\""];
def key_rate($name; $axes):
	"sum by (\($axes | join(", "))) (rate(\($name | family)"
	+ selector(key_matchers($axes)) + "[$__rate_interval]))";

# A regular expression for the instances of a single key in a histogram.
def key_pattern($axes; $format): [$axes[] | "${\(.)\($format)}::"] | join("");
def key_title($axes): [$axes[] | "$\(.)"] | join(" ");

# A transformation that keeps the time and the fields whose names match $pattern.
def keep($pattern): {
	id: "filterFieldsByName",
	options: {include: {pattern: "([Tt]ime|\($pattern))"}}
};

def rows_after_last_dash: {
	id: "renameByRegex",
	options: {regex: ".*-([0-9]+|inf)", renamePattern: "$1"}
};

# Heat maps of latency, size and other histograms.

def pcp_total_heat($leaf; $title; $unit):
	pick("histogram"; true) | select(.leaf == $leaf)
	| heat_map($title; $unit) + {
		description: .oneline,
		targets: [pcp_target(.name; "") + {format: "heatmap"} | del(.legendFormat)]
	};

def pcp_key_heat($leaf; $axes; $title; $unit):
	pick("histogram"; false) | select(.leaf == $leaf)
	| heat_map("\($title) of \(key_title($axes))"; $unit) + {
		description: "Of the key that the variables choose. The legends of the graphs list the keys.",
		targets: [pcp_target(
			if $source == "vector" then "matchinst(/^\(key_pattern($axes; ":regex"))/, \(.name))" else .name end;
			"$instance")],
		transformations: [
			(select($source == "valkey") | keep(key_pattern($axes; "") + "[0-9].*")),
			rows_after_last_dash
		]
	};

def prometheus_heat($total; $matchers; $title):
	pick("cumulative"; $total)
	| heat_map($title; "s") + {
		description: .oneline,
		targets: [prometheus_target(
			"sum by (le) (rate(\(.name | family)\(selector($matchers))[$__rate_interval]))";
			"{{le}}") + {format: "heatmap"}]
	};

def heat_maps($axes):
	if prometheus then
		prometheus_heat(true; []; "Latency"),
		prometheus_heat(false; key_matchers($axes); "Latency of \(key_title($axes))")
	else
		pcp_total_heat("latency"; "Latency"; "µs"),
		pcp_key_heat("latency"; $axes; "Latency"; "µs"),
		pcp_total_heat("size"; "Size"; "bytes"),
		pcp_key_heat("size"; $axes; "Size"; "bytes"),
		([.metrics[] | select(.kind == "histogram") | .leaf] | unique - ["latency", "size"])[] as $leaf
		| (($leaf[:1] | ascii_upcase) + ($leaf[1:] | gsub("_"; " "))) as $title
		| pcp_total_heat($leaf; $title; "short"), pcp_key_heat($leaf; $axes; $title; "short")
	end;

# Rates, percentiles and errors.

def pcp_keys($leaf; $title; $unit):
	leaf($leaf; false)
	| lines($title; $unit; 12) + {
		description: .oneline,
		targets: [pcp_target(.name; "$instance")]
	};

def prometheus_keys($axes; $title; $unit):
	lines($title; $unit; 12) + {
		description: .oneline,
		targets: [prometheus_target(key_rate(.name; $axes); key_legend($axes))]
	};

def pcp_percentiles:
	[.metrics[] | select(.total and (.leaf | IN(leaf_of_percentiles[])))] as $shares
	| select($shares | length > 0)
	| lines("Percentiles of latency"; "µs"; 12) + {
		description: "Of all keys together.",
		targets: [$shares[] | pcp_target(.name; "$metric0")]
	};

# A quantile of Prometheus' histogram: SHARE of the series that SELECTOR finds, by LABELS and le
def quantile($share; $selector; $labels):
	"histogram_quantile(\($share), sum by (\(["le"] + $labels | join(", "))) (rate("
	+ "\(.name | family)\($selector)[$__rate_interval])))";

def prometheus_percentiles:
	pick("cumulative"; true) as $metric
	| lines("Percentiles of latency"; "s"; 12) + {
		description: "Of all keys together.",
		targets: [{p50: 0.5, p90: 0.9, p99: 0.99, p999: 0.999} | to_entries[] as $share
			| $metric
			| prometheus_target(quantile($share.value; selector([]); []); $share.key)]
	};

def prometheus_p99($axes):
	pick("cumulative"; false)
	| lines("p99 by key"; "s"; 12) + {
		description: "The latency that 99% of a key's operations did not exceed.",
		targets: [prometheus_target(quantile(0.99; selector(key_matchers($axes)); $axes); key_legend($axes))]
	};

def graphs($axes):
	if prometheus then
		(pick("cumulative_count"; false) | prometheus_keys($axes; "Operations a second"; "ops")),
		(leaf("bytes"; false) | prometheus_keys($axes; "Throughput"; "binBps")),
		prometheus_percentiles,
		prometheus_p99($axes),
		(leaf("errors"; false) | prometheus_keys($axes; "Errors a second"; "ops"))
	else
		pcp_keys("ops"; "Operations a second"; "ops"),
		pcp_keys("bytes"; "Throughput"; "binBps"),
		pcp_percentiles,
		pcp_keys("p99"; "p99 by key"; "µs"),
		pcp_keys("errors"; "Errors a second"; "ops")
	end;

# Counters and gauges of other kinds.

def unit_of:
	if .leaf == "inflight_time" then "short"
	elif .kind == "counter" then {byte: "binBps", nanosec: "percentunit"}[.units] // "ops"
	else {byte: "bytes", nanosec: "ns", microsec: "µs"}[.units] // "short" end;

def other($axes):
	lines({inflight: "under way", inflight_time: "mean number under way"}[.leaf] // (.leaf | gsub("_"; " ")); unit_of; 8) + {
		description: .oneline,
		targets: [
			if prometheus | not then
				pcp_target(.name; "$instance")
			elif .kind == "counter" then
				prometheus_target(key_rate(.name; $axes)
					+ if .units == "nanosec" then " / 1e9" else "" end; key_legend($axes))
			else
				prometheus_target((.name | family) + selector(key_matchers($axes)); key_legend($axes))
			end
		]
	};

# Only Vector shows a table with a line for each key.
def keys_table:
	[.metrics[] | select((.total | not) and .instances == "keys"
		and (.kind | IN("rate", "throughput", "mean", "percentile", "highest")))] as $metrics
	| select($source == "vector" and ($metrics | length) > 0)
	| table("Keys") + {
		targets: [$metrics[] | pcp_target(.name; "") + {format: "metrics_table"} | del(.legendFormat)]
	};

# The events that a module missed or dropped; of all modules if MODULE is empty.
def lost_panel($name):
	lines("Events missed, and dropped for want of a free key"; "ops"; 24) + {
		description: "If this is not 0, the module's other numbers are too low by so much.",
		targets: [("missed", "dropped") as $what
			| if prometheus then
				prometheus_target("sum by (hostname, module) (rate(estat_module_\($what)"
					+ selector([select($name != "") | "module=\"\($name)\""])
					+ "[$__rate_interval]))"; "\($what) {{module}} {{hostname}}")
			elif $source == "vector" and $name != "" then
				pcp_target("matchinst(/^\($name)$/, estat.module.\($what))"; "\($what) $instance")
			else
				pcp_target("estat.module.\($what)"; "\($what) $instance")
			end],
		transformations: [select($source == "valkey" and $name != "")
			| keep("(missed|dropped) \($name)")]
	};

# The rows of a dashboard; a row has the panels of a group.

def section($axes):
	(.metrics | any(.kind == "histogram")) as $histograms
	| row("\(.name | ltrimstr("estat.")): \(.help | split("\n")[0])"),
	heat_maps($axes),
	graphs($axes),
	(others | other($axes)),
	keys_table;

# Only Vector shows a table with a line for each instance.
def last_table:
	.last as $metrics
	| select($source == "vector" and ($metrics | length) > 0)
	| row("The last records"),
	(table("The last records") + {
		description: ($metrics[0].help | split("\n")[1:] | join(" ")),
		targets: [$metrics[] | pcp_target(.name; "") + {format: "metrics_table"} | del(.legendFormat)]
	});

def module_panels($name):
	.modules[] | select(.name == $name)
	| (.series[] | .axes as $axes | .groups[] | section($axes)),
	last_table,
	row("What \($name) has lost"),
	lost_panel($name);

# The layers by rank, from the top of the stack to the bottom, then the groups without a rank.

def main_group:
	"estat.\(.name)" as $main
	| first(
		(.series[] | select(.name == $main)), .series[]
		| .groups[] | select(has_latency));

def layers:
	[.modules[]
	| [.series[].groups[] | select(.rank and has_latency)] as $ranked
	| if $ranked | length > 0 then $ranked[] else [main_group][] + {rank: null} end]
	| sort_by(.rank == null, .rank, .name);

def layer_name: ltrimstr("estat.");

# A line for each layer, of the metrics of the layer's total that FILTER chooses. For Valkey one query
# asks for all layers, because this data source reports an error for a query that finds nothing, as for a
# layer that a host does not have.
def layer_lines($title; $unit; $layers; filter; prometheus_expr):
	[$layers[] | {layer: (.name | layer_name), metric: filter}] as $lines
	| lines($title; $unit; 12) + {
		targets: (
			if prometheus then
				[$lines[] | .layer as $layer | .metric | prometheus_target(prometheus_expr; $layer)]
			elif $source == "vector" then
				[$lines[] | pcp_target(.metric.name; .layer)]
			else
				[{
					expr: "{metric.name =~ \"^(\([$lines[].metric.name] | join("|")))$\" && hostname == \"$host\"}",
					format: "time_series",
					legendFormat: "$metric"
				}]
			end),
		transformations: [select($source == "valkey")
			| {id: "renameByRegex", options: {regex: "estat\\.(.*)\\.total\\..*", renamePattern: "$1"}}]
	};

def total_rate: "sum(rate(\(.name | family)\(selector([]))[$__rate_interval]))";

def total_sum: "sum(\(.name | family)\(selector([])))";
def total_max: "max(\(.name | family)\(selector([])))";

def overview_panels:
	layers as $layers
	| row("The layers, from the top of the stack to the disks"),
	layer_lines("Operations a second"; "ops"; $layers; leaf("ops"; true); total_rate),
	(if prometheus then
		layer_lines("p99 of latency"; "s"; $layers; pick("cumulative"; true); quantile(0.99; selector([]); []))
	else
		layer_lines("p99 of latency"; "µs"; $layers; leaf("p99"; true); null)
	end),
	layer_lines("Throughput"; "binBps"; $layers; leaf("bytes"; true); total_rate),
	layer_lines("Errors a second"; "ops"; $layers; leaf("errors"; true); total_rate),
	layer_lines("Under way"; "short"; $layers; leaf("inflight"; true); total_sum),
	layer_lines("Age of the oldest operation under way"; "µs"; $layers; leaf("oldest"; true); total_max),
	row("Latency of each layer"),
	($layers[] | (.name | layer_name) as $name
		| if prometheus then prometheus_heat(true; []; $name)
		else pcp_total_heat("latency"; $name; "µs") end),
	row("What the modules have lost"),
	lost_panel("");

# Variables.

def variable($type; $name; $shown): {type: $type, name: $name, label: $shown};

def text_variable($name; $shown; $value): variable("textbox"; $name; $shown) + {
	query: $value,
	current: {text: $value, value: $value},
	options: [{text: $value, value: $value, selected: true}]
};

# The default is read, if it is one of the first two values, else the first value.
def choice_variable($name; $values):
	(if $values[:2] | index("read") then "read" else $values[0] end) as $value
	| variable("custom"; $name; $name) + {
		query: ($values | join(",")),
		current: {text: $value, value: $value},
		options: [$values[] | {text: ., value: ., selected: (. == $value)}]
	};

def query_variable($name; $query; $several): variable("query"; $name; $name) + {
	datasource: datasource,
	query: $query,
	refresh: 2,
	sort: 1,
	multi: $several,
	includeAll: $several
} + if $several then {allValue: ".*", current: {text: ["All"], value: ["$__all"]}} else {} end;

def host_variable:
	if $source == "vector" then text_variable("host"; "host (blank: pmproxy's own)"; "")
	elif $source == "valkey" then query_variable("host"; "label_values(hostname)"; false)
	else query_variable("host"; "label_values(estat_agent_start, hostname)"; true) end;

# A variable for each axis of the module's series; for Prometheus, of the series that Prometheus has.
def axis_variables($name):
	[.modules[] | select(.name == $name) | .series[]
		| .values as $values | .groups as $groups
		| .axes[] | {
			axis: .,
			values: $values[.],
			metric: first($groups[].metrics[] | select(.total | not)
				| select(.instances == "keys" and .kind == "counter" or .kind == "gauge") | .name)
		}]
	| reduce .[] as $a ({}; .[$a.axis] = {
		values: (((.[$a.axis].values // []) + ($a.values // [] )) | reduce .[] as $v ([]; if index([$v]) then . else . + [$v] end)),
		metrics: ((.[$a.axis].metrics // []) + [$a.metric])})
	| to_entries[]
	| if prometheus then
		query_variable(.key; "label_values({__name__=~\"\(.value.metrics | map(family) | unique | join("|"))\"}, \(.key))"; true)
	elif .value.values | length > 0 then choice_variable(.key; .value.values)
	elif $source == "vector" then text_variable(.key; .key; "")
	else query_variable(.key; "label_values(\(.key))"; false) end;

def source_variable: variable("datasource"; "datasource"; "data source") + {
	query: types[$source],
	current: {}
};

# Number the panels and place them, from left to right and from top to bottom.
def placed($panels):
	reduce $panels[] as $p ({x: 0, y: 0, high: 0, panels: []};
		(if .x + $p.w > 24 then .y += .high | .x = 0 | .high = 0 else . end)
		| .panels += [$p
			+ {id: (.panels | length + 1), gridPos: {x: .x, y: .y, w: $p.w, h: $p.h}}
			| del(.w, .h)
			| if .targets then .targets |= [to_entries[] | {refId: ([65 + .key] | implode)} + .value] else . end]
		| .x += $p.w
		| .high = ([.high, $p.h] | max))
	| .panels;

# The variables that the panels use.
def used($panels):
	($panels | map(del(.datasource)) | tojson) as $text
	| .name as $name
	| select($text | test("\\$\\{?\($name)\\b"));

def dashboard($page): (if $page == "overview" then [overview_panels] else [module_panels($page)] end) as $panels
| {
	# Grafana takes letters, digits, - and _
	uid: "estat-\($source)-\($page | gsub("\\."; "_"))",
	title: "estat: \(if $page == "overview" then "the layers of storage" else $page end) (\(titles[$source]))",
	description: "Made by share/grafana/dashboard.jq from what estat exports.",
	tags: ["estat", "estat-\($source)"],
	editable: true,
	schemaVersion: 39,
	graphTooltip: 1,
	refresh: refresh[$source],
	time: {from: span[$source], to: "now"},
	timezone: "browser",
	annotations: {list: []},
	links: [{
		type: "dashboards",
		title: "estat",
		tags: ["estat-\($source)"],
		asDropdown: true,
		includeVars: false,
		keepTime: true,
		targetBlank: false
	}],
	templating: {list: [
		source_variable,
		(host_variable, (select($page != "overview") | axis_variables($page)) | used($panels))
	]},
	panels: placed($panels)
};

("overview", .modules[].name) as $page | "\($page)\t\(dashboard($page) | tojson)"
