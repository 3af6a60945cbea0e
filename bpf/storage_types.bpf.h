/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's types of task storage (include/linux/bpf_local_storage.h), with only the members
 * that modules read. CO-RE finds the members' real offsets at load. NAME___storage stands for the
 * kernel's NAME, which other headers declare with other members.
 */
#ifndef ESTAT_BPF_STORAGE_TYPES_H
#define ESTAT_BPF_STORAGE_TYPES_H

#include <linux/types.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct bpf_map {
	__u32 id;
};

struct bpf_local_storage_map {
	struct bpf_map map;
};

struct bpf_local_storage_data {
	struct bpf_local_storage_map *smap;
	__u8 data[];
};

struct hlist_node___storage {
	struct hlist_node___storage *next;
};

struct hlist_head___storage {
	struct hlist_node___storage *first;
};

struct bpf_local_storage_elem {
	struct hlist_node___storage snode;
	struct bpf_local_storage_data sdata;
};

struct bpf_local_storage {
	struct hlist_head___storage list;
};

struct task_struct___storage {
	struct bpf_local_storage *bpf_storage;
};

#pragma clang attribute pop

#endif /* ESTAT_BPF_STORAGE_TYPES_H */
