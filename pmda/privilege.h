/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the agent may do: it becomes an ordinary user who can load BPF programs.
 */
#ifndef ESTAT_PRIVILEGE_H
#define ESTAT_PRIVILEGE_H

#include <stdbool.h>

/*
 * Become `user`, and keep what it takes to load modules: CAP_BPF and
 * CAP_PERFMON, CAP_SYS_ADMIN (libbpf finds the BTF of kernel modules by number,
 * which takes it), CAP_SYSLOG (libbpf finds the addresses of kernel variables in
 * /proc/kallsyms) and CAP_SYS_RESOURCE (locked memory, before Linux 5.11).
 * If it cannot become that user the process ends. One that is not root keeps what
 * it has: modules then fail with the kernel's own reason.
 */
void privilege_start(const char *user);

/*
 * The modules are loaded: keep CAP_BPF and CAP_PERFMON (CAP_SYS_ADMIN on
 * kernels before 5.8, which know neither) and nothing else, for good. Only while
 * a module waits for a kernel module, or probes one, is there more to load
 * (`again`): then CAP_SYS_ADMIN and CAP_SYSLOG stay, permitted but not effective.
 * If that fails the process ends.
 */
void privilege_finish(bool again);

/* Make those effective to load more; finish again then. */
void privilege_raise(void);

/* Finish again as at the last time. */
void privilege_lower(void);

#endif /* ESTAT_PRIVILEGE_H */
