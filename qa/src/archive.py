# SPDX-License-Identifier: GPL-2.0-or-later
"""An archive of PCP that a test makes: metrics and instances are declared with their first value."""
import cpmapi as c
from pcp import pmi


class Archive(pmi.pmiLogImport):
    def __init__(self, path, hostname="host"):
        super().__init__(path)
        self.pmiSetHostname(hostname)
        self.pmiSetTimezone("UTC")
        self.metrics, self.domains, self.instances = set(), {}, {}

    def domain(self, name):
        """The instance domain of a metric: histograms and layouts have one each, others share their series'."""
        series, leaf = name.rsplit(".", 1)
        series = name if leaf in ("latency", "size", "axes") else series
        return self.domains.setdefault(series, self.pmiInDom(400, len(self.domains) + 1))

    def keys(self, name, axes):
        """Tell the axes in the help text, as archives without estat.module.axes do."""
        self.pmiPutText(c.PM_TEXT_INDOM, c.PM_TEXT_HELP, self.domain(name),
                        "Keys of %s: %s" % (name.rsplit(".", 1)[0], axes))

    def put(self, name, instance, value, semantics=c.PM_SEM_COUNTER):
        """A text is discrete; a number is a counter unless `semantics` says otherwise."""
        domain = self.domain(name) if instance else c.PM_INDOM_NULL
        if name not in self.metrics:
            text = isinstance(value, str)
            real = isinstance(value, float)
            self.pmiAddMetric(name, self.pmiID(400, 99, len(self.metrics)),
                              c.PM_TYPE_STRING if text else c.PM_TYPE_DOUBLE if real else c.PM_TYPE_U64,
                              domain, c.PM_SEM_DISCRETE if text else semantics,
                              self.pmiUnits(0, 0, 0 if text else 1, 0, 0, 0))
            self.metrics.add(name)
        known = self.instances.setdefault(domain, set())
        if instance and instance not in known:
            self.pmiAddInstance(domain, instance, len(known))
            known.add(instance)
        self.pmiPutValue(name, instance, str(value))

    def write(self, second, first=1573700310):
        self.pmiWrite(first + second, 0)
