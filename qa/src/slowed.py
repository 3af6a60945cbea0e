# SPDX-License-Identifier: GPL-2.0-or-later
"""
Which stages of trace's operations are longer where something has been slowed, and are they as long as the threads waited?

	slowed.py JOURNEYS TRACE <<-End
	WHAT BEFORE AFTER OP STATE [NS]
	...
	End

JOURNEYS has lines of `estat trace --json`, TRACE is Linux's trace of sched_switch and sched_waking with the clock mono. WHAT has slowed
the operations OP on the file AFTER, but not those on BEFORE. STATE is off, for the time that an operation's thread waited on no CPU,
or ready, for the part of this time since the thread was woken. NS is how much longer an operation should take; of operations that are
ready, how much longer one should take at least. What is of data in the page cache does not count. What explains a difference goes to
the standard error.
"""
import collections
import json
import re
import statistics
import sys

LINE = re.compile(r" (\d+)\.(\d{6}): (sched_switch|sched_waking): .*?pid=(\d+)(?:.*prev_state=(\S+) .*next_pid=(\d+))?")


OTHERS = 1000000  # more than other threads and interrupts take the CPU from an operation's thread


def is_close(a, b, waits=1):
    return abs(a - b) <= max(20000 * waits, 0.05 * b)


def parts(journey):
    """
    a dictionary STAGE of DISK: NS of the stages that have no parts. What an operation without bios does before, between and after
    its waits is one stage, as it is without waits.
    """
    stages = journey["stages"]
    whole = {s["span"] for s in stages} - {s["span"] for s in stages if s["part"]}
    cached = {s["span"] for s in stages if s["stage"] == "cache"}
    bios = any(s["stage"] == "bio" and s["parent"] not in cached for s in stages)
    sums = collections.Counter()
    for s in stages:
        if s["span"] in cached or s["parent"] in cached or (not s["part"] and s["span"] not in whole):
            continue
        stage = s["stage"]
        if not bios and stage in ("operation", "prepare", "between", "finish"):
            stage = "the rest"
        sums[stage + " of " + re.sub(r"-?\d+$", "", s["device"])] += s["time"]
    return sums


def read_waits(path):
    """a dictionary PID: list of (OUT, WOKEN, IN) in ns"""
    found, out, woken = collections.defaultdict(list), {}, {}
    with open(path) as file:
        for line in file:
            if not (match := LINE.search(line)):
                continue
            seconds, micro, event, pid, state, following = match.groups()
            now = int(seconds + micro) * 1000
            if event == "sched_waking":
                woken.setdefault(pid, now)
                continue
            out[pid] = now
            woken.pop(pid, None)
            if state.startswith("R"):
                woken[pid] = now
            if following in out:
                found[int(following)].append((out.pop(following), woken.pop(following, now), now))
    return found


def median(times, key):
    return statistics.median(time[key] for time in times)


def compare(before, after, state, should):
    before_parts, after_parts = [parts(journey) for journey in before], [parts(journey) for journey in after]
    old, more, longer = {}, {}, []
    pauses = max(sum(s["stage"] == "throttled" and not s["part"] for s in journey["stages"]) for journey in after)
    for key in sorted(set().union(*before_parts, *after_parts)):
        old[key], new = median(before_parts, key), median(after_parts, key)
        more[key] = new - old[key]
        largest = max(time[key] for time in after_parts)
        print(f"{key}: {old[key]:.0f} ns, then {new:.0f} ns, {largest} ns at most", file=sys.stderr)
        if state == "ready" and key.startswith("finish of"):
            longer.append(key)
        elif new < old[key] and not is_close(new, old[key]):
            print(key, "is shorter")
        elif not is_close(new, old[key], max(1, pauses)) or largest > old[key] * 1.05 + OTHERS:
            print(key, "is longer")
            longer.append(key)
    good, held = 0, 0
    for journey in after:
        first = journey["stages"][0]
        begin, end = first["began"] - 1000, first["began"] + first["time"] + 1000
        inside = [wait for wait in waits[first["pid"]] if begin <= wait[0] and wait[2] <= end]
        if state == "off":
            waited = sum(back - out for out, woken, back in inside if woken > out)
        else:
            waited = sum(back - woken for out, woken, back in inside)
        took = sum(parts(journey)[key] - old[key] for key in longer)
        held = max(held, took)
        print(f"{took:.0f} ns longer, {state} for {waited} ns: {dict(parts(journey))}", file=sys.stderr)
        good += is_close(took, waited)
    if state == "off":
        print(good, "of", len(after), "as long as the thread was on no CPU")
    else:
        print(good, "of", len(after), "have a finish as long as the thread was ready to run")
    if should and state == "off":
        print("by as much as it should" if is_close(sum(more[key] for key in longer), should) else more)
    elif should:
        print("one by as much as it should" if held > should else "none by as much as it should")


with open(sys.argv[1]) as file:
    journeys = [json.loads(line) for line in file]
waits = read_waits(sys.argv[2])
for line in filter(str.strip, sys.stdin):
    what, before, after, op, state, *should = line.split()
    print("--", what)
    of = {path: [j for j in journeys if j["stages"][0]["file"] == path and j["stages"][0]["op"] == op] for path in (before, after)}
    compare(of[before], of[after], state, int(should[0]) if should else 0)
