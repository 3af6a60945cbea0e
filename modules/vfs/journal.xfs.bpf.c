// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * journal.xfs: waits for XFS's log, and what is done for them, by device and stage. What
 * transactions have changed is gathered in memory (the committed item list, CIL), pushed to the
 * log in one go, and forced to the disk for who waits for it (fs/xfs/xfs_log.c, xfs_log_cil.c,
 * Linux 5.15 to 7.3). XFS's tracepoints would hold its kernel module, and none is at the end of
 * these.
 */
#include "aggregate.bpf.h"
#include "return.bpf.h"
#include "types.bpf.h"

ESTAT_MODULE(journal.xfs, 25);
ESTAT_NEEDS("xfs", "/sys/fs/xfs/*/log");
ESTAT_EVIDENCE("/sys/fs/xfs/stats/stats", "^log ");

#define XFS_LOG_SYNC 1 /* fs/xfs/xfs_log.h: it waits */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
/* fs/xfs/xfs_mount.h */
struct xfs_mount {
	struct super_block *m_super;
};

/* fs/xfs/xfs_log_priv.h */
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

ESTAT_SERIES(
	journal_xfs, 0, struct key, struct estat_latency_errors, 128,
	"XFS's log. force: as fsync and sync do, until what was changed is in the log on the\n"
	"disk; force_async: the same for those that do not wait, as XFS's own threads; from the\n"
	"entry of xfs_log_force or xfs_log_force_seq to its return. space: a transaction's wait\n"
	"for a full log (xlog_grant_head_wait). push: from the entry of xlog_cil_push_work,\n"
	"which writes what is gathered to the log, to its return; a force can wait for that.\n"
	"The device is the file system's, wherever its log is. Linux 5.15 or newer");

ESTAT_OPTIONAL(xlog_grant_head_wait, "estat.journal.xfs of space");
ESTAT_OPTIONAL(xlog_cil_push_work, "estat.journal.xfs of pushes");

static __noinline int count(__u32 device, enum stage stage, __u64 ns, bool failed)
{
	struct key key = { .device = device, .stage = stage };
	struct estat_latency_errors *v = journal_xfs_get(&key);

	if (!v)
		return 0;
	estat_count_end(v, ns, failed);
	return 0;
}

/* A mount's device, for the return: the mount is there as long as it has one. */
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

/* The context is freed before the return. */
static __always_inline __u64 note_push(const struct estat_call *call, bool typed)
{
	struct xfs_cil_ctx *ctx =
		(void *)(call->arg[0] - bpf_core_field_offset(struct xfs_cil_ctx, push_work));

	return BPF_CORE_READ(ctx, cil, xc_log, l_mp, m_super, s_dev);
}

static __always_inline int forced(const struct estat_call *call, __u32 flags)
{
	return count(call->noted, flags & XFS_LOG_SYNC ? stage_force : stage_force_async,
		     estat_elapsed(call), (int)call->ret);
}

ESTAT_FULL_CALL(journal_xfs_force, xfs_log_force, 2, note_mount)
{
	return forced(call, call->arg[1]);
}

/* Its fourth argument is a pointer to an int, which programs on Linux 5.15 must not read. */
ESTAT_CALL_RETURNING(journal_xfs_force_seq, xfs_log_force_seq, 3, note_mount, true, (ctx)[4])
{
	return forced(call, call->arg[2]);
}

ESTAT_FULL_CALL(journal_xfs_space, xlog_grant_head_wait, 4, note_log)
{
	return count(call->noted, stage_space, estat_elapsed(call), (int)call->ret);
}

ESTAT_FULL_CALL(journal_xfs_push, xlog_cil_push_work, 1, note_push)
{
	return count(call->noted, stage_push, estat_elapsed(call), false);
}
