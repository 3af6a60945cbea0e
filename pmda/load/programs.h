/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A module's BPF programs: which fit this kernel, how they are attached, what the kernel counts. */
#ifndef ESTAT_PMDA_LOAD_PROGRAMS_H
#define ESTAT_PMDA_LOAD_PROGRAMS_H

#include "module.h"

/* Does the object have kprobe and kretprobe programs in the place of fentry and fexit? */
bool programs_have_kprobes(const struct bpf_object *object);

/* Pass the symbols that the object's BPF programs need to kallsyms_want(). */
void programs_want_symbols(const struct bpf_object *object);

/* Before load: choose BPF programs by m->kprobes and the kernel's functions. Sets m->lacks. */
void programs_choose(struct module *m);

/*
 * Attach all chosen BPF programs. If `links` is given, they are those of
 * the object `old`, which this one replaces: each old program is detached
 * just before its namesake is attached, so that no event counts twice.
 * Returns 0; 1 if it took more than `ns` nanoseconds, and the next call goes on;
 * or a negative errno, with no program of `m` attached and some of `old` detached.
 */
int programs_attach(struct module *m, struct bpf_object *old, struct bpf_link **links, uint64_t ns);

/*
 * Attach again what programs_attach() for another module detached. Returns 0 or a negative errno.
 */
int programs_attach_again(struct module *m);
void programs_detach(struct module *m);

/* Detach at least one program, more until `ns` nanoseconds have passed. Returns: is none left? */
bool programs_detach_some(struct module *m, uint64_t ns);
void programs_free_links(struct bpf_link **links, unsigned int n);

/* The types of the attached programs, separated by blanks, for example "tp_btf fexit". */
void programs_types(const struct module *m, char *text, size_t size);

/*
 * Add what the kernel counts of the object's BPF programs. If `kprobe_missed_known`,
 * leave out misses of kprobes, which programs_kprobe_missed() counts.
 */
void programs_count(const struct bpf_object *object, bool kprobe_missed_known,
		    struct module_counters *counters);

/*
 * Entries by kprobe since the counters began for which the kernel did not run
 * the BPF program; see kprobe_missed.bpf.c. Makes a system call for each kprobe.
 */
uint64_t programs_kprobe_missed(struct module *m);

/*
 * Calls whose return the kernel did not show: the same thread made another
 * call, or has ended. Makes a system call for each call under way.
 */
uint64_t programs_missed_returns(struct module *m);

/* How often the kernel refused storage for a thread; see bpf/thread.bpf.h. */
uint64_t programs_refused(const struct module *m);

/* Calls under way. Nothing will see their return once the programs are detached. */
uint64_t programs_calls(const struct module *m);

/* All since the counters began, except programs_kprobe_missed() and programs_missed_returns(). */
void programs_counters(const struct module *m, struct module_counters *counters);

#endif /* ESTAT_PMDA_LOAD_PROGRAMS_H */
