/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The wait of an operation, such as fsync, for a commit of ext4's journal. Meanwhile the bios of
 * the journal's thread are below the wait. If several journeys wait at once, a bio is below only
 * one of their waits.
 */
#ifndef ESTAT_MODULES_TRACE_COMMIT_H
#define ESTAT_MODULES_TRACE_COMMIT_H

#include "frames.bpf.h"
#include "span.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
/* include/linux/jbd2.h */
struct journal_s {
	struct task_struct *j_task;
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
	return alive ? commit_begins((struct journal_s *)args[0]) : 0;
}

ESTAT_MULTI_RETURN(trace_commit_returns, jbd2_log_wait_commit, alive ? commit_ends() : 0)
ESTAT_MULTI_ENTRY(trace_commit_enters, jbd2_log_wait_commit, commit_enters)

#endif /* ESTAT_MODULES_TRACE_COMMIT_H */
