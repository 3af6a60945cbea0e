/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks at tables of device mapper in the kernel's memory, without waiting for a disk. */
#ifndef ESTAT_PMDA_LOAD_MAPPED_H
#define ESTAT_PMDA_LOAD_MAPPED_H

#include <stdbool.h>
#include <stdint.h>

#include "abi.h"

/* Have the next reading of /proc/kallsyms look up device mapper's symbol _minor_idr. */
void mapped_want(void);

/*
 * Read the table of the device with this minor number. False: there is no such device, the device
 * has no table, or the BPF program cannot be loaded.
 */
bool mapped_look(uint32_t minor, struct estat_mapped_answer *answer);

/* Unload the BPF program. */
void mapped_end(void);

#endif /* ESTAT_PMDA_LOAD_MAPPED_H */
