/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Event records of slow operations, for the module vfs. */
#ifndef ESTAT_MODULES_VFS_VFS_SLOW_H
#define ESTAT_MODULES_VFS_VFS_SLOW_H

#include "operation.bpf.h"
#include "slow_task.bpf.h"
#include "sys/uring_types.bpf.h"

#define BDEVFS_MAGIC 0x62646576 /* from include/uapi/linux/magic.h */

struct slow {
	ESTAT_SLOW_OPERATION;
	estat_bytes_t offset ESTAT_PARAMETER(
		4, "Where in the file a read or write began; 0 also if that is not known");
	__u32 error ESTAT_PARAMETER(5, "The errno; 0: none");
	ESTAT_SLOW_TASK;
	char file[64] ESTAT_PARAMETER(10, "The last name of the file's path");
	estat_name_t fs ESTAT_PARAMETER(40, "The type of the file system");
	estat_dev_t device ESTAT_PARAMETER(41, "The disk or source that is mounted");
	enum op op ESTAT_PARAMETER(42, "The operation");
	enum how how ESTAT_PARAMETER(43, "How a read or write is done, as in estat.vfs");
};

ESTAT_SLOW(call, struct key, struct slow,
	   "One record for each operation whose latency is above the threshold, see\n"
	   "estat.module.slow; those that estat.module.withheld counts have no record");

/*
 * Where in the file a read or write that has ended began; 0 also if that is not known. The result
 * is the position less the transferred bytes, because the operation has moved the position by these
 * bytes. For an asynchronous operation the result is known only on a block device and in a file
 * system with a disk: some other file systems, such as NFS, do not move the position.
 */
static __always_inline __u64 offset_of(const struct operation *o)
{
	const struct kiocb *iocb = (const struct kiocb *)o->iocb;
	const struct file *file = (const struct file *)o->file;
	struct super_block *sb = BPF_CORE_READ(file, f_mapping, host, i_sb);
	__s64 position = 0;

	if (o->op != op_read && o->op != op_write)
		return 0;
	if (o->position)
		bpf_probe_read_kernel(&position, sizeof(position), (const void *)o->position);
	else if (o->iocb &&
		 (BPF_CORE_READ(sb, s_bdev) || BPF_CORE_READ(sb, s_magic) == BDEVFS_MAGIC))
		position = BPF_CORE_READ(iocb, ki_pos);
	if (o->result > 0)
		position -= o->result;
	return position > 0 ? position : 0;
}

/*
 * The thread that did the operation. If an operation of io_uring ended neither at the return of
 * io_read or io_write (by_uring) nor just before (by_uring_inside, only Linux 5.15), the result is
 * the thread that submitted the operation. For an operation of aio the result is 0, because the
 * thread is not known.
 */
static __always_inline __u64 thread_that_did(const struct operation *o)
{
	const struct io_kiocb *req = (const struct io_kiocb *)o->iocb;

	if (!o->iocb || o->by == by_uring || o->by == by_uring_inside)
		return bpf_get_current_task();
	if (o->by == by_aio)
		return 0;
	return bpf_core_field_exists(req->tctx) ? (__u64)BPF_CORE_READ(req, tctx, task)
						: (__u64)BPF_CORE_READ(req, task);
}

/*
 * Make the event record of the slow operation *o, unless the key had too many records lately. Not
 * static, so the verifier checks the function once, and not at the end of each operation.
 */
__noinline int vfs_record(const struct key *key, const struct operation *o)
{
	struct slow *e = o ? call_begin_slow(key) : NULL;
	struct dentry *dentry;
	struct file *file;

	if (!e)
		return 0;
	file = (struct file *)o->file;
	dentry = (struct dentry *)o->dentry;
	if (!dentry)
		dentry = BPF_CORE_READ(file, f_path.dentry);
	e->latency = e->time = o->ns;
	e->bytes = transfers_bytes(o->op) && o->result > 0 ? o->result : 0;
	e->offset = offset_of(o);
	e->error = o->result < 0 ? -o->result : 0;
	e->file[0] = 0;
	bpf_probe_read_kernel_str(e->file, sizeof(e->file), BPF_CORE_READ(dentry, d_name.name));
	e->fs = o->fs;
	e->device = o->device;
	e->op = o->op;
	e->how = o->how;
	estat_slow_task(ESTAT_SLOW_TASK_OF(e), thread_that_did(o));
	estat_event_end(e);
	return 0;
}

#endif /* ESTAT_MODULES_VFS_VFS_SLOW_H */
