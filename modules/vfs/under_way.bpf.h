/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of a file's operation that is under way, for the walks of vfs and vfs.process. All
 * is read by bpf_probe_read_kernel(), because the operation may end and its file may be freed
 * during the walk. If so, the walk finds that the entry has changed (ESTAT_WALK), and does not
 * count the operation.
 */
#ifndef ESTAT_MODULES_VFS_UNDER_WAY_H
#define ESTAT_MODULES_VFS_UNDER_WAY_H

#include "operation.bpf.h"
#include "sys/uring_types.bpf.h"
#include "thread.bpf.h"
#include "told.bpf.h"

ESTAT_TELLS;

/* The inverse, modulo 2^64, of the factor in ID_HERE: gets the task's address back from an id. */
#define ID_INVERSE 0xf1de83e19937733d

/* The thread that is in a synchronous operation; NULL: the thread has exited. */
static __always_inline struct task_struct___files *thread_of(const struct estat_begun *e)
{
	struct operation_note *note = operations_note(e);
	__u64 id = e->id - note->object - (note->what >> 20 & 3);
	struct task_struct___files *task = (void *)(id * ID_INVERSE);

	if (BPF_CORE_READ(task, exit_state) ||
	    BPF_CORE_READ(task, start_time) > (e->began & ESTAT_BEGAN))
		return NULL;
	return task;
}

/*
 * The file system in which a thread looks up the path of a file to open. NULL: the thread looks no
 * path up, the file system stores no data, or the thread opens a FIFO, a socket or a character
 * device such as a terminal: an open of these can wait for hours.
 */
static __always_inline struct super_block *opens_in(struct task_struct___files *task)
{
	struct dentry *dentry = BPF_CORE_READ(task, nameidata, path.dentry);
	struct super_block *sb = BPF_CORE_READ(dentry, d_sb);
	__u32 type = BPF_CORE_READ(dentry, d_inode, i_mode) & S_IFMT;

	if (type == S_IFIFO || type == S_IFCHR || type == S_IFSOCK)
		return NULL;
	return stores(sb, false) ? sb : NULL;
}

/*
 * Fill in *o with what will count at the end of the operation of entry *e, as far as that is known
 * now. (An open, for example, may turn out to be a create.) Returns the file system; NULL: the
 * operation does not count, or its thread has exited.
 */
static __always_inline struct super_block *find_what(const struct estat_begun *e,
						     struct operation *o)
{
	struct operation_note *note = operations_note(e);
	__u64 what = note->what, rwf = what >> 32;
	enum object object = WHAT_IS(what);
	void *address = (void *)note->object;
	struct super_block *sb = NULL;
	struct dentry *dentry = address;
	struct kiocb *iocb = (struct kiocb *)e->id;
	struct file *file = address;
	struct node n;

	o->op = what & 255;
	o->by = what >> 8 & 255;
	if (object == object_iocb) {
		o->iocb = e->id;
		rwf = BPF_CORE_READ(iocb, ki_flags);
		file = BPF_CORE_READ(iocb, ki_filp);
	} else if (object == object_none || !thread_of(e)) {
		return NULL;
	}
	if (object == object_dentry)
		sb = BPF_CORE_READ(dentry, d_sb);
	else if (object == object_lookup)
		sb = opens_in(thread_of(e));
	if (object == object_dentry || object == object_lookup) {
		o->device = BPF_CORE_READ(sb, s_dev);
		o->fs = estat_id(BPF_CORE_READ(sb, s_type));
		return sb;
	}
	if (!read_node(file, &n, false) || !node_is_stored(&n, false))
		return NULL;
	if (o->op == op_read || o->op == op_write)
		o->how = how_of(file, &n, o->op, rwf, false);
	return find_place(file, &n, o, false);
}

#define EXIT_DEAD 0x10 /* a value of task_struct.exit_state, from include/linux/sched.h */

/*
 * Can the asynchronous operation of entry *e be under way? False in three cases. 1. The process was
 * reaped, which happens only after all of its operations have ended. Then the address of its first
 * thread's task_struct has a dead task, or a task that began after the operation. 2. aio's kiocb
 * has no reference left. 3. The request's io_uring has posted as many results as the io_uring has
 * taken requests.
 */
static __always_inline bool may_be_under_way(const struct estat_begun *e, enum by by)
{
	struct task_struct___files *process = (void *)operations_note(e)->object;
	struct io_kiocb *request = (struct io_kiocb *)e->id;
	struct aio_kiocb *kiocb = (struct aio_kiocb *)e->id;

	if (BPF_CORE_READ(process, exit_state) & EXIT_DEAD ||
	    BPF_CORE_READ(process, start_time) > (e->began & ESTAT_BEGAN))
		return false;
	if (by == by_aio)
		return !bpf_core_type_exists(struct aio_kiocb) ||
		       BPF_CORE_READ(kiocb, ki_refcnt.refs.counter);
	return !bpf_core_type_exists(struct io_ring_ctx) ||
	       BPF_CORE_READ(request, ctx, cached_sq_head) !=
		       BPF_CORE_READ(request, ctx, cached_cq_tail);
}

/*
 * Since the operation of entry *e began, has its thread ended a call that reads or writes? Then the
 * operation has ended, too, and its end was missed, so the thread may wait in another operation
 * now. Returns false for operations that can make such calls themselves: each open, because IMA may
 * read the file, and all operations in ecryptfs. Returns false also if the kernel does not count
 * such calls, or if the number of such calls since the begin is a multiple of 1024.
 */
static __always_inline bool has_gone_on(const struct estat_begun *e, __u64 magic)
{
	struct task_struct___files *task = thread_of(e);
	__u64 what = operations_note(e)->what, calls;

	if (WHAT_IS(what) == object_lookup || magic == ECRYPTFS_SUPER_MAGIC ||
	    !bpf_core_field_exists(task->ioac.syscw))
		return false;
	calls = BPF_CORE_READ(task, ioac.syscr) + BPF_CORE_READ(task, ioac.syscw);
	return (what ^ WHAT_CALLS(calls)) & WHAT_CALLS(~0ULL);
}

/*
 * Does what find_what() does, but returns NULL also if the operation's end seems missed. The end of
 * a synchronous operation seems missed if has_gone_on(), or if the operation began more than a
 * second ago and its thread does not wait uninterruptibly now. In FUSE how the thread waits is no
 * sign, because operations can wait interruptibly there. The end of an asynchronous operation seems
 * missed if not may_be_under_way().
 */
static __noinline struct super_block *under_way(const struct estat_begun *e, struct operation *o)
{
	struct super_block *sb = find_what(e, o);
	__u64 magic;

	if (o->iocb)
		return may_be_under_way(e, o->by) ? sb : NULL;
	if (!sb)
		return NULL;
	magic = BPF_CORE_READ(sb, s_magic);
	if (has_gone_on(e, magic))
		return NULL;
	if (estat_can_be_in(thread_of(e), e->began & ESTAT_BEGAN))
		return sb;
	return magic == FUSE_SUPER_MAGIC ? sb : NULL;
}

/*
 * Store the process and the file's name of the operation of entry *e, as the walk's details of the
 * operation (estat_told). Of an open, the name is the part of the path still to be looked up.
 */
static __noinline int tell(const struct estat_begun *e)
{
	struct operation_note *note = operations_note(e);
	enum object object = WHAT_IS(note->what);
	struct estat_told *t = estat_told();
	struct kiocb *iocb = (struct kiocb *)e->id;
	struct file *file = (struct file *)note->object;
	struct dentry *dentry = (struct dentry *)note->object;
	__u64 task = note->object;
	const unsigned char *name;

	if (object == object_iocb)
		file = BPF_CORE_READ(iocb, ki_filp);
	else
		task = (__u64)thread_of(e);
	estat_tell_task(task);
	if (object != object_dentry)
		dentry = BPF_CORE_READ(file, f_path.dentry);
	name = object == object_lookup
		       ? BPF_CORE_READ((struct task_struct___files *)task, nameidata, last.name)
		       : BPF_CORE_READ(dentry, d_name.name);
	if (t)
		bpf_probe_read_kernel_str(t->file, sizeof(t->file), name);
	return 0;
}

#endif /* ESTAT_MODULES_VFS_UNDER_WAY_H */
