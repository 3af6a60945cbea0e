# SPDX-License-Identifier: GPL-2.0-or-later
# pmlogconf's groups, see pmlogconf(1), from a catalog (share/catalog.c): what pmlogger records of estat.
# jq -r --arg file GROUP -f pmlogconf.jq catalog.json, where GROUP is
#
#	agent		since when the agent runs, what its modules missed and withheld, the layers
#	state		the modules' states and their thresholds of slow operations, each minute, because
#			these are long texts, or seldom change
#	layouts		the labels that say how to name rows, once
#	devices		what stands on what, every ten minutes
#	MODULE		a module that runs when pmlogger starts; on demand: only if asked for
#	MODULE-waiting	the same, each minute, of a module that does not run yet
#	all-histograms	the metrics, mostly histograms by key, that the groups MODULE leave out
#	optional-histograms	metrics that have a name only if estat.conf turns them on
#
# In each record a value takes 20 bytes and a metric without values 8. So rates, which follow from
# counters, are not recorded, and by key only what shows which key is slow. pmlogger warns at its start of
# metrics without a name, so these have a group of their own.

# The agent's own metrics. Clients need the start times to leave out a restart.
def agent_leaves: {
	agent: ["start"],
	module: ["missed", "dropped", "withheld", "start", "attached"],
	layer: ["rank", "above", "ops", "errors", "bytes", "avg_latency", "p50", "p99", "max"]
};
def state_leaves: {
	agent: ["version"],
	module: ["status", "error", "slow"]
};

def is_counter: .kind | IN("counter", "gauge", "text");
def is_histogram: .kind == "histogram";
def is_percentile: .leaf | IN("p50", "p99", "max");

# Is a metric recorded by default? $own: the metric is of the series itself, not of a further group.
def by_default($own):
	if .total then is_counter or is_histogram or is_percentile
	elif $own then is_counter or is_percentile
	else is_counter and (.leaf | IN("ops", "errors", "bytes", "latency_sum") | not) end;

# Is a metric recorded if all histograms are asked for?
def is_asked_for:
	is_counter or is_histogram or .kind == "sumsq" or .kind == "percentile" or .kind == "highest";

def lines: "\t\(.name)";

# The metrics of a series that are recorded by default ($default), or only if asked for.
def metrics($default):
	.name as $series | .groups[] | (.name == $series) as $own |
	.metrics[] | select(by_default($own) == $default and ($default or is_asked_for)) | lines;

# The metrics that latency_fine and latency_by_size turn on.
def optional:
	.series[].groups[].metrics[] | select(.kind | IN("histogram_fine", "histogram_by_size")) | lines;

# A metric that has a value while the module runs.
def probe: [.series[].groups[].metrics[]] | (map(select(.total)) + .)[0].name;

# Those of the agent's own metrics estat.BRANCH.LEAF for which $leaves[BRANCH] has LEAF.
def own($leaves):
	"probe	estat.agent.version exists ? include : exclude",
	(.metrics[] | (.name | split(".")[1]) as $branch |
		select(.leaf | IN($leaves[$branch][]?)) | lines);

def of_agent:
	"ident	estat: since when the agent runs, what its modules missed and withheld, the layers",
	own(agent_leaves);

def of_state:
	"ident	estat: the state of the modules, and what is slow",
	"delta	1 minute",
	own(state_leaves);

def of_layouts:
	"ident	estat: how the rows of modules are named",
	"delta	once",
	own({ module: ["axes"] });

def of_devices:
	"ident	estat: the graph of devices, which says what stands on what",
	"delta	10 minutes",
	own({ device: ["kind", "below", "names"] });

def of_module:
	"ident	estat: \(.name), its counters and percentiles, and the histograms over all keys",
	"probe	\(probe) values ? include : exclude",
	(.series[] | metrics(true)),
	(.events[] | lines);

# A recording keeps a module on demand attached, so the user must ask for it. Then all of its metrics are
# recorded, because all-histograms has none of them. The probe names no metric of the module: pmlogconf
# fetches what a probe names, which would attach the module.
def of_module_on_demand:
	"ident	estat: \(.name), its counters, percentiles and histograms;",
	"ident	... the recording keeps the module attached",
	"probe	estat.agent.version exists ? available : exclude",
	(.series[] | metrics(true), metrics(false)),
	optional,
	(.events[] | lines);

def of_module_that_waits:
	"ident	estat: \(.name), which does not run yet",
	"delta	1 minute",
	"probe	\(probe) values ? exclude : include",
	(.series[] | metrics(true)),
	(.events[] | lines);

def all_histograms:
	"ident	estat: the histograms of all keys, for heat maps and percentiles of any time;",
	"ident	... large",
	"probe	estat.agent.version exists ? available : exclude",
	(.modules[] | select(.on_demand | not) | .series[] | metrics(false));

def optional_histograms:
	"ident	estat: histograms that estat.conf has on by latency_fine or latency_by_size;",
	"ident	... large; pmlogger warns of those that are off",
	"probe	estat.agent.version exists ? available : exclude",
	(.modules[] | select(.on_demand | not) | optional);

"#pmlogconf-setup 2.0",
"# Made by share/pmlogconf.jq from what the modules declare.",
if $file == "agent" then of_agent
elif $file == "state" then of_state
elif $file == "layouts" then of_layouts
elif $file == "devices" then of_devices
elif $file == "all-histograms" then all_histograms
elif $file == "optional-histograms" then optional_histograms
else
	($file | rtrimstr("-waiting")) as $name |
	(.modules | map(select(.name == $name)))[0] //
		error("no module has the name of its file, \($name).bpf.c") |
	if $file == $name then if .on_demand then of_module_on_demand else of_module end
	elif .on_demand then error("\($name): ESTAT_ON_DEMAND has to begin a line, where make looks for it")
	else of_module_that_waits end
end
