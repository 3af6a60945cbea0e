/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BPF ring buffer estat_wake, which all modules share. BPF programs write to estat_wake to wake
 * the agent when a table has few free slots.
 */
#ifndef ESTAT_PMDA_LOAD_WAKE_H
#define ESTAT_PMDA_LOAD_WAKE_H

#include <bpf/libbpf.h>
#include <stdbool.h>

/*
 * Before bpf_object__load(): have the object use the ring buffer estat_wake, which the first call
 * makes. Returns 0 or a negative errno.
 */
int wake_share(const struct bpf_object *object);

/*
 * Can BPF programs write to the ring buffer estat_wake, to wake the agent? With PREEMPT_RT such a
 * write can sleep before Linux 6.12. The function returns false for all kernels with the PREEMPT_RT
 * patches, which add /sys/kernel/realtime.
 */
bool wake_is_safe(void);

/*
 * A descriptor to poll for records in estat_wake; -1: estat_wake does not exist, because no call of
 * wake_share() has succeeded.
 */
int wake_fd(void);

/* Read and drop all records in estat_wake. */
void wake_read(void);

#endif /* ESTAT_PMDA_LOAD_WAKE_H */
