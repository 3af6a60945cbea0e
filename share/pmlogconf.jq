# SPDX-License-Identifier: GPL-2.0-or-later
# pmlogconf's groups, see pmlogconf(1), of a catalog (share/catalog.c): what a recording has of
# estat. jq -r --arg file GROUP -f pmlogconf.jq catalog.json, where GROUP is
#
#	agent		since when the agent runs, and what it has missed; and the layers
#	state		how its modules are, by the minute: many words
#	MODULE		a module that runs when pmlogger starts; one that is attached on demand
#			unless asked for
#	MODULE-waiting	the same of one that does not, by the minute: it may come
#	all-histograms	what is not recorded of all others unless asked for
#	optional-histograms	and what has no name unless estat.conf turns it on
#
# A value takes 20 bytes of an archive each time, and a metric without any takes 8. So what
# follows from what is there, as rates, is not recorded, and by key only what tells who is slow.
# pmlogger warns of what has no name, at its start: so that is a group by itself.

# Of what is the agent's own; clients leave out what runs across a restart.
def agent_leaves: {
	agent: ["start"],
	module: ["missed", "dropped", "start", "attached"],
	layer: ["rank", "above", "ops", "errors", "bytes", "avg_latency", "p50", "p99", "max"]
};
def state_leaves: {
	agent: ["version"],
	module: ["status", "error"]
};

def is_counter: .kind == "counter" or .kind == "gauge";
def is_histogram: .kind == "histogram";
def is_percentile: .leaf | IN("p50", "p99", "max");

# Is it recorded by default? $own: it is of the series itself, not of what that measures besides.
def by_default($own):
	if .total then is_counter or is_histogram or is_percentile
	elif $own then is_counter or is_percentile
	else is_counter and (.leaf | IN("ops", "errors", "bytes", "latency_sum") | not) end;

# And if all is asked for?
def is_asked_for:
	is_counter or is_histogram or .kind == "sumsq" or .kind == "percentile" or .kind == "highest";

def lines: "\t\(.name)";

# Those metrics of a series that are recorded by default, or else are asked for.
def metrics($default):
	.name as $series | .groups[] | (.name == $series) as $own |
	.metrics[] | select(by_default($own) == $default and ($default or is_asked_for)) | lines;

# Those that latency_fine and latency_by_size turn on.
def optional:
	.series[].groups[].metrics[] | select(.kind | IN("histogram_fine", "histogram_by_size")) | lines;

# It has a value while the module runs.
def probe: [.series[].groups[].metrics[]] | (map(select(.total)) + .)[0].name;

# The agent's own metrics of which $leaves has the branch and the name.
def own($leaves):
	"probe	estat.agent.version exists ? include : exclude",
	(.metrics[] | (.name | split(".")[1]) as $branch |
		select(.leaf | IN($leaves[$branch][]?)) | lines);

def of_agent:
	"ident	estat: since when its agent runs, what that has missed, and the layers of the stack",
	own(agent_leaves);

def of_state:
	"ident	estat: the state of its modules",
	"delta	1 minute",
	own(state_leaves);

def of_module:
	"ident	estat: \(.name), its counters and percentiles, and the histograms over all keys",
	"probe	\(probe) values ? include : exclude",
	(.series[] | metrics(true)),
	(.events[] | lines);

# A recording has it attached for good, so it is asked for; and all of it is, for who asks for the
# histograms of all keys does not mean that. Whatever its condition pmlogconf fetches what a probe
# names, so it is none of the module's.
def of_module_on_demand:
	"ident	estat: \(.name), its counters, percentiles and histograms;",
	"ident	... while that is recorded it is always attached",
	"probe	estat.agent.version exists ? available : exclude",
	(.series[] | metrics(true), metrics(false)),
	optional,
	(.events[] | lines);

def of_module_that_waits:
	"ident	estat: \(.name) as it may come",
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
	"ident	... large; pmlogger warns of those that it has off",
	"probe	estat.agent.version exists ? available : exclude",
	(.modules[] | select(.on_demand | not) | optional);

"#pmlogconf-setup 2.0",
"# Made by share/pmlogconf.jq, of what the modules say.",
if $file == "agent" then of_agent
elif $file == "state" then of_state
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
