/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names in keys. A key holds a 64-bit id (an axis of type estat_name_t), so that an I/O is counted
 * without reading the name. For each new key the name is noted for the agent, before the key gets a
 * slot:
 *
 *	v = ESTAT_GET_NAMED(zio, &key, estat_name(key.pool, spa->spa_name));
 *
 * An id must never stand for two names. When the named object disappears, call estat_name_gone().
 *
 * An axis of type estat_dev_t can use names, too, for the devices that abi.h lists. The id is then
 * the device's number. For a disk that sysfs does not list by number, estat_name_numbered() notes
 * the disk's name and diskseq.
 */
#ifndef ESTAT_BPF_NAME_H
#define ESTAT_BPF_NAME_H

#include "declare.bpf.h"

/*
 * ESTAT_NAMES is how many names estat_names has room for, ESTAT_NAMES_FLAGS the map's flags. The
 * agent makes more room if the module's series can have more keys. A module that notes names in
 * interrupts defines both macros before it includes this file, with 0 as flags, so that elements
 * are allocated in advance. In an interrupt an allocation can fail, because the kernel has few free
 * elements a CPU (at first four, or one if an element has more than 256 bytes), and gets no more
 * while interrupts are disabled (prefill_mem_cache, kernel/bpf/memalloc.c).
 */
#ifndef ESTAT_NAMES
#define ESTAT_NAMES       1024
#define ESTAT_NAMES_FLAGS BPF_F_NO_PREALLOC
#endif

/*
 * The type of the values in estat_names. A module with long texts defines ESTAT_NAMES_VALUE as
 * struct estat_long_name and calls estat_name_as(); a module whose texts are all short, such as
 * names of disks, can define ESTAT_NAMES_VALUE as struct estat_short_name.
 */
#ifndef ESTAT_NAMES_VALUE
#define ESTAT_NAMES_VALUE struct estat_name
#endif

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, ESTAT_NAMES);
	__uint(map_flags, ESTAT_NAMES_FLAGS);
	__type(key, __u64);
	__type(value, ESTAT_NAMES_VALUE);
} estat_names SEC(".maps");

/*
 * FNV-1a hash of a text, to make an id. The hash begins as ESTAT_NAME_HASH; estat_name_hash() adds
 * a byte or a word of the text.
 */
#define ESTAT_NAME_HASH 14695981039346656037ULL

static __always_inline __u64 estat_name_hash(__u64 hash, __u32 part)
{
	return (hash ^ part) * 1099511628211ULL;
}

/*
 * Not 0 if a name found no room in estat_names. The agent stores 0, then deletes the names of ids
 * that no key has.
 */
__u32 estat_names_full;

/* Store the name of an id. `name` points to an ESTAT_NAMES_VALUE. */
static __always_inline void estat_name_as(__u64 id, const void *name)
{
	if (bpf_map_update_elem(&estat_names, &id, name, BPF_ANY) == -E2BIG)
		estat_names_full = 1;
}

/* Store the name of an id: `text`, a string in the kernel's memory. */
static __noinline __attribute__((unused)) int estat_name(__u64 id, const char *text)
{
	ESTAT_NAMES_VALUE name = {};

	bpf_probe_read_kernel_str(name.text, sizeof(name.text), text);
	estat_name_as(id, &name);
	return 0;
}

/* Store the name of an id: `text` (in the kernel's memory), "-" and a number, as in "mirror-0". */
static __noinline __attribute__((unused)) int estat_name_numbered(__u64 id, const char *text,
								  __u64 number)
{
	ESTAT_NAMES_VALUE name = {};

	BPF_SNPRINTF(name.text, sizeof(name.text), "%s-%llu", text, number);
	estat_name_as(id, &name);
	return 0;
}

/* Have the agent remove the keys with this id, because what the id names has disappeared. */
static __always_inline void estat_name_gone(__u64 id)
{
	ESTAT_NAMES_VALUE *name = bpf_map_lookup_elem(&estat_names, &id);

	if (name)
		name->gone = 1;
}

#endif /* ESTAT_BPF_NAME_H */
