# SPDX-License-Identifier: GPL-2.0-or-later
# pmie's rules about estat's metrics, from the catalog. --arg file names the output: a file of
# pmieconf's group estat, see pmieconf(5), or derived: the derived metrics that the rules evaluate, see
# pmRegisterDerived(3). docs/alerts.md has the reasons for the limits.

def groups_with($leaf):
	.modules[].series[]
	| .axes as $axes
	| .groups[]
	| select(any(.metrics[]; .leaf == $leaf))
	| { name, short: (.name | ltrimstr("estat.")), rank, $axes };

# Groups whose latency is a wait. The life of a process and the time slice of a thread are none.
def waits: groups_with("p99") | select(.short | IN("exec", "runq.slice") | not);

# Layers that know what is under way. Other groups, such as nfs.procedures, have the same operations again.
def gauged: groups_with("oldest") | select(.rank or .short == "txg");

def rule_name: gsub("\\."; "_");

# Groups whose instances are disks and operations; the regular expression names the peers.
def peer_groups:
	{ name: "estat.zio.vdev", short: "zio.vdev", one: "vdev", instances: "" },
	{ name: "estat.backend_io", short: "backend_io", one: "disk",
		instances: "^(sd|hd|vd|xvd|nvme|mmcblk|dasd)[^:]*" };

# For some series only some instances' errors are faults. Not faults are: questions that a device or the
# iSCSI target does not know; SCSI's compare_and_write on other data than it compares; a log of Btrfs
# that cannot be used, because Btrfs then commits.
def faulty: {
	"backend_io": "::(read|write|flush|discard|secure_erase|zone)",
	"iscsi": "::(read|write|discard|flush)",
	"journal.btrfs": "::commit",
	"scsi": "::(read|write|write_verify|verify|write_same|unmap|sync_cache|zone_out)::"
};

# Groups and their counters of what should not happen. Left out are errors that are normal: of NFS's
# procedures and compounds and the client's RPCs, such as looking up a missing file (nfs_failures is about
# the server's own failures); of questions that an NVMe controller does not know; and of metaslab_alloc,
# as ZFS then takes another class of vdevs. nvme.queue repeats the errors of nvme and nvme.admin.
def bad:
	(groups_with("errors")
		| select(.short | IN("nfs.procedures", "nfs.compounds", "nfs_client", "nvme.admin", "nvme.queue",
			"metaslab_alloc.pool") | not)
		| . + { counter: "errors", instances: faulty[.short] }),
	(groups_with("count") | select(.short == "nfs.failures") | . + { counter: "count" }),
	(groups_with("writer_stalls") | . + { counter: "writer_stalls" });

# The values that a rule's variable iops can have: with fewer operations a second the rule ignores an
# instance.
def least_iops: 0, 2, 10, 100;

# pmie joins two metrics by the position of their values, not by instance, and refuses a rule if the
# numbers of values differ while it reads the rule. It has no rate of any instance when an instance is
# new. So a rule is about one derived metric, without a rate.
def derived:
	def metric($name; $expression; $oneline):
		"\($name) = \($expression)",
		"\($name)(oneline) = \($oneline)";
	def percentile($leaf):
		least_iops as $n
		| metric("estat_rules.\(.short).\($leaf).at_\($n)"; "\(.name).\($leaf) * (\(.name).iops >= \($n))";
			"\(.name).\($leaf), or 0 at less than \($n) operations a second");

	(waits | percentile("p99")),
	(peer_groups | percentile("p90")),
	(gauged
		| metric("estat_rules.\(.short).stuck"; "\(.name).oldest * (delta(\(.name).ops) == 0)";
			"\(.name).oldest, or 0 if operations have ended since the previous fetch")),
	(bad
		| metric("estat_rules.\(.short).\(.counter)"; "delta(\(.name).\(.counter))";
			"Growth of \(.name).\(.counter) since the previous fetch"));

def text($value): "\"\($value | tostring | gsub("\""; "\\\""))\"";
def attribute($name; $value): "\t\($name) = \($value)";

# Variables of a rule: pmieconf can modify a variable(), and cannot modify a constant().
def variable($type; $name; $default; $help):
	[
		"\($type)\t\($name)",
		attribute("default"; text($default)),
		attribute("help"; text($help)) + ";",
		""
	];
def constant($name; $value):
	[
		"string\t\($name)",
		attribute("default"; text($value)),
		attribute("modify"; "no"),
		attribute("display"; "no") + ";",
		""
	];

def limit($milliseconds):
	variable("double"; "threshold"; $milliseconds; "The limit, in milliseconds.");
def let_pass($n; $in):
	variable("double"; "threshold"; $n; "The rule ignores so many \($in).");
def per_delta: "in an interval of delta";
def at_least($iops):
	variable("unsigned"; "iops"; $iops;
		"The rule ignores an instance with fewer operations a second, because a
percentile of few operations is just the slowest of them: one of
\([least_iops] | join(", ")).");
def instances($regex):
	variable("string"; "instances"; $regex;
		"Extended regular expression: the rule is about the instances whose
names match. The expression can contain no dollar sign.");
def delta($time):
	variable("string"; "delta"; $time;
		"Interval between evaluations of this rule. An evaluation is about the
interval before it.");

# Input: {name, summary, predicate, help, priority: syslog's, value: the text of an action for an
# instance, variables}.
def rule:
	"rule\testat.\(.name)",
	attribute("summary"; text("$rule$")),
	attribute("enumerate"; "hosts"),
	attribute("predicate"; "\n" + text(.predicate)),
	attribute("enabled"; "no"),
	attribute("version"; "1"),
	attribute("help"; "\n" + text(.help + "\n\nIf this rule is enabled, pmdaestat(1) should be installed."))
		+ ";",
	"",
	(constant("rule"; .summary),
		.variables[],
		constant("syslog_prefix"; "-p daemon.\(.priority)^"),
		constant("action_expand"; "\(.value)@%h"),
		constant("email_expand"; "host: %h \(.value)")
	| .[]);

# PCP gives the text of an action to a shell if user_action, pcplog_action or email_action is on, and
# quotes do not help. So the text has an instance's name only if root, the kernel or ZFS, which allows
# few characters, has chosen the name.
def named_by_root:
	["client", "dataset", "disk", "export", "how", "lun", "op", "pool", "priority", "procedure",
		"result", "stage", "status", "sync", "target", "vdev", "version", "volume"];
def of_instance($value): $value + if .axes - named_by_root == [] then "[%i]" else "" end;

# Limits of p99, by group. Where a member is missing, the default holds: ms 5000, iops 2, all instances.
def limits: {
	"backend_io": { ms: 1000, instances: "::(read|write)" },
	"journal": { instances: "::(locked|flushing|logging|callback)" },
	"metaslab_alloc": { ms: 1000 },
	"metaslab_alloc.pool": { ms: 1000 },
	"nfs.queue": { ms: 1000 },
	"txg": { ms: 30000, iops: 0 },
	"zio": { ms: 1000, instances: "::(read|write)" },
	"zio.vdev": { ms: 1000, instances: "::(read|write)" },
	"zio_queue": { instances: "::sync[rw]" }
};

def p99:
	waits
	| limits[.short] as $limits
	| {
		name: "p99_\(.short | rule_name)",
		summary: "High p99 latency of \(.short)",
		predicate: "some_inst (
    match_inst \"$instances$\" (
	estat_rules.\(.short).p99.at_$iops$ $hosts$ > $threshold$ millisec
    )
)",
		help: "More than one in a hundred of an instance's operations took longer than
the threshold. pminfo -T \(.name).p99 says from which function to
which an operation is timed.",
		priority: "warning",
		value: of_instance("%vsec"),
		variables: [
			limit($limits.ms // 5000),
			at_least($limits.iops // 2),
			instances($limits.instances // "."),
			delta("1 min")
		]
	};

# A disk ends something within 10 s, whatever its load. A sync of a file may take longer.
def stuck:
	gauged
	| {
		name: "stuck_\(.short | rule_name)",
		summary: "Operations of \(.short) hang",
		predicate: "some_inst (
    match_inst \"$instances$\" (
	estat_rules.\(.short).stuck $hosts$ > $threshold$ sec
    )
)",
		help: "An operation of an instance has been under way for longer than the threshold, and
none has ended in delta. estat stuck shows all that hangs. pminfo -T \(.name).oldest
says from which function to which an operation is under way.",
		priority: "err",
		value: of_instance("%vsec"),
		variables: [
			variable("double"; "threshold"; [if .axes - ["disk", "namespace"] == .axes then 30 else 10 end,
				(limits[.short].ms // 0) / 500] | max;
				"The limit, in seconds."),
			instances("."),
			delta("10 sec")
		]
	};

def errors:
	bad
	| select(.counter == "errors")
	| {
		name: "errors_\(.short | rule_name)",
		summary: "Errors in \(.short)",
		predicate: "some_inst (
    match_inst \"$instances$\" (
	estat_rules.\(.short).errors $hosts$ > $threshold$
    )
)",
		help: "Operations of an instance have failed. pminfo -T \(.name).errors
says which operations count as failed.",
		priority: "err",
		value: of_instance("%verrors"),
		variables: [let_pass(0; per_delta), instances(.instances // "."), delta("1 min")]
	};

def peers:
	("read", "write") as $op
	| peer_groups
	| "estat_rules.\(.short).p90.at_$iops$ $hosts$" as $p90
	| {
		name: "peers_\(.short | rule_name)_\($op)",
		summary: "A \(.one) much slower than its peers at \($op)s",
		predicate: "some_inst (
    match_inst \"$instances$\" (
	\($p90) > $threshold$ millisec
    )
) && 100 * (count_inst (
    match_inst \"$instances$\" (
	$factor$ * \($p90) < $threshold$ millisec
    )
) - count_inst (
    match_inst \"$instances$\" (
	\($p90) == 0
    )
)) >= $peers$ * count_inst (
    match_inst \"$instances$\" (
	\($p90) > 0
    )
)",
		help: "One in ten of the \($op)s of a \(.one) took longer than the threshold, while
at least so many percent (peers) of all busy \(.one)s were faster than the
threshold by the factor. If the \(.one)s are of several kinds, set instances to
the \(.one)s of one kind.",
		priority: "warning",
		value: "%vsec[%i]",
		variables: [
			limit(50),
			variable("double"; "factor"; 4; "How many times as fast the others must be."),
			variable("percent"; "peers"; 50; "How many percent of all, the slow one included, must be so fast."),
			at_least(2),
			instances("\(.instances)::\($op)"),
			delta("1 min")
		]
	};

def writers:
	{
		name: "writers_throttled",
		summary: "Writers to a ZFS pool are held up",
		predicate: "some_inst (
    match_inst \"$instances$\" (
	$pct$ %_sample estat.txg.last.max_delay $hosts$ @0..5 > $threshold$ millisec
    )
)",
		help: "ZFS held a writer for longer than the threshold, because too much was dirty,
in pct percent of the last six intervals of delta. Programs write more than
the disks of the pool can take.",
		priority: "warning",
		value: "[%i]",
		variables: [
			limit(500),
			variable("percent"; "pct"; 50; "In how many percent of the last six intervals."),
			instances("."),
			delta("10 sec")
		]
	},
	{
		name: "writers_zil_stalled",
		summary: "Synchronous writers to a ZFS pool had to wait for a txg",
		predicate: "some_inst (
    match_inst \"$instances$\" (
	estat_rules.zil.pool.writer_stalls $hosts$ > $threshold$
    )
)",
		help: "All synchronous writers of a dataset had to wait for the sync of a transaction
group, because ZFS found no log block: the pool is full or fragmented.",
		priority: "warning",
		value: "%vstalls[%i]",
		variables: [let_pass(0; per_delta), instances("."), delta("1 min")]
	};

def nfs_status($name; $summary; $status; $threshold; $priority; $help):
	{
		name: "nfs_\($name)",
		$summary,
		predicate: "some_inst (
    match_inst \"$instances$\" (
	estat_rules.nfs.failures.count $hosts$ > $threshold$
    )
)",
		$help,
		$priority,
		value: "%vreplies[%i]",
		variables: [
			let_pass($threshold; per_delta),
			instances("::[^:]*::(\($status))"),
			delta("1 min")
		]
	};

def nfs:
	nfs_status("failures"; "The NFS server fails its clients";
		"io|nxio|nodev|nospc|rofs|serverfault|resource"; 0; "err";
		"The NFS server told clients that an operation failed for a reason of the server:
its disks, their space, its memory."),
	nfs_status("retries"; "The NFS server lets its clients try again"; "delay"; 600; "warning";
		"The NFS server told clients to try operations again later
(NFS3ERR_JUKEBOX, NFS4ERR_DELAY).");

def lost($name; $threshold; $help):
	{
		$name,
		summary: "estat \($name) events",
		predicate: "some_inst (
    match_inst \"$instances$\" (
	estat.module.\($name) $hosts$ > $threshold$ count/sec
    )
)",
		$help,
		priority: "warning",
		value: "%v/sec[%i]",
		variables: [let_pass($threshold; "a second"), instances("."), delta("1 min")]
	};

def failed:
	{
		name: "failed",
		summary: "A module of estat has failed",
		predicate: "some_inst (
    match_inst \"$instances$\" (
	estat.module.failed $hosts$ > 0
    )
)",
		help: "A module of estat does not run. estat.module.error says why.",
		priority: "err",
		value: "[%i]",
		variables: [instances("."), delta("1 min")]
	};

def agent:
	failed,
	lost("missed"; 1; "A module of estat did not count some events, so its counts are too low. (When
its probes change, a module misses a few.)"),
	lost("dropped"; 0; "A module of estat had no room for a key, so its counts are too low. Set a
higher number of keys in estat.conf.");

# No rules for modules on demand: a rule's fetches would keep them attached.
.modules |= map(select(.on_demand | not)) |
if $file == "derived" then
	"# Derived metrics for the rules of pmieconf's group estat, made from its modules",
	"",
	derived
else
	"#pmieconf-rules 1",
	"# Made from estat's modules",
	"",
	({ p99: [p99], stuck: [stuck], errors: [errors], peers: [peers], writers: [writers], nfs: [nfs], agent: [agent] }[$file][]
		| rule)
end
