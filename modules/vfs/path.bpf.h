/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The path of a dentry within its file system, read without locks. If a folder is renamed
 * meanwhile, the path can be one that never was. (The kernel allows bpf_d_path() only at a few
 * functions.)
 */
#ifndef ESTAT_MODULES_VFS_PATH_H
#define ESTAT_MODULES_VFS_PATH_H

#include "bucket.h"
#include "name.bpf.h"
#include "types.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct qstr___hash {
	__u64 hash_len; /* the name's hash, and in the upper half its length */
};

struct dentry___hash {
	struct qstr___hash d_name;
};

struct file___path {
	struct {
		struct dentry *dentry;
	} f_path;
};

#pragma clang attribute pop

#define PATH_NAMES 32 /* of a longer path only its last names are kept */
#define PATH_CUT   1  /* result of path_prepend(): the buffer has no room */

/*
 * A path is written into this CPU's buffer backwards, from its last name to its first. The path's
 * final NUL is text[PATH_END].
 */
#define PATH_END (ESTAT_TEXT_LEN - 1)

struct path_text {
	__u32 busy; /* not 0 while in use: an interrupt on this CPU must not use the buffer */
	__u32 at;   /* where the path begins */
	char text[2 * ESTAT_TEXT_LEN]; /* the second half is 0 */
	struct estat_name name;
};

ESTAT_ARRAY_MAP(path_texts, PERCPU_ARRAY, struct path_text, 1);

static __always_inline struct path_text *path_here(void)
{
	__u32 only = 0;

	return bpf_map_lookup_elem(&path_texts, &only);
}

static __always_inline __u64 name_hash(struct dentry *dentry)
{
	return BPF_CORE_READ((struct dentry___hash *)dentry, d_name.hash_len);
}

/* The address of the folder of the dentry at address `at`; of the root, its own. */
static __always_inline __u64 parent_of(__u64 at)
{
	return (__u64)BPF_CORE_READ((struct dentry *)at, d_parent);
}

/*
 * Put a slash and the name of the dentry at address `at` before the path. Returns the parent's
 * address. For the root, puts nothing and returns 0; without room, puts nothing and returns
 * PATH_CUT. The function is not static, and takes and returns addresses as numbers, so that the
 * verifier checks the function once, and not for each name.
 */
__noinline __u64 path_prepend(__u64 at)
{
	struct dentry *dentry = (struct dentry *)at;
	__u64 length = name_hash(dentry) >> 32, parent = parent_of(at), begin;
	struct path_text *t = path_here();

	if (!t || parent == at)
		return 0;
	begin = t->at;
	/* leave 4 bytes: a slash before this name, and "..." if the path is cut here */
	if (begin > PATH_END || begin < length + sizeof("..."))
		return PATH_CUT;
	begin -= length;
	bpf_probe_read_kernel(t->text + estat_masked(begin, PATH_END), length & PATH_END,
			      BPF_CORE_READ(dentry, d_name.name));
	t->text[estat_masked(begin - 1, PATH_END)] = '/';
	t->at = begin - 1;
	return parent;
}

/* Write the path to t->name. Returns a hash of the path. */
static __always_inline __u64 path_write(struct path_text *t, __u64 dentry)
{
	__u64 hash = ESTAT_NAME_HASH;

	t->at = PATH_END;
	for (int i = 0; i < PATH_NAMES && dentry > PATH_CUT; i++)
		dentry = path_prepend(dentry);
	if (dentry > PATH_CUT && parent_of(dentry) == dentry) /* the root: no name is left */
		dentry = 0;
	if (dentry) {
		t->at -= 3;
		__builtin_memcpy(t->text + (t->at & PATH_END), "...", 3);
	} else if (t->at == PATH_END) {
		t->text[--t->at & PATH_END] = '/';
	}
	bpf_probe_read_kernel(t->name.text, ESTAT_TEXT_LEN, t->text + (t->at & PATH_END));
	for (int i = 0; i < ESTAT_TEXT_LEN / 4; i++)
		hash = estat_name_hash(hash, ((const __u32 *)t->name.text)[i]);
	return hash;
}

/* Store the path of a dentry. Returns the path's id, or 0 if the buffer is busy. */
__noinline __u64 path_note(__u64 dentry)
{
	struct path_text *t = path_here();
	__u64 id;

	if (!t || __sync_lock_test_and_set(&t->busy, 1))
		return 0;
	id = path_write(t, dentry);
	estat_name_as(id, &t->name);
	__sync_lock_test_and_set(&t->busy, 0);
	return id;
}

static __always_inline struct dentry *dentry_of(__u64 file)
{
	return BPF_CORE_READ((struct file___path *)file, f_path.dentry);
}

/*
 * A number that is made of a dentry's address, name and folder, so it changes if the file is
 * renamed.
 */
static __always_inline __u64 dentry_id(struct dentry *dentry)
{
	return (__u64)dentry * 0x9e3779b97f4a7c15 ^ name_hash(dentry) ^
	       (__u64)BPF_CORE_READ(dentry, d_parent) << 16;
}

#endif /* ESTAT_MODULES_VFS_PATH_H */
