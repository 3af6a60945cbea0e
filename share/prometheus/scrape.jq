# SPDX-License-Identifier: GPL-2.0-or-later
# From the catalog (share/catalog.c): how Prometheus scrapes estat from a host's pmproxy.

# Of a group the histograms as Prometheus has them, what is counted besides, and gauges. Other
# metrics are computed from these.
def prefixes:
	(.metrics[] | select(.kind == "cumulative").name | rtrimstr(".bucket")),
	(.metrics[] | select(.kind == "counter" and .leaf != "latency_sum").name),
	(.metrics[] | select(.kind == "gauge").name);

# pmproxy takes no URL of more than 8 KB, so there are as many jobs as it takes. Rules and alerts put
# metrics of a module together that have all labels in common, the job's name, too: none is in two.
def parts:
	reduce .[] as $names ([[]];
		if .[-1] != [] and (.[-1] + $names | join(",") | length) > 5000
		then . + [$names] else .[-1] += $names end);

# What is not there is left out; but pmproxy fails if it is the last, and these always are.
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
      # pmproxy's own, and what the other labels say, too
      - action: labeldrop
        regex: domainname|groupid|instid|instname|machineid|userid";

# A scrape would have a module attached for good that is so on demand: it is asked for.
([.modules[] | select(.on_demand | not) | [.series[].groups[] | prefixes] | sort] | parts) as $parts
| "# SPDX-License-Identifier: GPL-2.0-or-later
# How Prometheus scrapes estat: from the pmproxy of each host, whose estat.conf says
# `prometheus = 15` in the section of each module of which there shall be histograms.
# What is attached on demand is not asked for, and has to be added.
scrape_configs:",
(range($parts | length) as $n | job($parts[$n]; $n; $n == ($parts | length) - 1))
