/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The agent's privileges: it becomes an ordinary user that can load
 * BPF programs before it opens any file except the kernel's own. If
 * that fails the process exits, rather than run with more privileges.
 */
#ifndef ESTAT_PMDA_LOAD_PRIVILEGE_H
#define ESTAT_PMDA_LOAD_PRIVILEGE_H

#include <pwd.h>
#include <stdbool.h>

/* Become the user `user`, and keep those of the `wanted` capabilities that the process has. */
void privilege_keep(const struct passwd *user, const unsigned int *wanted, unsigned int n);

/* Has the process CAP_BPF and CAP_PERFMON, which loading BPF programs takes? */
bool privilege_to_load(void);

void privilege_end(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif /* ESTAT_PMDA_LOAD_PRIVILEGE_H */
