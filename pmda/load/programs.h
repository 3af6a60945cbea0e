/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A module's BPF programs: attaching those that probes.h has chosen, and counting runs. */
#ifndef ESTAT_PMDA_LOAD_PROGRAMS_H
#define ESTAT_PMDA_LOAD_PROGRAMS_H

#include "module.h"

/*
 * Attach all chosen BPF programs. `links`: the links of the object `old`, which is to be replaced;
 * or NULL. Each old BPF program is detached just before the new one of the same name is attached,
 * so that no event counts twice. Returns 0; 1: `ns` nanoseconds have passed, call again; or a
 * negative errno: no BPF program of `m` is attached, and some of `old` are detached.
 */
int programs_attach(struct module *m, struct bpf_object *old, struct bpf_link **links, uint64_t ns);

/* Attach those BPF programs of `m` that its failed successor detached. 0, or a negative errno. */
int programs_attach_again(struct module *m);
void programs_detach(struct module *m);

/* Detach one BPF program, and more until `ns` nanoseconds have passed. True: none is attached. */
bool programs_detach_some(struct module *m, uint64_t ns);
void programs_free_links(struct bpf_link **links, unsigned int n);

/* The types of the attached BPF programs, separated by blanks, for example "tp_btf fexit". */
void programs_types(const struct module *m, char *text, size_t size);

/*
 * Add to *counters what the kernel counts of the object's BPF programs: runs, run time and misses.
 * If `kprobe_missed_known`, leave out misses of kprobes: programs_kprobe_missed() counts them.
 */
void programs_count(const struct bpf_object *object, bool kprobe_missed_known,
		    struct module_counters *counters);

/*
 * The number of hits of the module's kprobes, since the counters began, that ran no
 * BPF program; see kprobe_missed.bpf.c. Makes a system call for each kprobe.
 */
uint64_t programs_kprobe_missed(struct module *m);

/* The number of calls whose thread ended before the return; two system calls per call under way. */
uint64_t programs_missed_returns(struct module *m);

/* The number of calls under way, whose return is not seen if the module is detached now. */
uint64_t programs_calls(const struct module *m);

/* Set *counters, without what programs_kprobe_missed() and programs_missed_returns() return. */
void programs_counters(const struct module *m, struct module_counters *counters);

#endif /* ESTAT_PMDA_LOAD_PROGRAMS_H */
