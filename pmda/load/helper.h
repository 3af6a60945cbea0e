/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The helper: a small process apart that does, and can do, three things only, which take
 * CAP_SYS_ADMIN. The agent, which talks to pmcd, can then do without.
 */
#ifndef ESTAT_PMDA_LOAD_HELPER_H
#define ESTAT_PMDA_LOAD_HELPER_H

#include <pwd.h>
#include <stdbool.h>

/*
 * Start it, as root: it becomes that user, keeps CAP_SYS_ADMIN alone and, of system calls,
 * the few that it needs. It ends when the agent does. If it cannot be started the agent ends.
 */
void helper_start(const struct passwd *who);

/* Wait until it is what it is to be; if it is not the agent ends. */
void helper_await(void);

/* End it, and wait for that. */
void helper_stop(void);

/*
 * Each a descriptor, or an error number, negative. An agent that was not started as root has
 * no helper, and tries itself.
 */

/* The kernel's own BTF of a loaded kernel module, for bpf(2) to know it by. -ENOENT: it has none.
 */
int helper_btf(const char *kernel_module);

/*
 * The perf event of a function's entry or return. It would take CAP_PERFMON only, but not by
 * Debian's kernels as they are configured (kernel.perf_event_paranoid is 3).
 */
int helper_kprobe(const char *function, bool returns);

/* Has the kernel count how often programs run until it is closed. */
int helper_count_runs(void);

#endif /* ESTAT_PMDA_LOAD_HELPER_H */
