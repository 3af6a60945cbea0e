/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Drops privileges: an agent that root started becomes an ordinary user with the capabilities to
 * load BPF programs, before the agent opens its log, estat.conf or a module's file; the agent's
 * helper becomes the same user with CAP_SYS_ADMIN. An agent that root did not start keeps its user.
 */
#ifndef ESTAT_PMDA_LOAD_PRIVILEGE_H
#define ESTAT_PMDA_LOAD_PRIVILEGE_H

#include <pwd.h>
#include <stdbool.h>

/*
 * Become `user`, and drop all capabilities except the `n` in wanted[]. If that fails, exit. A
 * capability in wanted[] that the process lacks is no failure.
 */
void privilege_keep(const struct passwd *user, const unsigned int *wanted, unsigned int n);

/* Has the process CAP_BPF and CAP_PERFMON, which together let it load BPF programs? */
bool privilege_to_load(void);

/* Log the reason and exit. */
void privilege_end(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif /* ESTAT_PMDA_LOAD_PRIVILEGE_H */
