# SPDX-License-Identifier: GPL-2.0-or-later
# From the catalog (share/catalog.c): Prometheus' recording rules for each layer and for each of its keys.
# The names are the same for all layers; a label has the layer.

# A metric's name as pmproxy writes it.
def exposed: gsub("\\."; "_");

def rule($level; $what; $expr; $layer):
	"      - record: \($level):estat_\($what)",
	"        expr: \($expr)",
	"        labels: {layer: \($layer)}";

# >= 0 drops the NaN of an interval without operations.
def percentiles($level; $layer):
	(.name | exposed) as $bucket
	| (["p50", 0.5], ["p99", 0.99], ["p999", 0.999]) as [$name, $share]
	| rule($level; "latency_seconds:\($name)";
		"histogram_quantile(\($share), rate(\($bucket)[1m])) >= 0"; $layer);

def rates($level; $layer):
	rule($level; "\(.leaf):rate1m"; "rate(\(.name | exposed)[1m])"; $layer);

def group_rules:
	(.name | ltrimstr("estat.")) as $layer
	| .metrics[]
	| (if .total then "layer" else "key" end) as $level
	| if .kind == "cumulative" then percentiles($level; $layer)
	  elif .kind == "counter" and (.leaf | IN("ops", "bytes", "errors")) then rates($level; $layer)
	  elif .leaf == "oldest" then
		rule($level; "oldest_seconds"; "\(.name | exposed) / 1e6"; $layer)
	  else empty end;

"# SPDX-License-Identifier: GPL-2.0-or-later
# Recording rules for estat's metrics: latency_seconds:p50, :p99 and :p999, ops:rate1m, bytes:rate1m and
# errors:rate1m of each layer (layer:estat_...) and of each of its keys (key:estat_...), and oldest_seconds,
# the age of the oldest operation under way. Made from the metrics of all modules that are not attached on
# demand.
groups:",
(.modules[] | select(.on_demand | not)
| "  - name: estat_\(.name)
    interval: 15s
    rules:",
	(.series[].groups[] | group_rules))
