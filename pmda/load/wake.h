/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ring by which BPF programs of all modules wake the agent when a table has few free slots. */
#ifndef ESTAT_PMDA_LOAD_WAKE_H
#define ESTAT_PMDA_LOAD_WAKE_H

#include <bpf/libbpf.h>
#include <stdbool.h>

/* Before bpf_object__load(): have the object use the one ring. Returns 0 or a negative errno. */
int wake_share(const struct bpf_object *object);

/* May BPF programs write to the ring? */
bool wake_is_safe(void);

/*
 * A descriptor to poll for records; -1: the ring does not exist, because no object has been loaded.
 */
int wake_fd(void);

/* Read all records. */
void wake_read(void);

#endif /* ESTAT_PMDA_LOAD_WAKE_H */
