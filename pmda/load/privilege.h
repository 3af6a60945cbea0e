/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the agent may do: it becomes an ordinary user who can load BPF programs, before it
 * opens any file but the kernel's own. If that fails the process ends: rather no agent than
 * one with privileges that it does not need.
 */
#ifndef ESTAT_PMDA_LOAD_PRIVILEGE_H
#define ESTAT_PMDA_LOAD_PRIVILEGE_H

#include <pwd.h>
#include <stdbool.h>

/* Become that user and keep, of these capabilities, those that the process has. */
void privilege_keep(const struct passwd *who, const unsigned int *wanted, unsigned int n);

/* Has the process the capabilities that it takes to load programs? */
bool privilege_to_load(void);

void privilege_end(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif /* ESTAT_PMDA_LOAD_PRIVILEGE_H */
