/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lets a program of bench run the agent's code as on a host of another size: these functions
 * replace those of pmda/load/host.c and of libbpf that tell the number of CPUs, the memory, and the
 * kinds of operations that disks have had.
 */
#ifndef ESTAT_BENCH_OTHER_HOST_H
#define ESTAT_BENCH_OTHER_HOST_H

#include <bpf/libbpf.h>
#include <stdint.h>
#include <stdlib.h>

#include "load/host.h"

static unsigned int cpus;
static uint64_t memory;

unsigned int host_cpus(void)
{
	return cpus;
}

uint64_t host_memory(void)
{
	return memory;
}

unsigned int host_disk_operations(void)
{
	return 0;
}

int libbpf_num_possible_cpus(void)
{
	return cpus;
}

/* Set the size of the host: the number of CPUs, and GiB of memory. Returns false if either is 0. */
static bool other_host(const char *of_cpus, const char *gib)
{
	cpus = atoi(of_cpus);
	memory = strtoull(gib, NULL, 10) << 30;
	return cpus && memory;
}

#endif /* ESTAT_BENCH_OTHER_HOST_H */
