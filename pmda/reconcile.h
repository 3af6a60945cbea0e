/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is to be done for modules from time to time: their kernel modules come and go, their
 * files and estat.conf change, clients begin and cease to look at them.
 */
#ifndef ESTAT_PMDA_RECONCILE_H
#define ESTAT_PMDA_RECONCILE_H

#include "serve/agent.h"

/* Before the first module is opened: see how things are. */
void reconcile_begin(struct agent *a);

/* How long there is nothing to be done, milliseconds; -1: until something happens. */
int reconcile_wait(const struct agent *a);

/* What reconcile() has done. */
enum reconcile_done {
	RECONCILE_NOTHING,
	RECONCILE_LOADED,  /* something that took privileges, memory and time; there may be more */
	RECONCILE_CHANGED, /* that, and the tables are to be built again */
};

/* Do what is due, for one module at a time. */
enum reconcile_done reconcile(struct agent *a);

#endif /* ESTAT_PMDA_RECONCILE_H */
