/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes of functions: which BPF program of each probe fits this kernel: that for fentry or fexit,
 * that for kprobe or kretprobe, or none. docs/architecture.md has the rules in one table.
 */
#ifndef ESTAT_PMDA_LOAD_PROBES_H
#define ESTAT_PMDA_LOAD_PROBES_H

#include "module.h"

/* Can kprobe and kretprobe take the place of fentry and fexit in the object? */
bool probes_have_kprobes(const struct bpf_object *object);

/* Call kallsyms_want() for each symbol that the object's BPF programs probe or read. */
void probes_want_symbols(const struct bpf_object *object);

/*
 * Choose the BPF programs to load, of functions that the kernel has: those for kprobes if
 * l->programs.kprobes, else those for fentry. Sets l->programs.lacks. Returns 0, or a negative
 * errno if the kernel has no kprobes and one is needed: then l->error says so.
 */
int probes_choose(struct loaded *l);

/* Is the BPF program for a kprobe, and does it count its own runs in estat_runs? */
bool probes_count_runs(const struct bpf_object *object, const struct bpf_program *p);

/* Does the BPF program see the end of a call whose begin the module keeps? */
bool probes_end_calls(const struct bpf_object *object, const struct bpf_program *p);

/* Is `p` loaded to be attached? estat_walk is not: the agent runs it itself, see programs_walk().
 */
bool probes_is_attached(const struct bpf_program *p);

#endif /* ESTAT_PMDA_LOAD_PROBES_H */
