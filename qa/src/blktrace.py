# SPDX-License-Identifier: GPL-2.0-or-later
"""
Compare what trace and blktrace have of disks' bios.

	blktrace.py FOLDER DISK...

FOLDER has blktrace's files, and the file journeys with lines of `estat trace --json`. Both have times of CLOCK_MONOTONIC, which blkparse
does not print; struct blk_io_trace is in include/uapi/linux/blktrace_api.h. What explains a difference goes to the standard error.
"""
import glob
import json
import statistics
import struct
import sys

HEADER = struct.Struct("=IIQQIIIIIHH")
NOTIFY = 1 << 10
QUEUE, BACK_MERGE, FRONT_MERGE, ISSUE, COMPLETE, INSERT, SPLIT = 1, 2, 3, 7, 8, 12, 13
OF_REQUEST = {INSERT: "I", ISSUE: "D", COMPLETE: "C"}
LIMIT = 2000
INTERRUPT = 200000  # three of a hundred events can meet an interrupt between the two looks at the clock


def events(path):
    """yield TIME ACTION SECTOR BYTES"""
    with open(path, "rb") as file:
        while head := file.read(HEADER.size):
            _, _, time, sector, size, action, *_, more = HEADER.unpack(head)
            file.read(more)
            if not action >> 16 & NOTIFY:
                yield time, action & 255, sector, size


def by_blktrace(prefix):
    """the bios: SECTOR, BYTES and times by their letters"""
    bios = []
    paths = glob.glob(prefix + ".blktrace.*")
    for time, action, sector, size in sorted(e for path in paths for e in events(path)):
        end = sector + size // 512
        if action == QUEUE:
            bios.append({"sector": sector, "bytes": size, "Q": time, "kind": "single"})
            continue
        for bio in [bio for bio in bios if "C" not in bio and sector <= bio["sector"] < end]:
            if action in OF_REQUEST:
                bio.setdefault(OF_REQUEST[action], time)
            elif action in (BACK_MERGE, FRONT_MERGE):
                bio["kind"] = "merged"
            elif action == SPLIT and bio["bytes"] > size:
                bios.append({**bio, "bytes": size, "kind": "split"})
                bio.update(sector=end, bytes=bio["bytes"] - size, kind="split")
    return bios


def by_trace(path):
    """the same by the journeys, each bio once for each journey"""
    with open(path) as file:
        for journey in map(json.loads, file):
            stages = journey["stages"]
            for whole in stages:
                if whole["stage"] != "bio":
                    continue
                since = {s["stage"]: s["since"] for s in stages if s["span"] == whole["span"]}
                times = {"Q": whole["since"], "C": whole["since"] + whole["time"]}
                times.update({letter: since[stage] for letter, stage in (("I", "scheduler"), ("D", "driver")) if stage in since})
                bio = {letter: stages[0]["began"] + time for letter, time in times.items()}
                yield {**bio, "disk": whole["device"], "sector": whole["offset"] // 512, "bytes": whole["bytes"]}


def compare(theirs, ours):
    """of each letter, by how many ns the times differ"""
    differences = {letter: [] for letter in "QIDC"}
    unseen = {id(bio) for bio in theirs}
    for bio in ours:
        print(bio, file=sys.stderr)
        same = [their for their in theirs if all(their[field] == bio[field] for field in ("sector", "bytes"))]
        if not same:
            print("not in blktrace:", bio)
            continue
        their = min(same, key=lambda their: abs(their["Q"] - bio["Q"]))
        unseen.discard(id(their))
        for letter, values in differences.items():
            if (letter in bio) != (letter in their):
                print("only one has", letter, "of", bio, their)
            elif letter in bio:
                values.append(bio[letter] - their[letter])
    for bio in theirs:
        if id(bio) in unseen:
            print("only in blktrace:", bio)
    return differences


ours = list(by_trace(sys.argv[1] + "/journeys"))
for disk in sys.argv[2:]:
    print("-", disk)
    theirs = by_blktrace(sys.argv[1] + "/" + disk)
    differences = compare(theirs, [bio for bio in ours if bio["disk"] == disk])
    for kind in "single", "merged", "split":
        if n := sum(bio["kind"] == kind for bio in theirs):
            print(kind, "bios:", n)
    near = ""
    for letter, values in differences.items():
        if not values:
            continue
        largest = max(values, key=abs)
        text = f"{letter}: median {statistics.median(values):.0f} ns, largest {largest} ns"
        print(disk, len(values), text, file=sys.stderr)
        met = max(1, len(values) * 3 // 100)
        if abs(largest) < INTERRUPT and sum(abs(value) > LIMIT for value in values) <= met:
            near += letter
        else:
            print("far from blktrace:", text)
    print(near, "within 2 us")
