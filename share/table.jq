# SPDX-License-Identifier: GPL-2.0-or-later
# Writes docs/metrics.md from a catalog (catalog.c): tables of all metrics whose numbers never change,
# those of modules with a fixed cluster.
def row: "| " + join(" | ") + " |";
def table($head): ([$head, ($head | map("---"))] + .) | map(row) | join("\n");
def code: "`\(.)`";
def unit: if . == "" then "none" else . end;

# A group's metrics by key. The metrics over all keys differ only in name and number.
def leaves: [.metrics[] | select(.total | not)];
def names: leaves | map(.leaf);
def span: map(split(".")[1] | tonumber) | "\(min) to \(max)";

[.modules[] | select(.cluster > 0)] as $modules |
[$modules[].series[].groups[]] as $groups |
# the metrics that every group with a latency histogram has
([$groups[] | names | select(index("latency"))] |
	reduce .[] as $names (.[0]; . - (. - $names))) as $common |

"<!-- SPDX-License-Identifier: GPL-2.0-or-later -->
# Which metrics does estat export?

A module M exports `estat.M.*` with a value for each key, and `estat.M.total.*` over all keys. A further
series S of the module is `estat.M.S.*`. The agent exports `estat.module.*` (the state of each module),
`estat.agent.*`, `estat.layer.*` (the totals of the layers, from the top of the stack to the bottom) and
`estat.device.*` (the graph of devices: what stands on what).

`make docs` writes this page from the modules by `share/table.jq`; `make` fails if the page differs.
`pminfo -T METRIC` prints a metric's help text. [collectors.md](collectors.md) says what each module
measures. PMIDs are 400.CLUSTER.ITEM; `qa/numbers` lists each of them.

## How to read them

**Keys.** A key is a value on each axis of the series. An instance is a key, joined by `::`, as
`vda::write`. A blank in a value is `\\040` in the instance's name, because PCP's programs end the name at a
blank; labels have the blank. Each axis is also an instance label (`disk=\"vda\"`, `op=\"write\"`). Further labels:
`device_name`, a disk's name in `/dev/mapper` or `/dev/md`; `unit`, `container` and `vm` of a cgroup, and
`includes`, whose I/O the kernel charges to the cgroup besides its own; `le`, the upper bound of a bucket.

**Numbers.** Metric and instance numbers stay the same across restarts and versions, so an archive runs
across both.

**Histograms.** A histogram is a counter for each bucket:

    # pminfo -f estat.backend_io.latency
        inst [14 or \"vda::write::50-60\"] value 4
        inst [15 or \"vda::write::60-70\"] value 170

170 writes took 60 µs or more and less than 70 µs. Latency buckets are in microseconds, nine to a decade;
the last is `10000000-inf`. Size buckets are in bytes, powers of two. The instances run from the lowest to
the highest bucket that was ever hit. The operation that adds a bucket is not in that bucket's rate, as
the bucket had no value before. `all_buckets = on` in estat.conf(5) gives a key all buckets at once.

**Intervals.** `iops`, `throughput`, `avg_latency`, `stddev`, `p50` to `p999` and `max` are over the
interval from the same client's previous fetch of the metric to this fetch. So a client that fetches each
second and a client that fetches each minute both get their own interval. A client's first fetch covers
the last half to one minute, or the time since the module started if that is shorter. An interval
without an operation has no latency: `pmrep` prints N/A.

**Percentiles.** p99 is the latency that 99% of the interval's operations did not exceed; `max` is the
highest. The agent counts latency in thirty buckets to a decade; an exported bucket is a sum of those. From
1 µs to 10 s each of the thirty is at most 11.2% wide, and percentiles, which are computed from the thirty,
are within 11.2% of the true percentile, typically 0.6%. In the test `test_percentile.c` they are within 6%
in a thousand loads of each kind (lognormal, bimodal, uniform, Pareto). `latency_fine = on` exports the
thirty as `estat.M.latency_fine`; `estat` uses them, so percentiles of any time in such an archive are as
good as live ones. All latencies above 10 s are in one bucket: there `max` is the highest that was ever
counted, or, if less, what the sum of the interval's latencies leaves to one operation.

**Off unless configured.** `latency_by_size` (a latency histogram for each size), `latency_fine`, and
`latency_seconds.*`, the histogram as Prometheus has it: [prometheus.md](prometheus.md).

**Sums.** `latency_sum` and `latency_sumsq` give the average and deviation over any time.

**Under way.** `inflight` is the number of operations under way at the fetch, `oldest` the age of the oldest.
`oldest_op` is what the layer knows of the oldest beside its key, as words: `sector=2048 bytes=65536`,
`pid=71 command=dd file=log cgroup=/a`, or, of a commit or txg, `transaction=7`. The rate of the counter `inflight_time` is the mean number under way. iostat's `aqu-sz` is that of
`backend_io` plus that of `backend_io.queue`: `aqu-sz` has the requests in the scheduler, too.
`txg` counts only a txg that syncs, as each pool always has an open one. `zio.flush` has no gauges, as ZFS
keeps no list of flushes; `bio` counts those that disks have.
A call by a thread (`vfs`, `zpl`, `zil`, `zvol`) that takes longer than a second counts only while the
thread waits: the kernel may have skipped the BPF program at the call's end.

**Events.** `estat.M.events` has event records for pmevent(1); `estat.M.event.*` are their parameters.
`estat.M.last.*` are the last 64 records of another kind, for clients that get no event records, such as Grafana. An
instance is a place: a new record takes that of the oldest one. `age` is the time since the record.

## Groups

A row is a group of metrics: `NAME.METRIC` by key and `NAME.total.METRIC` over all keys. A gauge, as in
`estat.txg.last`, and `oldest_op` have no total; `inflight` and `oldest` have one. *common*: \($common | map(code) | join(", ")).

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

## Last records

\([$modules[].last[]] | map([(.name | code), .pmid, .type, .semantics, (.units | unit), .oneline]) |
	table(["metric", "number", "type", "semantics", "units", "what it is"]))

## The agent's

`estat.module.*` has an instance for each module, `estat.layer.*` for each layer. Devices that stand on one
another, such as a loop device and the disk with its file, each count in `estat.layer.*` and in `total`;
`estat.layer.twice` has the upper ones. `estat` itself counts an operation once, see
[The layers](archives.md#the-layers).

\(.metrics | map([(.name | code), .pmid, .type, .semantics, (.units | unit), .oneline]) |
	table(["metric", "number", "type", "semantics", "units", "what it is"]))"
