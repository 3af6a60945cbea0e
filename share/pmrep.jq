# SPDX-License-Identifier: GPL-2.0-or-later
# pmrep's reports, see pmrep.conf(5): one for each group of metrics in a catalog (share/catalog.c), and one
# of the layers. jq -r -f pmrep.jq catalog.json

# The column of row names is as wide as its title.
def title($width): (" " * $width + .)[-([$width, length] | max):];

# A report: $name, its subject $about, the title $rows of the row names (null: the report has one row), and
# a line for each column.
def report($name; $about; $rows; columns):
	"",
	"# pmrep :\($name)		\($about)",
	"[\($name)]",
	"header = yes",
	"unitinfo = no",
	"globals = no",
	"timestamp = yes",
	"delimiter = \" \"",
	"precision = 0",
	# an archive may lack some metrics
	"ignore_unknown = yes",
	(select($rows) | "colxrow = \"\($rows)\""),
	columns;

def column($text; $unit; $width):
	"\(.name) = \($text),,\($unit),,\($width)" + if .leaf == "inflight_time" then ",2" else "" end;

# The columns that nearly every group has, in this order. Counters become rates over the report's interval.
# The other metrics are over the interval between two fetches, in an archive between two of pmlogger's.
def common: [
	{leaf: "ops", text: "op/s", unit: "", width: 7},
	{leaf: "errors", text: "err/s", unit: "", width: 5},
	{leaf: "bytes", text: "KB/s", unit: "KB", width: 7},
	{leaf: "avg_latency", text: "avg us", unit: "", width: 7},
	{leaf: "p50", text: "p50 us", unit: "", width: 7},
	{leaf: "p99", text: "p99 us", unit: "", width: 7},
	{leaf: "max", text: "max us", unit: "", width: 7}
];

def common_columns:
	INDEX(.leaf) as $metric |
	common[] | select($metric[.leaf]) | . as $c |
	$metric[.leaf] | column($c.text; $c.unit; $c.width);

# The other columns of a group: counters as rates, gauges as they are.
def own_unit:
	if .leaf == "inflight_time" then {suffix: "", unit: ""}
	elif .kind == "counter" then {suffix: "/s", unit: ""}
	elif .units == "nanosec" then {suffix: " ms", unit: "ms"}
	elif .units == "microsec" then {suffix: " ms", unit: "ms"}
	elif .units == "byte" then {suffix: " MB", unit: "MB"}
	elif .type == "DOUBLE" then {suffix: " pct", unit: ""}
	else {suffix: "", unit: ""} end;

def own_columns:
	map(select(.kind == "counter" or .kind == "gauge") |
		select(.leaf | IN("latency_sum", common[].leaf) | not))[] |
	own_unit as $c |
	({inflight: "now", inflight_time: "under way"}[.leaf] // (.leaf | gsub("_"; " ")) + $c.suffix) as $text |
	column($text; $c.unit; [7, ($text | length)] | max);

# A group that has histograms alone has no report.
def group_report($name; $series):
	(.metrics | map(select(.total | not)) | [common_columns, own_columns]) as $columns |
	select($columns != []) |
	report($name; "\(.name), by \($series.axes | join(", "))";
		$series.axes | join("::") | title(12 * ($series.axes | length));
		$columns[]);

"# Reports of estat's metrics for pmrep(1). share/pmrep.jq made them from what the modules declare.",
report("estat-layers"; "The layers of the stack, from the top to the bottom"; "layer" | title(16);
	.metrics | map(select(.kind == "layer")) | common_columns),
report("estat-stuck"; "Operations under way in each layer, and the age of the oldest in ms"; null;
	.modules[] | select(.on_demand | not) | .series[].groups[] | select(.rank) | (.name | ltrimstr("estat.")) as $name |
	.metrics[] | select(.total) |
	if .leaf == "inflight" then column($name; ""; [8, ($name | length)] | max)
	elif .leaf == "oldest" then column("ms"; "ms"; 8) else empty end),
report("estat-slow"; "The limit above which an operation is slow, and slow operations without a record"; "module" | title(12);
	.metrics[] | if .name == "estat.module.slow" then column("slow ms"; "ms"; 8)
	elif .name == "estat.module.withheld" then column("withheld/s"; ""; 10) else empty end),
(.modules[].series[] | . as $series | .groups[] |
	# the name is that of the metrics, with - for each dot
	group_report(.name | gsub("\\."; "-"); $series),
	(select(.name == "estat.backend_io") | group_report("estat-disk"; $series)))
