/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The number of CPUs and the size of memory of this host. */
#ifndef ESTAT_PMDA_LOAD_HOST_H
#define ESTAT_PMDA_LOAD_HOST_H

#include <stdint.h>

/*
 * The highest possible CPU number plus 1; 0 if the kernel does not say. A
 * BPF program's CPU number chooses its shard, and CPU numbers can have gaps.
 */
unsigned int host_cpus(void);

/* The last number plus 1 of a list in the kernel's format: 12 for "0-3,8-11"; 0 for "". */
unsigned int cpus_of(const char *list);

/* Bytes; 0 if the kernel does not say. */
uint64_t host_memory(void);

#endif /* ESTAT_PMDA_LOAD_HOST_H */
