/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The helper: a small process that keeps CAP_SYS_ADMIN for three operations, so that the agent,
 * which talks to pmcd, needs no such privilege. The helper's seccomp filter allows nothing else.
 */
#ifndef ESTAT_PMDA_LOAD_HELPER_H
#define ESTAT_PMDA_LOAD_HELPER_H

#include <pwd.h>
#include <stdbool.h>

/*
 * Start the helper. The caller is root; the helper becomes the user `user`, keeps CAP_SYS_ADMIN
 * alone and ends when the agent ends. If the helper cannot start the agent exits.
 */
void helper_start(const struct passwd *user);

/* Wait until the helper has confined itself. If it fails the agent exits. */
void helper_await(void);

/* Stop the helper, and wait until it has ended. */
void helper_stop(void);

/*
 * Each function below returns a file descriptor, which the caller closes, or a negative errno.
 * Without a helper, in an agent not started as root, they make the system call themselves.
 */

/* The BTF object of a loaded kernel module, as bpf(2) takes it. -ENOENT: the module has no BTF. */
int helper_btf(const char *kernel_module);

/*
 * A perf event on a function's entry, or its return. CAP_PERFMON would be enough,
 * but Debian's kernels ask for CAP_SYS_ADMIN (kernel.perf_event_paranoid is 3).
 */
int helper_kprobe(const char *function, bool returns);

/* While the descriptor is open the kernel counts how often each BPF program runs. */
int helper_count_runs(void);

#endif /* ESTAT_PMDA_LOAD_HELPER_H */
