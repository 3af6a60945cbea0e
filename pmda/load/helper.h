/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The helper: a process with CAP_SYS_ADMIN that makes the system calls of helper_btf(),
 * helper_kprobe(), helper_clock() and helper_count_runs(). So the agent, which talks to pmcd, needs
 * no CAP_SYS_ADMIN. If the kernel has seccomp(2), a filter allows the helper only these system
 * calls, and those to answer the agent and to end.
 */
#ifndef ESTAT_PMDA_LOAD_HELPER_H
#define ESTAT_PMDA_LOAD_HELPER_H

#include <pwd.h>
#include <stdbool.h>

/*
 * helper_start(): as root, start the helper, which becomes `user`, keeps CAP_SYS_ADMIN alone and
 * ends when the agent ends. helper_await(): wait until the helper is ready; if the helper ends
 * instead, exit. helper_stop(): have the helper end, and wait for its end.
 */
void helper_start(const struct passwd *user);
void helper_await(void);
void helper_stop(void);

/*
 * Each function below returns a file descriptor, which the caller closes, or a negative errno. An
 * agent that was not started as root has no helper, so the functions themselves make the system
 * calls.
 */

/* The BTF object of a kernel module. -ENOENT: the kernel module is not loaded, or has no BTF. */
int helper_btf(const char *kernel_module);

/*
 * A perf event at a function's entry or, if `returns`, at its return. Most kernels want only
 * CAP_PERFMON for this, but Debian's want CAP_SYS_ADMIN (kernel.perf_event_paranoid is 3).
 */
int helper_kprobe(const char *function, bool returns);

/*
 * A perf event that overflows `hz` times a second on a CPU while the CPU is not idle. The kernel
 * wants the same privileges as for the perf event of helper_kprobe().
 */
int helper_clock(unsigned int cpu, unsigned int hz);

/* While the returned descriptor is open, the kernel counts the runs of each BPF program. */
int helper_count_runs(void);

#endif /* ESTAT_PMDA_LOAD_HELPER_H */
