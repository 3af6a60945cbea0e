/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Long names in keys. A key holds a 64-bit id (an axis of type estat_name_t),
 * so that an I/O is counted without a look at the name; the name is noted once,
 * with a key's first slot, for the agent to read:
 *
 *	v = zio_find(&key);
 *	if (!v) {
 *		estat_name(key.pool, spa->spa_name);
 *		v = zio_insert(&key);
 *	}
 *
 * An id must never stand for two names. What has the id goes: estat_name_gone().
 *
 * A disk that sysfs does not list by its number (an axis of type estat_dev_t) has that as its id,
 * and as its name, by estat_name_numbered(), its own and its diskseq.
 */
#ifndef ESTAT_BPF_NAME_H
#define ESTAT_BPF_NAME_H

#include "declare.bpf.h"

/*
 * How many, or more if estat.conf says how many keys; and the map's flags. Who notes names in
 * interrupts defines both beforehand, for there is not always one to be had there that is not
 * made in advance: the kernel keeps one a CPU (kernel/bpf/memalloc.c, prefill_mem_cache).
 */
#ifndef ESTAT_NAMES
#define ESTAT_NAMES       1024
#define ESTAT_NAMES_FLAGS BPF_F_NO_PREALLOC
#endif

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, ESTAT_NAMES);
	__uint(map_flags, ESTAT_NAMES_FLAGS);
	__type(key, __u64);
	__type(value, struct estat_name);
} estat_names SEC(".maps");

/* An id that is made of a text (FNV-1a): from this, part by part, bytes or words. */
#define ESTAT_NAME_HASH 14695981039346656037ULL

static __always_inline __u64 estat_name_hash(__u64 hash, __u32 part)
{
	return (hash ^ part) * 1099511628211ULL;
}

/* There was no room for one: the agent sees to it, and clears that. */
__u32 estat_names_full;

/* Note an id's name. */
static __always_inline void estat_name_as(__u64 id, const void *name)
{
	if (bpf_map_update_elem(&estat_names, &id, name, BPF_ANY) == -E2BIG)
		estat_names_full = 1;
}

/* The same of a string in the kernel's memory. */
static __noinline __attribute__((unused)) int estat_name(__u64 id, const char *text)
{
	struct estat_name name = {};

	bpf_probe_read_kernel_str(name.text, sizeof(name.text), text);
	estat_name_as(id, &name);
	return 0;
}

/* Note as an id's name a string in the kernel's memory and a number: "mirror-0". */
static __noinline __attribute__((unused)) int estat_name_numbered(__u64 id, const char *text,
								  __u64 number)
{
	struct estat_name name = {};

	BPF_SNPRINTF(name.text, sizeof(name.text), "%s-%llu", text, number);
	estat_name_as(id, &name);
	return 0;
}

/* What had this id is no more. */
static __always_inline void estat_name_gone(__u64 id)
{
	struct estat_name *name = bpf_map_lookup_elem(&estat_names, &id);

	if (name)
		name->gone = 1;
}

#endif /* ESTAT_BPF_NAME_H */
