# SPDX-License-Identifier: GPL-2.0-or-later
# From the catalog (share/catalog.c): how Prometheus scrapes estat from a host's pmproxy.

# Of a group: the histograms as Prometheus has them, the other counters, and gauges. Prometheus computes
# the other metrics from these.
def prefixes:
	(.metrics[] | select(.kind == "cumulative").name | rtrimstr(".bucket")),
	(.metrics[] | select(.kind == "counter" and .leaf != "latency_sum").name),
	(.metrics[] | select(.kind == "gauge").name);

# pmproxy refuses a URL of more than 8 KB, so there are several jobs. A module is in one job, because rules
# and alerts join metrics of a module by all labels, also by the job's name.
def parts:
	reduce .[] as $names ([[]];
		if .[-1] != [] and (.[-1] + $names | join(",") | length) > 5000
		then . + [$names] else .[-1] += $names end);

# pmproxy leaves out a metric that does not exist, but fails if the last metric does not exist. So the last
# name of a job is one that always exists.
def job($part; $n; $last):
"  - job_name: estat\(if $n > 0 then "-\($n + 1)" else "" end)
    scrape_interval: 15s
    params:
      names: [\"\\",
($part[] | "        \(.),\\"),
"        \(if $last then "estat.module" else "estat.agent" end)\"]
    static_configs:
      - targets: [\"localhost:44322\"]
    metric_relabel_configs:
      # drop pmproxy's own labels, and labels that repeat other labels
      - action: labeldrop
        regex: domainname|groupid|instid|instname|machineid|userid";

# Modules on demand are left out: scrapes would keep them attached.
([.modules[] | select(.on_demand | not) | [.series[].groups[] | prefixes] | sort] | parts) as $parts
| "# SPDX-License-Identifier: GPL-2.0-or-later
# How Prometheus scrapes estat: from the pmproxy of each host. A module exports histograms if the host's
# estat.conf has `prometheus = 15` in the module's section. Modules that are attached on demand are left
# out; add their metrics to the names of a job.
scrape_configs:",
(range($parts | length) as $n | job($parts[$n]; $n; $n == ($parts | length) - 1))
