// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * endless: calls of vfs_read under way, by command. No BPF program sees the ends of the calls:
 * estat_walk must find out which calls have ended.
 */
#include "process.bpf.h"
#include "vfs/under_way.bpf.h"

ESTAT_MODULE(endless, 0);

struct key {
	char command[16];
};

struct value {
	struct estat_latency;
	struct estat_inflight;
};

ESTAT_SERIES(endless, 0, struct key, struct value, 64, "Nothing");

static int vfs_ended(struct super_block *sb, const struct operation *o)
{
	return 0;
}

static __always_inline int enters(struct file *file, __u64 what, bool typed)
{
	return is_stored(file, typed) ? begin(ID_HERE(file), 0, estat_id(file), what) : 0;
}

VFS_BEGINS(endless_begins, WHAT(op_read, by_call), enters((struct file *)args[0], what, typed))
ESTAT_MULTI_ENTRY(endless_enters, vfs_read, endless_begins)

static __always_inline bool key_under_way(const struct estat_begun *e, struct key *key)
{
	struct operation o = {};

	if (!under_way(e, &o))
		return false;
	estat_command_of(key->command, thread_of(e));
	return true;
}

ESTAT_WALK(operations, endless, struct key, key_under_way, tell);
