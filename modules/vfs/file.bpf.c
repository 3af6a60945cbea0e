// SPDX-License-Identifier: GPL-2.0-or-later
/* file: the operations of vfs, by path; the busiest files have rows. */
#include "async.bpf.h"
#include "named.bpf.h"
#include "path.bpf.h"
#include "vfs.bpf.h"
#include "others.bpf.h"

ESTAT_MODULE(file, 35);
ESTAT_ON_DEMAND;
ESTAT_EVIDENCE_OWN_READS;

struct key {
	estat_dev_t device;
	enum op op;
	estat_name_t path;
};

ESTAT_SERIES(
	file, 0, struct key, struct estat_io, 512,
	"The operations of estat.vfs, by path. Operations that estat.vfs counts in eagain or\n"
	"queued do not count here. The path begins at the file system's root; the path of a block\n"
	"device is its name in /dev. The axis device has the same values as in estat.vfs. A file\n"
	"counts by the path by which it was opened, also after that path is removed; a renamed\n"
	"file counts by its new path. If a folder is renamed, its files that were in use lately\n"
	"keep the old path. If a path has more than 32 names or 252 bytes, only its end is shown,\n"
	"after \"...\". The 512 busiest keys have rows; all others are counted together in other.\n"
	"Linux 5.15 to 7.3, on kernels where BPF programs can be attached by fentry");
ESTAT_OVERFLOW(file);
ESTAT_LAYOUT(file, "rows {device}:{path}, {op}");

/* The ids of the paths of dentries that were in use lately. The key is dentry_id(). */
ESTAT_HASH_MAP(paths, LRU_HASH, __u64, __u64, 4096);

/*
 * Get a slot for a key that has none yet, or whose path is not known yet. The path is stored if it
 * is not known yet, or if a slot is free. Returns the slot's values, or those of `other`. NULL: the
 * operation counts as missed or dropped.
 */
static __noinline struct estat_io *new_value(struct key *key, struct dentry *dentry)
{
	__u64 id = dentry_id(dentry);

	if (!key->path || !file_state.full) {
		key->path = path_note((__u64)dentry);
		if (!key->path) {
			estat_count_missed();
			return NULL;
		}
		bpf_map_update_elem(&paths, &id, &key->path, BPF_ANY);
	}
	return file_get(key);
}

static __noinline int vfs_ended(struct super_block *sb, const struct operation *o)
{
	struct dentry *dentry = o->dentry ? (void *)o->dentry : dentry_of(o->file);
	struct key key = { .device = o->device, .op = o->op };
	__u64 id = dentry_id(dentry), *known;
	struct estat_io *v = NULL;

	if (is_unfinished(o))
		return 0;
	known = bpf_map_lookup_elem(&paths, &id);
	if (known) {
		key.path = *known;
		v = file_find(&key);
	}
	if (!v) {
		estat_name_mounted(key.device, sb);
		v = new_value(&key, dentry);
	}
	if (count_operation(v, o))
		file_count_by_size(&key, o->ns, o->result);
	return 0;
}
