// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A BPF program that the agent embeds and runs, to read the type and the devices of one device of
 * device mapper. ioctl(2) would tell both, but for a thin pool it waits for the pool's disks, and
 * for dm-crypt it returns the encryption key, too.
 */
#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "abi.h"

char _license[] SEC("license") = "GPL";

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/*
 * The kernel declares these structs in include/linux/xarray.h, idr.h, blkdev.h (before Linux 5.18:
 * genhd.h) and types.h. Linux 5.15 to 7.3 have all structs of this file.
 */
struct xarray {
	void *xa_head;
};

struct idr {
	struct xarray idr_rt;
};

struct xa_node {
	unsigned char shift;
	void *slots[64];
};

struct gendisk {
	int first_minor;
};

struct list_head {
	struct list_head *next;
};

/* declared in include/linux/device-mapper.h */
struct target_type {
	const char *name;
};

struct dm_target {
	struct target_type *type;
};

struct dm_dev {
	char name[16]; /* MAJ:MIN */
};

/* declared in drivers/md/dm-core.h and dm.h */
struct mapped_device {
	struct gendisk *disk;
	void *map; /* the table in use, a struct dm_table; NULL: none */
};

struct dm_table {
	unsigned int num_targets;
	struct dm_target *targets;
	struct list_head devices;
};

struct dm_dev_internal {
	struct list_head list;
	struct dm_dev *dm_dev;
};

#pragma clang attribute pop

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct estat_mapped_answer);
} answer SEC(".maps");

/*
 * The most levels of the tree in _minor_idr. Each level takes 6 of the 20 bits of a minor number.
 */
#define LEVELS 4

/* The test of xa_is_node() in include/linux/xarray.h. */
static __always_inline bool is_node(__u64 entry)
{
	return (entry & 3) == 2 && entry > 4096;
}

static __always_inline struct mapped_device *find(__u64 idr, __u32 minor)
{
	__u64 entry = (__u64)BPF_CORE_READ((struct idr *)idr, idr_rt.xa_head);
	bool node = is_node(entry);

	if (!node && minor)
		return NULL; /* a tree without nodes can only have the device of minor number 0 */
	for (int i = 0; i < LEVELS && is_node(entry); i++) {
		struct xa_node *at = (struct xa_node *)(entry - 2);
		__u32 slot = minor >> (BPF_CORE_READ(at, shift) & 31) & 63;
		void **slots = (void **)__builtin_preserve_access_index(&at->slots);

		entry = 0;
		bpf_probe_read_kernel(&entry, sizeof(entry), slots + slot);
	}
	return (struct mapped_device *)entry;
}

SEC("syscall")
int look(struct estat_mapped_question *q)
{
	__u32 zero = 0, minor = q->minor;
	struct estat_mapped_answer *a = bpf_map_lookup_elem(&answer, &zero);
	struct mapped_device *md = find(q->idr, minor);
	struct dm_table *table = BPF_CORE_READ(md, map);
	struct list_head *head, *at;

	if (!a || !table || (__u32)BPF_CORE_READ(md, disk, first_minor) != minor)
		return 1;
	a->targets = BPF_CORE_READ(table, num_targets);
	bpf_probe_read_kernel_str(a->type, sizeof(a->type),
				  BPF_CORE_READ(table, targets, type, name));
	head = __builtin_preserve_access_index(&table->devices);
	at = BPF_CORE_READ(head, next);
	a->n = 0;
	for (__u32 i = 0; i < ESTAT_MAPPED_DEVICES && at && at != head; i++) {
		struct dm_dev_internal *device =
			(void *)at - bpf_core_field_offset(struct dm_dev_internal, list);
		struct dm_dev *dev = BPF_CORE_READ(device, dm_dev);

		bpf_core_read_str(a->devices[i], sizeof(a->devices[i]), &dev->name);
		a->n = i + 1;
		at = BPF_CORE_READ(at, next);
	}
	return 0;
}
