/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tells whether block devices, mounts or swap of this host have changed. */
#ifndef ESTAT_PMDA_DEVICES_CHANGES_H
#define ESTAT_PMDA_DEVICES_CHANGES_H

#include <stdbool.h>

/*
 * Have block devices, mounts or swap changed since the previous call? True at the first call, and
 * if the agent does not get the kernel's events. Never waits.
 */
bool changes_seen(void);

void changes_end(void);

#endif /* ESTAT_PMDA_DEVICES_CHANGES_H */
