// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vfs.process: the operations of vfs, by command, that is, by the name of the process that does the
 * operation.
 */
#define VFS_BEGUN
#include "async.bpf.h"
#include "process.bpf.h"
#include "under_way.bpf.h"
#include "vfs.bpf.h"
#include "others.bpf.h"

ESTAT_MODULE(vfs.process, 15);
ESTAT_ON_DEMAND;
ESTAT_EVIDENCE_OWN_READS;

struct command {
	char name[16];
};

struct key {
	char command[16];
	enum op op;
};

struct value {
	struct estat_io;
	struct estat_inflight;
};

ESTAT_SERIES(
	vfs_process, 0, struct key, struct value, 512,
	"The operations of estat.vfs, by the name of the process, which is the name of its first\n"
	"thread. Work of an io_uring worker counts for the process that submitted it. Operations\n"
	"that estat.vfs counts in eagain or queued do not count here. Linux 5.15 to 7.3, on\n"
	"kernels where BPF programs can be attached by fentry");
ESTAT_OVERFLOW(vfs_process);

/* The command of the process that began an asynchronous operation, by the operation's id. */
ESTAT_HASH_MAP(issuers, LRU_HASH, __u64, struct command, 16384);

static __always_inline void vfs_begun(__u64 id, __u64 what)
{
	struct command command = {};

	if (WHAT_IS(what) != object_iocb)
		return;
	estat_command(command.name);
	bpf_map_update_elem(&issuers, &id, &command, BPF_ANY);
}

static __noinline int vfs_ended(struct super_block *sb, const struct operation *o)
{
	struct key key = { .op = o->op };
	struct command *command;
	struct estat_io *v;
	__u64 iocb = o->iocb;

	if (is_unfinished(o))
		return 0;
	command = iocb ? bpf_map_lookup_elem(&issuers, &iocb) : NULL;
	if (command) {
		__builtin_memcpy(key.command, command->name, sizeof(key.command));
		bpf_map_delete_elem(&issuers, &iocb);
	} else {
		estat_command(key.command);
	}
	v = (struct estat_io *)vfs_process_get(&key);
	if (count_operation(v, o))
		vfs_process_count_by_size(&key, o->ns, o->result);
	return 0;
}

static __always_inline bool key_under_way(const struct estat_begun *e, struct key *key)
{
	struct operation o = {};
	struct command *command;

	if (!under_way(e, &o))
		return false;
	key->op = o.op;
	if (!o.iocb) {
		estat_command_of(key->command, thread_of(e));
		return true;
	}
	command = bpf_map_lookup_elem(&issuers, &o.iocb);
	if (command)
		__builtin_memcpy(key->command, command->name, sizeof(key->command));
	return command;
}

ESTAT_WALK(operations, vfs_process, struct key, key_under_way, tell);
