/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses which BPF program is loaded for each probe of a function: that for fentry or fexit, that
 * for kprobe or kretprobe, that for kprobe.multi or kretprobe.multi, or none. docs/architecture.md
 * has the rules in one table.
 */
#ifndef ESTAT_PMDA_LOAD_PROBES_H
#define ESTAT_PMDA_LOAD_PROBES_H

#include "module.h"

/* Has the object kprobe programs, which can take the place of those for fentry and fexit? */
bool probes_have_kprobes(const struct bpf_object *object);

/* Has the object kprobe.multi programs (frames.bpf.h)? */
bool probes_have_multi(const struct bpf_object *object);

/* Can kretprobe.multi of this kernel follow any number of concurrent calls? */
bool probes_can_be_multi(void);

/*
 * Is `p` for kprobe.multi or kretprobe.multi? Sets *returns (true: for the return) and *function.
 */
bool probes_is_multi(const struct bpf_program *p, bool *returns, const char **function);

/*
 * Call kallsyms_want() for each symbol that the object's BPF programs probe or read or that an
 * ESTAT_OPTIONAL names, and for symbols from which the agent learns what the kernel can do and how
 * often kprobes were hit.
 */
void probes_want_symbols(const struct bpf_object *object);

/*
 * Choose the BPF programs to load: as a rule those for kprobes if l->programs.kprobes, else those
 * for fentry; docs/architecture.md has the exceptions. Of the functions of an ESTAT_OPTIONAL, only
 * the first that the kernel has is probed. l->programs.lacks says what is not measured on this
 * kernel. Returns 0, or a negative errno if a kprobe is needed and the kernel has none: then
 * l->error says so.
 */
int probes_choose(struct loaded *l);

/*
 * Does the BPF program count its runs in estat_runs? True if the program is for a kprobe at a
 * function's entry, unless the function is the argument OTHER of ESTAT_INSTEAD.
 */
bool probes_count_runs(const struct bpf_object *object, const struct bpf_program *p);

/*
 * Can the BPF program end calls whose begin the module keeps, in the map estat_calls or in that of
 * an ESTAT_LEFT? True if the program belongs to a probe of ESTAT_INSTEAD. Also true if the program
 * is at a function's return, the module has one of these maps, and the probe is not ESTAT_BY_MULTI.
 * If the kernel skips a run that would end a kept call, the begin stays in the map, and later the
 * call counts as missed. So the skipped run itself must not count as missed.
 */
bool probes_end_calls(const struct bpf_object *object, const struct bpf_program *p);

/*
 * Is `p` loaded to be attached? estat_walk is not, because the agent itself runs estat_walk, see
 * programs_walk().
 */
bool probes_is_attached(const struct bpf_program *p);

#endif /* ESTAT_PMDA_LOAD_PROBES_H */
