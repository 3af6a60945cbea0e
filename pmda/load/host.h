/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many CPUs, how much memory, and disks with how many kinds of operations this host has. */
#ifndef ESTAT_PMDA_LOAD_HOST_H
#define ESTAT_PMDA_LOAD_HOST_H

#include <stdbool.h>
#include <stdint.h>

/* The highest possible CPU number, plus 1; 0: the kernel does not say. Numbers can have gaps. */
unsigned int host_cpus(void);

/*
 * The number of pairs of a disk and a kind of operation (read, write, discard, flush) that the disk
 * has had at least once.
 */
unsigned int host_disk_operations(void);

/* Bytes of memory; 0: the kernel does not say. */
uint64_t host_memory(void);

#endif /* ESTAT_PMDA_LOAD_HOST_H */
