/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts this host's CPUs, its memory, and the kinds of operations that its disks have had. */
#ifndef ESTAT_PMDA_LOAD_HOST_H
#define ESTAT_PMDA_LOAD_HOST_H

#include <stdbool.h>
#include <stdint.h>

/* The highest possible CPU number, plus 1; 0: the kernel does not say. Numbers can have gaps. */
unsigned int host_cpus(void);

/*
 * How many kinds of operations (read, write, discard, flush) each of the host's disks has had at
 * least once, added up over the disks.
 */
unsigned int host_disk_operations(void);

/* Bytes of memory; 0: the kernel does not say. */
uint64_t host_memory(void);

#endif /* ESTAT_PMDA_LOAD_HOST_H */
