# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare what estat prints as tables with its documents of the same intervals.

usage: as_json.py TABLES DOCUMENTS
Each interval of the file TABLES must have the begin, the measured time, the histograms, the rows in
their order, and the total of a line of DOCUMENTS (estat --json), and nothing else. Prints the
headers of the tables, lines that are in none, and what differs, or "as the documents".
"""
import contextlib
import io
import json
import re
import sys
import time

FIELDS = {"iops(/s)": "iops", "ops/s": "iops", "avg latency(us)": "avg_latency", "avg us": "avg_latency",
          "stddev(us)": "stddev", "stddev": "stddev", "throughput(k/s)": "throughput", "k/s": "throughput",
          "err": "errors", "errors": "errors"}
BYTES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def number(word):
    """4K as bytes"""
    match = re.fullmatch(r"([0-9]+)([KMG]?)", word)
    return int(match[1]) * BYTES[match[2]]


def read_tables(lines):
    """A list of intervals: begin, histograms by unit and title, rows by name, measured time; the
    headers of the tables; and the lines that belong to no table."""
    intervals, headers, unknown = [], [], []
    histogram = columns = None
    for line in lines:
        if re.fullmatch(r"../../.. - ..:..:.. UTC", line):
            intervals.append((line, {}, {}, []))
        elif match := re.fullmatch(r"   (microseconds|bytes)  +(.*)", line):
            histogram = intervals[-1][1].setdefault((match[1], match[2]), [])
        elif match := re.match(r" Measured ([0-9.]+) s of ([0-9.]+) s", line):
            intervals[-1][3].extend(map(float, match.groups()))
        elif match := re.fullmatch(r"\[(\w+), (\w+)\) +(\d+) \|@*", line):
            histogram.append([number(match[1]), number(match[2]), int(match[3])])
        elif re.fullmatch(r" {10,}(?=.*\bops$).*", line):
            headers += [line] if line not in headers else []
            names = re.findall(r"avg latency\(us\)|avg us|[^ ]+", line)
            columns = [FIELDS.get(name, name) for name in names]
        elif line.startswith(" ") and columns:
            words = line.split()
            name, cells = words[:-len(columns)], words[-len(columns):]
            while name and len(columns) > len(cells):
                cells.insert(0, name.pop())
            intervals[-1][2][" ".join(name)] = dict(zip(columns, cells))
        elif line and not line.startswith("value range "):
            unknown.append(line)
    # Where an archive ends, the next interval may have begun.
    return intervals[:-1] if intervals and not intervals[-1][2] else intervals, headers, unknown


def size_name(low, high):
    """[4K, 8K) of bytes"""
    def name(n):
        return next(f"{n // unit}{letter}" for letter, unit in reversed(BYTES.items()) if n >= unit or not letter)
    return f"[{name(low)}, {name(high)})"


def read_document(document):
    """The same of a document, whose values are not rounded; histograms of sizes or not are both possible."""
    histograms, rows = {}, {}
    total = [dict(document["total"], name="total", axis="")] if "total" in document else []
    for row in document["rows"] + total:
        name = ", ".join(filter(None, (row["name"], row["axis"])))
        rows[name] = row
        if name == "total":
            continue
        for unit, field in ("microseconds", "latency"), ("bytes", "size"):
            if row.get(field):
                histograms[unit, name] = row[field]
        for part in row.get("latency_by_size", []):
            low = part["size"]
            histograms["microseconds", f"{size_name(low, max(2 * low, 1))}, {name}"] = part["latency"]
    return histograms, rows


def clock(seconds):
    """As the tables have it"""
    return time.strftime("%m/%d/%y - %H:%M:%S UTC", time.gmtime(seconds))


def fits(cell, value):
    """Is the cell the value, rounded?"""
    if value is None or cell == "-":
        return value is None and cell == "-"
    return abs(float(cell) - value) <= (0.00501 if "." in cell else 0.501)


def compare(interval, document, last_end):
    """Print what differs. A gap may be before the interval, in the tables or in the document."""
    when, histograms, rows, measured = interval
    all_histograms, all_rows = read_document(document)
    if when not in (clock(document["begin"]), clock(last_end)):
        print(f"{when}: the document begins at {clock(document['begin'])}")
    known = [document["seconds"], document["seconds"] + document["left_out"]] if measured else []
    if any(abs(shown - seconds) > 0.0501 for shown, seconds in zip(measured, known)):
        print(f"{when}: measured {measured} s, {known} in the document")
    for key in sorted(set(histograms) | set(all_histograms)):
        if histograms.get(key) != all_histograms.get(key):
            print(f"{when}: {key}: {histograms.get(key)} is {all_histograms.get(key)} in the document")
    if list(rows) != list(all_rows):
        print(f"{when}: rows {list(rows)}, in the document {list(all_rows)}")
    for name in set(rows) & set(all_rows):
        for field, cell in rows[name].items():
            if not fits(cell, all_rows[name][field]):
                print(f"{when}: {name}: {field} {cell} is {all_rows[name][field]} in the document")



with open(sys.argv[1]) as tables, open(sys.argv[2]) as documents:
    shown, table_headers, others = read_tables(tables.read().split("\n"))
    known = [json.loads(line) for line in documents]
differs = io.StringIO()
with contextlib.redirect_stdout(differs):
    if not shown or len(shown) != len(known):
        print(f"{len(shown)} intervals, {len(known)} documents")
    end = 0
    for pair in zip(shown, known):
        compare(*pair, end)
        end = pair[1]["end"]
print(*table_headers, sep="\n")
print(*(f"in no table: {line}" for line in others), sep="\n", end="\n" if others else "")
print(differs.getvalue().strip() or "as the documents")
