# SPDX-License-Identifier: GPL-2.0-or-later
"""
An agent in place of estat's, of two layers: pools, whose vdevs are called as the arguments, and
disks, $DISKS or null and zero. Each counts 10 operations a second. Beside them, two containers.
"""
import os
import sys
import time

import cpmapi as c
from pcp.pmapi import pmUnits
from pcp.pmda import PMDA, pmdaIndom, pmdaInstid, pmdaMetric

ranks = {"pool": 400, "disk": 520}
above = {"pool": "", "disk": "pool"}
keys = {
    "pool": ("pool::op", ["tank::write"]),
    "pool.vdev": ("pool::vdev::op", ["tank::%s::write" % vdev for vdev in sys.argv[1:]]),
    "disk": ("disk::op", ["%s::write" % disk for disk in os.environ.get("DISKS", "null zero").split()]),
}
pmda = PMDA("estat", 400)
names = {}
seconds = 0.0  # the time of a fetch: of all its values, however long that takes


def begin_fetch():
    global seconds
    seconds = time.monotonic()


def add(item, name, kind, indom, semantics, units):
    names[item] = name
    metric = pmdaMetric(pmda.pmid(0, item), kind, indom, semantics, units)
    pmda.add_metric(name if indom == containers else "estat." + name, metric)


def fetch(cluster, item, inst):
    leaf = names[item].rsplit(".", 1)[1]
    if leaf == "version":
        return ["0", 1]
    if leaf in ("rank", "above"):
        layer = list(ranks)[inst]
        return [(ranks if leaf == "rank" else above)[layer], 1]
    if leaf == "name":
        return [["shop-web", "shop-database"][inst], 1]
    return [int(10 * seconds if leaf == "ops" else (1e7 - 1e5 * inst) * seconds), 1]


def add_domain(serial, instances, text):
    indom = pmda.indom(serial)
    pmda.add_indom(pmdaIndom(indom, [pmdaInstid(number, name) for number, name in enumerate(instances)]), text, text)
    return indom


none = pmUnits(0, 0, 0, 0, 0, 0)
layers = add_domain(0, ranks, "Layers")
containers = add_domain(9, ["%064x" % 1, "%064x" % 2], "Containers")
add(0, "layer.rank", c.PM_TYPE_U32, layers, c.PM_SEM_DISCRETE, none)
add(1, "layer.above", c.PM_TYPE_STRING, layers, c.PM_SEM_DISCRETE, none)
add(2, "agent.version", c.PM_TYPE_STRING, c.PM_INDOM_NULL, c.PM_SEM_DISCRETE, none)
for serial, (name, (axes, instances)) in enumerate(keys.items(), 1):
    indom = add_domain(serial, instances, "Keys of estat.%s: %s" % (name, axes))
    for item, leaf in enumerate(("ops", "latency_sum")):
        add(10 * serial + item, "%s.%s" % (name, leaf), c.PM_TYPE_U64, indom, c.PM_SEM_COUNTER,
            pmUnits(0, 0, 1, 0, 0, 0))
add(3, "containers.name", c.PM_TYPE_STRING, containers, c.PM_SEM_DISCRETE, none)
pmda.set_fetch(begin_fetch)
pmda.set_fetch_callback(fetch)
pmda.run()
