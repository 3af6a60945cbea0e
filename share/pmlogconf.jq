# SPDX-License-Identifier: GPL-2.0-or-later
# pmlogconf's groups, see pmlogconf(1), of a catalog (share/catalog.c): what a recording has of
# estat. jq -r --arg group estat | estat-histograms -f pmlogconf.jq catalog.json
#
# A value takes 20 bytes of an archive each time, and a metric that has none takes 8. So what
# follows from what is there is not recorded: rates, and averages. What only the histograms of
# all keys make complete is in a group with those, off until asked for.

def leaves: {
	# how the agent and its modules were: clients leave out what runs across a restart
	agent: ["version", "start"],
	module: ["status", "error", "missed", "dropped", "start", "attached"],
	layer: ["rank", "ops", "errors", "bytes", "avg_latency", "p50", "p99", "max"],
	# over all keys; by key of a series, and of what it measures besides
	total: ["p50", "p99", "max"],
	own: ["p50", "p99", "max"],
	further: ["p99"]
};

def has_leaf($of): .leaf | IN(leaves[$of][]);
def is_histogram: .kind == "histogram";
def is_counter: .kind == "counter" or .kind == "gauge";
def is_common_counter: .leaf | IN("ops", "errors", "bytes", "latency_sum");
def lines: "\t\(.name)";

# Of what is the agent's own: estat.BRANCH.*
def of_agent($branch): select(.name | startswith("estat.\($branch).")) | select(has_leaf($branch));

# Of a series by default? $own: it is of the series itself.
def is_default($own):
	if .total then is_counter or is_histogram or has_leaf("total")
	elif $own then is_counter or has_leaf("own")
	else is_counter and (is_common_counter | not) or has_leaf("further") end;

# And else, when all is asked for?
def is_further:
	is_counter or is_histogram or .kind == "sumsq" or .kind == "percentile" or .kind == "highest";

# Those of the modules for which this holds of [is_default, is_further].
def of_modules(condition):
	.modules[].series[] | .name as $series |
	.groups[] | (.name == $series) as $own |
	.metrics[] | is_default($own) as $default | select([$default, is_further] | condition);

"#pmlogconf-setup 2.0",
"# Made by share/pmlogconf.jq, of what the modules say.",
if $group == "estat" then
	"ident	estat: where storage time goes, by layer, in all and by key",
	"ident	... counters and percentiles, and the histograms over all keys",
	"probe	estat.agent.version exists ? include : exclude",
	(.metrics[] | of_agent("agent", "module", "layer") | lines),
	(of_modules(.[0]) | lines)
else
	"ident	estat: the histograms of each key, for heat maps and percentiles of any time",
	"ident	... of latency and size; large, see docs/archives.md",
	"probe	estat.agent.version exists ? available : exclude",
	(of_modules((.[0] | not) and .[1]) | lines)
end
