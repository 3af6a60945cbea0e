/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tells when a kernel module is loaded or unloaded, by the kernel's uevents. */
#ifndef ESTAT_PMDA_LOAD_KMOD_EVENTS_H
#define ESTAT_PMDA_LOAD_KMOD_EVENTS_H

void kmod_events_begin(void);

/* The descriptor to poll(2): it is readable after an event. -1: the agent gets no events. */
int kmod_events_fd(void);

/* Read all events that have arrived. The next kmods_look() looks at all kernel modules. */
void kmod_events_read(void);

void kmod_events_end(void);

#endif /* ESTAT_PMDA_LOAD_KMOD_EVENTS_H */
