# SPDX-License-Identifier: GPL-2.0-or-later
"""An archive of PCP that a test makes: metrics and instances are declared with their first value."""
import ctypes
import struct

import cpmapi as c
from pcp import pmi


class Archive(pmi.pmiLogImport):
    def __init__(self, path, hostname="host"):
        super().__init__(path)
        self.pmiSetHostname(hostname)
        self.pmiSetTimezone("UTC")
        self.metrics, self.domains, self.instances = set(), {}, {}
        self.numbers, self.copies = {}, []

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
        for name in self.numbers:  # a metric without a value has no descriptor in the archive
            if ".event." in name:
                self.pmiPutValue(name, None, "0")
        self.pmiWrite(first + second, 0)

    def events(self, name, records, second, first=1573700310):
        """Write the event records NAME.events at once. A record is a dict of the parameters, texts and numbers."""
        packed = b""
        for record in records:
            packed += struct.pack("=IIII", first + second, 0, c.PM_EVENT_FLAG_POINT, len(record))
            for leaf, value in record.items():
                text = isinstance(value, str)
                kind = c.PM_TYPE_STRING if text else c.PM_TYPE_U64
                data = value.encode() if text else struct.pack("=Q", value)
                packed += struct.pack("=I", self.number(name + ".event." + leaf, kind))
                packed += struct.pack("=I", kind << 24 | 4 + len(data)) + data + bytes(-len(data) % 4)
        number = self.number(name + ".events", c.PM_TYPE_STRING)
        block = struct.pack("=Ii", c.PM_TYPE_EVENT << 24 | 8 + len(packed), len(records)) + packed
        # struct pmValueSet and struct pmResult, which have pointers
        values = struct.pack("=IiiiiiQ", number, 1, 1, 0, -1, 0, self.address(block))
        result = struct.pack("=qqiiQ", first + second, 0, 1, 0, self.address(values))
        self.put_result(ctypes.c_void_p(self.address(result)))

    def end_with_events(self, name):
        """Write the archive. libpcp_import refuses the type of event records, so set the type of NAME.events in the file."""
        number = self.numbers[name + ".events"]
        path = self.path + b".meta"
        self.pmiEnd()
        with open(path, "rb") as f:
            meta = f.read()
        with open(path, "wb") as f:
            f.write(meta.replace(struct.pack(">II", number, c.PM_TYPE_STRING), struct.pack(">II", number, c.PM_TYPE_EVENT)))

    def number(self, name, kind):
        """The number of the metric, which is declared if it is not yet."""
        if name not in self.numbers:
            self.numbers[name] = self.pmiID(400, 98, len(self.numbers))
            self.pmiAddMetric(name, self.numbers[name], kind, c.PM_INDOM_NULL, c.PM_SEM_INSTANT,
                              self.pmiUnits(0, 0, 0, 0, 0, 0))
        return self.numbers[name]

    def address(self, data):
        """Where a copy of the bytes is, as long as the archive."""
        self.copies.append(ctypes.create_string_buffer(data, len(data)))
        return ctypes.addressof(self.copies[-1])
