/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Event records of slow reads and writes of files, for the module zpl. */
#ifndef ESTAT_MODULES_ZFS_ZPL_SLOW_H
#define ESTAT_MODULES_ZFS_ZPL_SLOW_H

#include "slow_task.bpf.h"

struct slow {
	ESTAT_SLOW_OPERATION;
	estat_bytes_t offset ESTAT_PARAMETER(4, "Where in the file the call began");
	__u32 error ESTAT_PARAMETER(
		5, "The errno, or 1 if kprobes are used, which do not see the errno; 0: no error");
	ESTAT_SLOW_TASK;
	estat_count_t inode ESTAT_PARAMETER(10, "The number of the file's inode");
	estat_name_t pool ESTAT_PARAMETER(40, "The pool");
	estat_name_t dataset ESTAT_PARAMETER(41, "The dataset");
	enum op op ESTAT_PARAMETER(42, "The operation");
	enum sync sync ESTAT_PARAMETER(43, "sync: the call waits for the intent log");
};

ESTAT_SLOW(dataset, struct key, struct slow,
	   "One record for each call whose latency is above the threshold, see estat.module.slow");

/* A call that has ended. */
struct ended {
	__u64 ns;
	__u64 bytes;
	__u64 offset;
	__u64 error;
	__u64 inode;
};

/*
 * Make the event record of the slow read or write *end, unless the key had too many records
 * lately. Not static, so the verifier checks the function once, and not in each BPF program.
 */
__noinline int zpl_record(const struct key *key, const struct ended *end)
{
	struct slow *e = end ? dataset_begin_slow(key) : NULL;

	if (!e)
		return 0;
	e->latency = e->time = end->ns;
	e->bytes = end->bytes;
	e->offset = end->offset;
	e->error = end->error;
	e->inode = end->inode;
	e->pool = key->pool;
	e->dataset = key->dataset;
	e->op = key->op;
	e->sync = key->sync;
	estat_slow_task(ESTAT_SLOW_TASK_OF(e), bpf_get_current_task());
	estat_event_end(e);
	return 0;
}

#endif /* ESTAT_MODULES_ZFS_ZPL_SLOW_H */
