/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tells whether block devices, mounts or swap of this host have changed. */
#ifndef ESTAT_PMDA_DEVICES_CHANGES_H
#define ESTAT_PMDA_DEVICES_CHANGES_H

#include <stdbool.h>

/*
 * Have block devices, mounts or swap changed since the previous call? Also true at the first call,
 * after an event of the kernel or udev was lost, and if the agent gets no such events. Never waits.
 */
bool changes_seen(void);

void changes_end(void);

#endif /* ESTAT_PMDA_DEVICES_CHANGES_H */
