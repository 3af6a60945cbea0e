/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A module's BPF programs: attaches those that probes.c has chosen, and reads their counts. */
#ifndef ESTAT_PMDA_LOAD_PROGRAMS_H
#define ESTAT_PMDA_LOAD_PROGRAMS_H

#include "module.h"

/*
 * Attach all chosen BPF programs of `l` in the place of those of `from`, an object that `l` is to
 * replace, or NULL. Each BPF program of `from` is detached just before that of the same name is
 * attached, so that no event counts twice. If `l` uses kprobes and `from` uses fentry, or the
 * reverse, the probes that can use either pass from `from` to `l` at once: as soon as all BPF
 * programs of `l` are attached, `l` counts new calls, and `from` counts none. Returns 0; or 1 if
 * `ns` nanoseconds were not enough, to be called again; or a negative errno: then no BPF program of
 * `l` is attached, and some of `from` may be detached.
 */
int programs_attach(struct loaded *l, struct loaded *from, uint64_t ns);

/*
 * If the module has clocks (clocks.h) and is attached, make the clock of each CPU that has come
 * online. To be called before each fold for a fetch.
 */
void programs_keep_clocks(struct loaded *l);

/*
 * Detach BPF programs until none is attached or `ns` nanoseconds have passed. Returns whether none
 * is attached.
 */
bool programs_detach(struct loaded *l, uint64_t ns);

/*
 * Are all BPF programs that programs_attach() has attached, clocks aside, still attached? False: a
 * failed change has detached some of them.
 */
bool programs_are_all_attached(const struct loaded *l);

/* The number of attached BPF programs. */
unsigned int programs_attached(const struct loaded *l);

/*
 * Set the gauges of operations under way, if the module has such gauges and is attached. `time` is
 * CLOCK_MONOTONIC nanoseconds; a second call with the same `time` does nothing. First calls
 * programs_missed_returns(). After that, takes at most 30 ms of CPU time.
 */
void programs_walk(struct loaded *l, uint64_t time);

/*
 * Run the walk of the module `trace` with the time 0, after the module's BPF programs were
 * detached. The walk adds the number of journeys under way (operations that `trace` follows) to the
 * field `lost`, because no BPF program will see the journeys end.
 */
void programs_last_walk(struct loaded *l);

/* The types of the attached BPF programs, separated by blanks, for example "tp_btf fexit". */
void programs_types(const struct loaded *l, char *text, size_t size);

/*
 * The number of hits that ran no BPF program, of the kprobes at entries (probes_count_runs()); see
 * kprobe_missed.bpf.c. Makes at least one system call for each of these kprobes, if the kernel
 * tells their hits; if the number has grown, waits 1 ms and reads again.
 */
uint64_t programs_kprobe_missed(struct loaded *l);

/*
 * How many calls the agent has deleted from the map estat_calls so far, because the call's thread
 * had ended. In the initial PID namespace, first deletes the calls whose thread has ended by now.
 * In another PID namespace the number does not grow.
 */
uint64_t programs_missed_returns(struct loaded *l);

/*
 * Add to *counters the object's counts, but not those of programs_kprobe_missed() and
 * programs_missed_returns().
 */
void programs_counters(const struct loaded *l, struct module_counters *counters);

/*
 * Add to *counters the counts of an object that is detached and is to be unloaded. If `maps`, add
 * the counts in .bss, too; the caller sets `maps` if no other object uses the object's maps. Sets
 * the counts in l->programs to 0.
 */
void programs_retire(struct loaded *l, bool maps, struct module_counters *counters);

/*
 * The number of calls in the map estat_calls: calls under way of functions that the module probes
 * by ESTAT_CALL. Makes a system call for each call in the map.
 */
uint64_t programs_calls(const struct loaded *l);

#endif /* ESTAT_PMDA_LOAD_PROGRAMS_H */
