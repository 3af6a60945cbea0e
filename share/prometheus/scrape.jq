# SPDX-License-Identifier: GPL-2.0-or-later
# From the catalog (share/catalog.c): how Prometheus scrapes estat from a host's pmproxy.

# Of a group the histograms as Prometheus has them, what is counted besides, and gauges. Other
# metrics are computed from these.
def prefixes:
	(.metrics[] | select(.kind == "cumulative").name | rtrimstr(".bucket")),
	(.metrics[] | select(.kind == "counter" and .leaf != "latency_sum").name),
	(.metrics[] | select(.kind == "gauge").name);

([.modules[].series[].groups[] | prefixes] | sort) as $names
| "# SPDX-License-Identifier: GPL-2.0-or-later
# How Prometheus scrapes estat: from the pmproxy of each host, whose estat.conf says
# `prometheus = 15` in the section of each module of which there shall be histograms.
scrape_configs:
  - job_name: estat
    scrape_interval: 15s
    # What is not there is left out; but pmproxy fails if it is the last: estat.module always is.
    params:
      names: [\"\\",
($names[] | "        \(.),\\"),
"        estat.agent,\\
        estat.module\"]
    static_configs:
      - targets: [\"localhost:44322\"]
    metric_relabel_configs:
      # pmproxy's own, and what the other labels say, too
      - action: labeldrop
        regex: domainname|groupid|instid|instname|machineid|userid"
