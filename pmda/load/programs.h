/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The programs of a module: which of them this kernel takes, how they are attached,
 * and what the kernel says of them.
 */
#ifndef ESTAT_PMDA_LOAD_PROGRAMS_H
#define ESTAT_PMDA_LOAD_PROGRAMS_H

#include "module.h"

/* Can an object do with kprobe and kretprobe where it has fentry and fexit? */
bool programs_have_kprobes(const struct bpf_object *object);

/* Say which symbols will be asked for, before the first is. */
void programs_want_symbols(const struct bpf_object *object);

/* Before load: choose those of m->object that m->kprobes asks for and the kernel has functions for.
 */
void programs_choose(struct module *m);

/*
 * Attach all. Where another object's are attached, `old` with its links, let go of
 * each of those that has the name of one just before it, or an event would count twice.
 * Returns 0, or errno's negative: then none is attached, and of the former some may not be.
 * If one, and others after it, have taken so long it returns 1: the next call goes on.
 */
int programs_attach(struct module *m, struct bpf_object *old, struct bpf_link **links, uint64_t ns);

/* Attach those that programs_attach() for another module has let go of. 0 or errno's negative. */
int programs_attach_again(struct module *m);
void programs_detach(struct module *m);

/* Detach one, and others until that has taken so long. Returns whether none is left. */
bool programs_detach_some(struct module *m, uint64_t ns);
void programs_free_links(struct bpf_link **links, unsigned int n);

/* How they are attached: "tp_btf", "fexit", … separated by blanks. */
void programs_types(const struct module *m, char *text, size_t size);

/* Add what the kernel counts of an object's programs; programs_skipped() has some, if it can. */
void programs_count(const struct bpf_object *object, bool knows_hits,
		    struct module_counters *counters);

/*
 * Entries by kprobe, since the module was started, for which the kernel did not run the program;
 * see pmda/load/kprobe_missed.bpf.c. It takes a system call for each.
 */
uint64_t programs_skipped(struct module *m);

/*
 * Calls whose return the kernel skipped: those that their thread's next call found, and
 * those whose thread has ended since, which takes a system call for each call under way.
 */
uint64_t programs_missed_returns(struct module *m);

/* How often the kernel refused what a thread keeps; see bpf/thread.bpf.h. */
uint64_t programs_refused(const struct module *m);

/* Calls under way, whose return will not be seen once the programs are gone. */
uint64_t programs_calls(const struct module *m);

/* What the kernel, and its maps, have counted since it was started. */
void programs_counters(const struct module *m, struct module_counters *counters);

#endif /* ESTAT_PMDA_LOAD_PROGRAMS_H */
