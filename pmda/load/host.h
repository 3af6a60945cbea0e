/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How large the host is.
 */
#ifndef ESTAT_PMDA_LOAD_HOST_H
#define ESTAT_PMDA_LOAD_HOST_H

#include <stdint.h>

/*
 * One more than the highest number that a CPU can have: a program's CPU number chooses
 * its shard, and numbers can have gaps. 0 if it cannot be found out.
 */
unsigned int host_cpus(void);

/* The same of a list as the kernel writes it: "0-3,8-11" is 12. */
unsigned int cpus_of(const char *list);

/* Bytes of memory; 0 if it cannot be found out. */
uint64_t host_memory(void);

#endif /* ESTAT_PMDA_LOAD_HOST_H */
