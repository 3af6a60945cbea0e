/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The wait of an operation, such as fsync, for a commit of ext4's journal or for XFS's log. During
 * a wait for the journal, the bios of the journal's thread are below the wait. During a wait for
 * XFS's log, all bios that write sectors of the log are below the wait, whichever thread submits
 * them. If several journeys wait at once, a bio is below only one of their waits.
 */
#ifndef ESTAT_MODULES_TRACE_COMMIT_H
#define ESTAT_MODULES_TRACE_COMMIT_H

#include "frames.bpf.h"
#include "span.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
/* declared in include/linux/jbd2.h */
struct journal_s {
	struct task_struct *j_task;
};

/* declared in fs/xfs/xfs_mount.h, fs/xfs/xfs_log_priv.h and fs/xfs/xfs_buf.h */
struct xfs_mount {
	struct xlog *m_log;
};

struct xlog {
	struct xfs_buftarg *l_targ;
	long long l_logBBstart; /* the log's first sector on its device */
	int l_logBBsize;        /* the log's size in sectors */
};

struct xfs_buftarg {
	struct block_device *bt_bdev;
};

#pragma clang attribute pop

/* Without the kernel module jbd2 no operation waits for a journal, so the module lacks nothing. */
ESTAT_OPTIONAL("", jbd2_log_wait_commit);

static __noinline int commit_begins(struct journal_s *journal)
{
	int above = span_of_task(bpf_get_current_task());
	int i = above < 0 ? NONE : wait_begins(above, kind_journal);

	if (i >= 0)
		span_at(i)->task = estat_id(BPF_CORE_READ(journal, j_task));
	return 0;
}

static __noinline int commit_ends(void)
{
	int above = span_of_task(bpf_get_current_task());

	return above < 0 ? 0 : wait_ends(above, kind_journal);
}

static __always_inline int commit_enters(const __u64 *args, bool typed)
{
	return active ? commit_begins((struct journal_s *)args[0]) : 0;
}

ESTAT_MULTI_RETURN(trace_commit_returns, jbd2_log_wait_commit, active ? commit_ends() : 0)
ESTAT_MULTI_ENTRY(trace_commit_enters, jbd2_log_wait_commit, commit_enters)

/* Without the kernel module xfs no operation waits for its log, so the module lacks nothing. */
ESTAT_OPTIONAL("", xfs_log_force_seq);

static __noinline int xlog_begins(struct xfs_mount *mount)
{
	int above = span_of_task(bpf_get_current_task());
	int i = above < 0 ? NONE : wait_begins(above, kind_journal);
	struct xlog *log = BPF_CORE_READ(mount, m_log);
	struct block_device *device = BPF_CORE_READ(log, l_targ, bt_bdev);
	struct span *s = span_at(i);

	if (i < 0)
		return 0;
	s->log_device = device_of_disk(BPF_CORE_READ(device, bd_disk));
	s->log_begin = BPF_CORE_READ((struct block_device___begin *)device, bd_start_sect) +
		       BPF_CORE_READ(log, l_logBBstart);
	s->log_end = s->log_begin + BPF_CORE_READ(log, l_logBBsize);
	__sync_fetch_and_add(&logging, 1);
	return 0;
}

static __always_inline int xlog_enters(const __u64 *args, bool typed)
{
	return active ? xlog_begins((struct xfs_mount *)args[0]) : 0;
}

ESTAT_MULTI_RETURN(trace_xlog_returns, xfs_log_force_seq, active ? commit_ends() : 0)
ESTAT_MULTI_ENTRY(trace_xlog_enters, xfs_log_force_seq, xlog_enters)

#endif /* ESTAT_MODULES_TRACE_COMMIT_H */
