# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare what irq and exec count while a command runs with the kernel's own books.

usage: kernel_books.py COMMAND

A book is read before and after a fetch of estat's metric. A line of the book that did not change
between has the value of that moment, and so has the metric. Such a pair is found for each line before
and after the command. The kernel counts an event as it begins, estat as it ends: of several pairs that one
counts in which the fewest events are under way. Prints, for each book, the lines whose growth differs, or that
all are the same.

Where /proc/sys/kernel/init_private is 1 the kernel hides from BPF what happens while PID 1 is current:
estat may lack as many events as PID 1 can have had.
"""
import glob
import os
import re
import subprocess
import sys

import cpmapi
from pcp import pmapi

LEAST, TRIES = 30, 2000


def softirqs():
    """/proc/softirqs: vector, number on all CPUs"""
    with open("/proc/softirqs", encoding="ascii") as book:
        lines = [line.split() for line in book.readlines()[1:]]
    return {line[0].rstrip(":").lower(): sum(map(int, line[1:])) for line in lines}


def interrupts():
    """/proc/interrupts: name of a handler, number on all CPUs"""
    found = {}
    with open("/proc/interrupts", encoding="ascii") as book:
        cpus = len(book.readline().split())
        for line in book:
            fields = line.split()
            if not re.fullmatch(r"\d+:", fields[0]) or len(fields) < cpus + 4:
                continue
            number = sum(map(int, fields[1:cpus + 1]))
            for name in re.split(r"  +", line.strip())[-1].split(", "):
                found[name[:31]] = found.get(name[:31], 0) + number
    return found


def processes():
    """/proc/stat: processes, which include threads"""
    with open("/proc/stat", encoding="ascii") as book:
        return {"processes": int(re.search(r"^processes (\d+)$", book.read(), re.M).group(1))}


def hidden():
    """How many events PID 1 can have had: two for each time that it got a CPU, one for each ms there"""
    most = 0
    if os.path.exists("/proc/sys/kernel/init_private"):
        for name in glob.glob("/proc/1/task/*/schedstat"):
            with open(name, encoding="ascii") as thread:
                run_time, _, times = map(int, thread.read().split())
            most += 2 * times + run_time // 1000000
    return most


class Metrics:
    """The values of metrics of estat, by instance"""

    def __init__(self, *names):
        self.context = pmapi.pmContext(cpmapi.PM_CONTEXT_HOST, "local:")
        self.pmids = self.context.pmLookupName(names)
        self.desc = self.context.pmLookupDesc(self.pmids[0])
        self.names = {}

    def fetch(self):
        """The sum of all metrics, by instance"""
        sums = {}
        found = self.context.pmFetch(self.pmids)
        result = found.contents
        for i in range(result.numpmid):
            for j in range(max(result.get_numval(i), 0)):
                value = result.get_vlist(i, j)
                atom = self.context.pmExtractValue(
                    result.get_valfmt(i), value, cpmapi.PM_TYPE_U64, cpmapi.PM_TYPE_U64)
                sums[value.inst] = sums.get(value.inst, 0) + atom.ull
        self.context.pmFreeResult(found)
        if not all(inst in self.names for inst in sums):
            self.names = dict(zip(*self.context.pmGetInDom(self.desc)))
        return {self.names.get(inst, ""): n for inst, n in sums.items()}


class Counted:
    """A book of the kernel, and the metrics that must grow as the book does"""

    def __init__(self, title, book, name, *names):
        self.title, self.book, self.name = title, book, name
        self.metrics = Metrics(*names)
        self.begin = {}

    def pairs(self):
        """For each line of the book: its value, and estat's at the same time, with the smallest difference"""
        found = {}
        for tries in range(TRIES):
            before = self.book()
            counted = {}
            for instance, n in self.metrics.fetch().items():
                counted[self.name(instance)] = counted.get(self.name(instance), 0) + n
            after = self.book()
            for line, n in before.items():
                pair = (n, counted.get(line, 0))
                if after.get(line) == n and (line not in found or n - pair[1] < found[line][0] - found[line][1]):
                    found[line] = pair
            if tries >= LEAST and len(found) == len(before):
                break
        return found

    def compare(self, unseen):
        """Print how the pairs have grown since the begin, when hidden() was `unseen`"""
        grown = wrong = 0
        pairs = self.pairs()
        unseen = hidden() - unseen
        for line, (known, counted) in sorted(pairs.items()):
            if line not in self.begin:
                continue
            known -= self.begin[line][0]
            counted -= self.begin[line][1]
            print(f"{self.title}: {line} {known} {counted} {unseen}", file=sys.stderr)
            grown += known > 0
            if not 0 <= known - counted <= unseen:
                wrong += 1
                print(f"{self.title}: {line}: the kernel counts {known}, estat {counted}")
        if not wrong:
            print(f"{self.title}: {'all the same' if grown else 'nothing has grown'}")


BOOKS = [
    Counted("softirqs", softirqs, lambda name: name, "estat.irq.softirq.ops"),
    Counted("interrupts", interrupts, lambda name: name, "estat.irq.ops"),
    Counted("processes", processes, lambda name: "processes",
            "estat.exec.forks", "estat.exec.threads"),
]

START = hidden()
for each in BOOKS:
    each.begin = each.pairs()
subprocess.run(sys.argv[1], shell=True, check=True, stdout=sys.stderr)
for each in BOOKS:
    each.compare(START)
