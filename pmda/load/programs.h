/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A module's BPF programs: choosing those that fit this kernel, attaching, and counting runs. */
#ifndef ESTAT_PMDA_LOAD_PROGRAMS_H
#define ESTAT_PMDA_LOAD_PROGRAMS_H

#include "module.h"

/* Does the object have kprobe and kretprobe programs to use in the place of fentry and fexit? */
bool programs_have_kprobes(const struct bpf_object *object);

/* Pass the symbols that the object's BPF programs need to kallsyms_want(). */
void programs_want_symbols(const struct bpf_object *object);

/* Before load: choose BPF programs by m->kprobes and the kernel's functions. Sets m->lacks. */
void programs_choose(struct module *m);

/*
 * Attach all chosen BPF programs. `links`: the links of the object `old`, which is to be replaced;
 * or NULL. Each old BPF program is detached just before the new one of the same name is attached,
 * so that no event counts twice. Returns 0; 1: `ns` nanoseconds have passed, call again; or a
 * negative errno: no BPF program of `m` is attached, and some of `old` are detached.
 */
int programs_attach(struct module *m, struct bpf_object *old, struct bpf_link **links, uint64_t ns);

/* Attach again what programs_attach() of the new module has detached. 0, or a negative errno. */
int programs_attach_again(struct module *m);
void programs_detach(struct module *m);

/* Detach BPF programs for some `ns` nanoseconds, at least one. Returns true if none is left. */
bool programs_detach_some(struct module *m, uint64_t ns);
void programs_free_links(struct bpf_link **links, unsigned int n);

/* The types of the attached BPF programs, separated by blanks, for example "tp_btf fexit". */
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

/* Calls whose return no BPF program saw. Makes a system call for each call under way. */
uint64_t programs_missed_returns(struct module *m);

/* How often the kernel refused storage for a thread; see bpf/thread.bpf.h. */
uint64_t programs_refused(const struct module *m);

/* Calls under way: no BPF program will see their return once the module is detached. */
uint64_t programs_calls(const struct module *m);

/* All since the counters began, except programs_kprobe_missed() and programs_missed_returns(). */
void programs_counters(const struct module *m, struct module_counters *counters);

#endif /* ESTAT_PMDA_LOAD_PROGRAMS_H */
