/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks at the pools and vdevs of ZFS in the kernel's memory. No look waits for a pool. */
#ifndef ESTAT_PMDA_LOAD_VDEVS_H
#define ESTAT_PMDA_LOAD_VDEVS_H

#include <stdbool.h>
#include <stdint.h>

#include "abi.h"

/* Have the next reading of /proc/kallsyms look up the symbol of the tree of pools. */
void vdevs_want(void);

/*
 * The address of the tree of pools, to be given to vdevs_look() with ESTAT_VDEV_TREE. 0: ZFS is not
 * loaded, its types or the address are not known, or the kernel refuses the BPF program. Must run
 * before vdevs_look(), once for each reading of all pools.
 */
uint64_t vdevs_tree(void);

/*
 * Have the BPF program read `what`, which is at `address` in the kernel's memory, and set those
 * members of *answer that abi.h lists for `what`. `n`: the array's length if `what` is
 * ESTAT_VDEV_ARRAY, else unused. False: the BPF program cannot run, or the array cannot be read. If
 * a tree, a pool or a vdev cannot be read, the function returns true, and *answer has 0 and "" for
 * what was not read.
 */
bool vdevs_look(enum estat_vdev_what what, uint64_t address, uint32_t n,
		struct estat_vdev_answer *answer);

/* Unload the BPF program. */
void vdevs_end(void);

#endif /* ESTAT_PMDA_LOAD_VDEVS_H */
