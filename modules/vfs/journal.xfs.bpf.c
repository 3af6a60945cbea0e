// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * journal.xfs: forces of XFS's log, waits for space in it, and pushes to it, by device and stage.
 * XFS gathers the changes of transactions in memory (the committed item list, CIL), pushes them to
 * the log together, and forces the log to the disk (fs/xfs/xfs_log.c, xfs_log_cil.c, Linux 5.15 to
 * 7.3). XFS's tracepoints are not used: BPF programs on them would keep the kernel module xfs
 * loaded, and none of them is at the end of the probed functions.
 */
#define ESTAT_RARE

#include "aggregate.bpf.h"
#include "return.bpf.h"
#include "thread.bpf.h"
#include "told.bpf.h"
#include "types.bpf.h"

ESTAT_MODULE(journal.xfs, 25);
ESTAT_NEEDS("xfs", "/sys/fs/xfs/*/log");
ESTAT_EVIDENCE("/sys/fs/xfs/stats/stats", "^log ");

#define XFS_LOG_SYNC 1 /* the caller waits; from fs/xfs/xfs_log.h */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
/* declared in fs/xfs/xfs_mount.h */
struct xfs_mount {
	struct super_block *m_super;
};

/* declared in fs/xfs/xfs_log_priv.h */
struct xlog {
	struct xfs_mount *l_mp;
};

struct xfs_cil {
	struct xlog *xc_log;
};

struct work_struct {
};

struct xfs_cil_ctx {
	struct xfs_cil *cil;
	struct work_struct push_work;
};
#pragma clang attribute pop

enum stage {
	stage_force,
	stage_force_async,
	stage_space,
	stage_push,
};

struct key {
	estat_dev_t device;
	enum stage stage;
};

struct value {
	struct estat_latency_errors;
	struct estat_inflight;
};

ESTAT_SERIES(
	journal_xfs, 0, struct key, struct value, 128,
	"XFS's log. force: a call that waits until changes are in the log on the disk, as fsync\n"
	"and sync do; force_async: a call that does not wait, as XFS's own threads make; both\n"
	"from the entry of xfs_log_force or xfs_log_force_seq to its return. space: a\n"
	"transaction's wait for space in a full log, from the entry of xlog_grant_head_wait to\n"
	"its return. push: the write of gathered changes to the log, from the entry of\n"
	"xlog_cil_push_work to its return; a force can wait for a push. The device is the file\n"
	"system's, even if the log is on another device. Linux 5.15 or newer");

ESTAT_OPTIONAL("estat.journal.xfs of space", xlog_grant_head_wait);
ESTAT_OPTIONAL("estat.journal.xfs of pushes", xlog_cil_push_work);

static __noinline int count(__u32 device, enum stage stage, __u64 ns, bool failed)
{
	struct key key = { .device = device, .stage = stage };

	estat_count_end(journal_xfs_get(&key), ns, failed);
	return 0;
}

/* The device of a mount. */
static __always_inline __u64 note_mount(const struct estat_call *call, bool typed)
{
	struct xfs_mount *mount = (struct xfs_mount *)call->arg[0];

	return BPF_CORE_READ(mount, m_super, s_dev);
}

static __always_inline __u64 note_log(const struct estat_call *call, bool typed)
{
	struct xlog *log = (struct xlog *)call->arg[0];

	return BPF_CORE_READ(log, l_mp, m_super, s_dev);
}

/*
 * The file system's device, noted at the entry, because the CIL context can be freed before the
 * return.
 */
static __always_inline __u64 note_push(const struct estat_call *call, bool typed)
{
	struct xfs_cil_ctx *ctx =
		(void *)(call->arg[0] - bpf_core_field_offset(struct xfs_cil_ctx, push_work));

	return BPF_CORE_READ(ctx, cil, xc_log, l_mp, m_super, s_dev);
}

static __always_inline enum stage stage_of(__u32 flags)
{
	return flags & XFS_LOG_SYNC ? stage_force : stage_force_async;
}

static __always_inline int forced(const struct estat_call *call, __u32 flags)
{
	return count(call->noted, stage_of(flags), estat_elapsed(call), (int)call->ret);
}

ESTAT_RUN(ESTAT_CALL(journal_xfs_force, xfs_log_force, 2, note_mount), forced(call, call->arg[1]))

/*
 * The function has four arguments, but only three are read, because the fourth is an int *, which a
 * BPF program at fentry cannot read in Linux 5.15.
 */
ESTAT_CALL(journal_xfs_force_seq, xfs_log_force_seq, 3, note_mount)
{
	return forced(call, call->arg[2]);
}

ESTAT_RUN(ESTAT_CALL(journal_xfs_space, xlog_grant_head_wait, 4, note_log),
	  count(call->noted, stage_space, estat_elapsed(call), (int)call->ret))
ESTAT_RUN(ESTAT_CALL(journal_xfs_push, xlog_cil_push_work, 1, note_push),
	  count(call->noted, stage_push, estat_elapsed(call), false))

static __always_inline bool call_under_way(struct estat_call_key id, const struct estat_call *call,
					   struct key *key)
{
	key->device = call->noted;
	if (id.probe == ESTAT_PROBE_NUMBER(journal_xfs_force))
		key->stage = stage_of(call->arg[1]);
	else if (id.probe == ESTAT_PROBE_NUMBER(journal_xfs_force_seq))
		key->stage = stage_of(call->arg[2]);
	else if (id.probe == ESTAT_PROBE_NUMBER(journal_xfs_space))
		key->stage = stage_space;
	else
		key->stage = stage_push;
	return estat_can_be_in((void *)call->ret, call->began);
}

ESTAT_TELLS;
ESTAT_WALK_HASH(estat_calls, struct estat_call_key, struct estat_call, journal_xfs, struct key,
		call_under_way, estat_tell_call);
