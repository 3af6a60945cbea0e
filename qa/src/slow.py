# SPDX-License-Identifier: GPL-2.0-or-later
"""
Compare what estat's agent and command have of a slow disk's writes with what fio has, in
the files of the folder that is given, for test 213. No limit here is a matter of speed: an
I/O of the disk's lies within what fio sees of it, and is held up at least as long as
the test did; how much further off a number can be follows from the sum of the differences.
"""
import json
import math
import sys

HELD = [130000] * 90 + [630000] * 10  # microseconds

folder = sys.argv[1]
with open(folder + "/fio.json") as file:
    jobs = [job["write"]["lat_ns"] for job in json.load(file)["jobs"]]
with open(folder + "/out") as file:
    command = json.load(file)
log = []
for name in "slow_lat.1.log", "slower_lat.2.log":
    with open(folder + "/" + name) as file:
        log += [[int(word) for word in line.split(",")] for line in file]
metrics, by_size = {}, {}
with open(folder + "/values") as file:
    for line in file:
        name, instance, value = line.split()
        if name == "latency_by_size":
            size, bucket = instance.split("::")
            by_size[size.split("-")[0], int(bucket.split("-")[0])] = int(value)
        else:
            metrics[name] = float(value)

# Both jobs of fio as one, in microseconds: fio's deviations have n - 1 below the line.
n = sum(job["N"] for job in jobs)
total = sum(job["N"] * job["mean"] for job in jobs) / 1000
squares = sum((job["N"] - 1) * job["stddev"] ** 2 + job["N"] * job["mean"] ** 2 for job in jobs)
deviation = math.sqrt(squares / 1e6 / n - (total / n) ** 2)
longest = max(job["max"] for job in jobs) / 1000
latencies = sorted(entry[1] / 1000 for entry in log)


def expect(what, low, value, high):
    if not low <= value <= high:
        print(f"{what} is {value}, not from {low} to {high}")
        sys.exit(1)


def bucket(us):
    """The lower and upper bound of the bucket that it is in"""
    decade = 10 ** (len(str(int(us))) - 1)
    return us // decade * decade, (us // decade + 1) * decade


def check(whose, v):
    """Numbers in microseconds"""
    off = total - v["sum"]
    expect(whose + "operations", n, v["ops"], n)
    expect(whose + "sum", sum(HELD), v["sum"], total + 1)
    expect(whose + "average", v["sum"] / n - 1e-2, v["avg_latency"], v["sum"] / n + 1e-2)
    expect(whose + "deviation", deviation - off / math.sqrt(n) - 1, v["stddev"],
           deviation + off / math.sqrt(n) + 1)
    for name, rank in ("p50", 50), ("p90", 90), ("p99", 99), ("p999", 100):
        expect(whose + name, bucket(HELD[rank - 1])[0], v[name], bucket(latencies[rank - 1])[1])


metrics["sum"] = metrics["latency_sum"] / 1000
check("metrics: ", metrics)
expect("sum with the queue", metrics["sum"], metrics["sum"] + metrics["queue.latency_sum"] / 1000,
       total + 1)
expect("maximum", max(HELD[-1], longest - (total - metrics["sum"])), metrics["max"], longest)

row = [r for r in command["rows"] if r["name"] == "write"][0]
row["sum"] = row["avg_latency"] * row["ops"]
check("command: ", row)
expect("command: maximum", bucket(HELD[-1])[0], row["max"], bucket(longest)[1])

# The log has latency and size of each I/O, in the order of their completion.
for size in 4096, 16384, 65536:
    logged = [entry[1] / 1000 for entry in log if entry[3] == size]
    held = [HELD[i] for i, entry in enumerate(log) if entry[3] == size]
    of_command = {low: count for s in row["latency_by_size"] if s["size"] == size
                  for low, high, count in s["latency"]} if "latency_by_size" in row else {}
    for whose, counts in (("metrics", {low: count for (s, low), count in by_size.items()
                                       if s == str(size)}), ("command", of_command)):
        for edge in (0, 100000, 600000, 1000000):
            count = sum(count for low, count in counts.items() if low >= edge)
            expect(f"{whose}: writes of {size} bytes from {edge} us",
                   sum(1 for us in held if us >= edge), count,
                   sum(1 for us in logged if us >= edge))
