/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From /proc/kallsyms: functions that can be probed (inlined functions are missing there) and
 * addresses of variables. One reading of the 200,000 lines looks up all symbols wanted by then.
 */
#ifndef ESTAT_PMDA_LOAD_KALLSYMS_H
#define ESTAT_PMDA_LOAD_KALLSYMS_H

#include <stdbool.h>
#include <stdint.h>

/* Optional. Open the file now: privileges at that moment decide whether it shows addresses. */
void kallsyms_open(void);

/* Name a symbol that will be looked up: the next reading of the file looks up all such symbols. */
void kallsyms_want(const char *name);

bool kallsyms_is_function(const char *name);

/* The kernel module that has the function, until kallsyms_forget(); NULL: built in, or missing. */
const char *kallsyms_module(const char *name);

/* A symbol's address; 0: no such symbol, or hidden (kernel.kptr_restrict, CAP_SYSLOG). */
uint64_t kallsyms_address(const char *name);

/* Read the file again at the next question, as kernel modules may have come or gone. */
void kallsyms_forget(void);
void kallsyms_free(void);

#endif /* ESTAT_PMDA_LOAD_KALLSYMS_H */
