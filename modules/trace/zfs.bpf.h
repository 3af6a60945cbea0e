/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The way of an operation through ZFS:
 *
 *	zfs_read, zfs_write, zfs_fsync	the operation is in ZFS
 *	zil_itx_assign		of a commit's record: the operation waits for the intent log, so the
 *				wait's span begins
 *	zio_nowait		a thread issues a zio for the operation: the zio's span begins
 *	vdev_queue_io		a zio of a disk or file, below that zio, enters the vdev's queue:
 *				the span of the disk's or file's zio begins
 *	vdev_disk_io_start, vdev_file_io_start	the queue gives the zio to the disk or file
 *	vdev_disk_io_done, vdev_file_io_done	the disk or file has completed the zio: the span of
 *				the disk's or file's zio ends
 *	zio_destroy		the zio of zio_nowait ends
 *	zio_flush		a thread flushes the disks of a vdev that has the log block
 *	rrm_exit		the operation leaves ZFS: a wait for the intent log has ended
 *
 * A zio is the operation's if the operation's thread issues the zio, if the zio writes the log
 * block that the operation waits for, or if the zio writes bytes of the file that a write has
 * changed in the zio's txg. A vdev's queue can give the disk one aggregate in the place of several
 * zios; the aggregate has the bytes of each of them. The bios of a zio are found by the thread that
 * has given the zio to the disk, and by the zio's bytes. A thread submits all bios of a zio before
 * it gives the next zio to a disk. Zios that read ahead are not followed: no operation waits for
 * them yet. volume.bpf.h says which zios are a volume's.
 */
#ifndef ESTAT_MODULES_TRACE_ZFS_H
#define ESTAT_MODULES_TRACE_ZFS_H

#include "probe.bpf.h"
#include "span.bpf.h"
#include "txg.bpf.h"
#include "volume.bpf.h"
#include "zfs/types.bpf.h"
#include "zio.bpf.h"

/* Without ZFS no operation goes through ZFS, so the module lacks nothing. */
ESTAT_ALSO("zfs");
ESTAT_OPTIONAL("", zfs_read);
ESTAT_OPTIONAL("", zfs_write);
ESTAT_OPTIONAL("", zfs_fsync);
ESTAT_OPTIONAL("", zil_itx_assign);
ESTAT_OPTIONAL("", rrm_exit);
ESTAT_OPTIONAL("", zio_flush);
ESTAT_OPTIONAL("", zio_nowait);
ESTAT_OPTIONAL("", zio_destroy);
ESTAT_OPTIONAL("", vdev_queue_io);
ESTAT_OPTIONAL("", vdev_disk_io_start);
ESTAT_OPTIONAL("", vdev_disk_io_done);
ESTAT_OPTIONAL("", vdev_file_io_start);
ESTAT_OPTIONAL("", vdev_file_io_done);

static __always_inline __u64 objset_of(struct znode *zp)
{
	struct super_block *sb = BPF_CORE_READ(zp, z_inode.i_sb);
	struct zfsvfs *zfsvfs = BPF_CORE_READ(sb, s_fs_info);

	return BPF_CORE_READ(zfsvfs, z_os, os_dsl_dataset, ds_object);
}

/*
 * The operation's thread enters ZFS. From now on the thread's bios go below the spans of zios, and
 * not below the operation's span.
 */
static __noinline int zfs_enters(struct znode *zp)
{
	int i = journey_of_task(bpf_get_current_task());
	struct journey *j = traced_at(i);

	if (i < 0)
		return 0;
	j->in_zfs = true;
	j->switches = switches_here();
	j->znode = estat_id(zp);
	j->objset = objset_of(zp);
	if (j->append && j->op == op_write)
		j->offset = BPF_CORE_READ(zp, z_size);
	span_at(i)->task = 0;
	return 0;
}

#define ZNODE(call) ((struct znode *)(call)->arg[0])

ESTAT_RUN(ESTAT_ENTRY(trace_zfs_read, zfs_read, 1), active ? zfs_enters(ZNODE(call)) : 0);
ESTAT_RUN(ESTAT_ENTRY(trace_zfs_write, zfs_write, 1), active ? zfs_enters(ZNODE(call)) : 0);
ESTAT_RUN(ESTAT_ENTRY(trace_zfs_fsync, zfs_fsync, 1), active ? zfs_enters(ZNODE(call)) : 0);

/*
 * The operation's thread puts a record into the intent log's queue. If the record is a commit's,
 * begin the span of the wait for the log.
 */
static __noinline int log_begins(struct itx *itx)
{
	int n = journey_of_task(bpf_get_current_task());

	if (n >= 0 && BPF_CORE_READ(itx, itx_lr.lrc_txtype) == TX_COMMIT &&
	    wait_begins(n, kind_log) >= 0)
		traced_at(n)->waiter = estat_id(BPF_CORE_READ(itx, itx_private));
	return 0;
}

ESTAT_ENTRY(trace_log_begins, zil_itx_assign, 2)
{
	return active ? log_begins((struct itx *)call->arg[1]) : 0;
}

/*
 * The operation's thread leaves ZFS. If the thread was in a wait for the intent log, that wait has
 * ended, so end the wait's span.
 */
static __noinline int zfs_leaves(void)
{
	int n = journey_of_task(bpf_get_current_task());
	struct journey *j = traced_at(n);
	struct znode *zp = (struct znode *)j->znode;

	if (n < 0 || !j->in_zfs)
		return 0;
	j->size = BPF_CORE_READ(zp, z_size);
	j->waiter = j->flusher = 0;
	return wait_ends(n, kind_log);
}

ESTAT_RUN(ESTAT_ENTRY(trace_zfs_leaves, rrm_exit, 1), active ? zfs_leaves() : 0);

/* Does the journey wait for the log block at address `lwb`? */
static __always_inline bool waits_for(const struct journey *j, __u64 lwb)
{
	struct zil_commit_waiter *waiter = (struct zil_commit_waiter *)j->waiter;

	return j->waiter && lwb && estat_id(BPF_CORE_READ(waiter, zcw_lwb)) == lwb;
}

/*
 * Thread `task` issues a zio of a block: begin a span if the thread is in journey `n`'s operation,
 * or if the operation waits for the zio's log block.
 */
__noinline int zio_followed(__u64 n, __u64 issued, __u64 task)
{
	struct zio *zio = (struct zio *)issued;
	struct journey *j = traced_at(n);
	bool own = j->task == task;
	int i, wait = span_at(n)->wait;

	if (!j->id || !j->in_zfs || (own && is_ahead(zio)) ||
	    (!own && !waits_for(j, estat_id(BPF_CORE_READ(zio, io_private)))))
		return 0;
	j->zios++;
	i = zio_claim(wait >= 0 ? wait : n, issued);
	if (i < 0)
		return 0;
	if (wait >= 0)
		span_at(wait)->written += BPF_CORE_READ(zio, io_size);
	zio_span_begins(i, zio, offset_in(zio, j->objset, j->file));
	return 0;
}

static __noinline int zio_begins(struct zio *zio)
{
	__u64 task = bpf_get_current_task(), id = estat_id(zio);
	int older, above;

	/* the zio is not the zio of a block: it is of a disk or file, or has no block */
	if (estat_id(BPF_CORE_READ(zio, io_logical)) != id)
		return 0;
	older = span_of_zio(id);
	if (older >= 0)
		span_gives_up(older);
	for (int n = 0; n < JOURNEYS; n++)
		if (traced[n].in_zfs)
			zio_followed(n, id, task);
	if (dirtied)
		each_data_written(id, task);
	above = span_of_volume(task);
	return above < 0 ? 0 : volume_issues(above, id);
}

ESTAT_ENTRY(trace_zio_begins, zio_nowait, 1)
{
	return (active || dirtied) && call->arg[0] ? zio_begins((struct zio *)call->arg[0]) : 0;
}

/* A zio enters its vdev's queue: begin a span if span `above` is of the zio's block. */
__noinline int vdev_entered(__u64 above, __u64 queued, __u64 logical)
{
	struct zio *zio = (struct zio *)queued;
	int i;

	if (span_at(above)->zio != logical || span_at(above)->kind != kind_zio)
		return 0;
	i = span_claim(above, kind_vdev, 0);
	if (i < 0)
		return 0;
	span_at(i)->vdev = estat_id(BPF_CORE_READ(zio, io_vd));
	span_at(i)->held = true;
	zio_span_begins(i, zio, BPF_CORE_READ(zio, io_offset));
	return 0;
}

EACH_SPAN(vdevs_entered, PROTO(__u64 queued, __u64 logical), ARGS(queued, logical),
	  s->zio == logical ? vdev_entered(i, queued, logical) : 0);

static __noinline int vdev_enters(struct zio *zio)
{
	__u64 logical = estat_id(BPF_CORE_READ(zio, io_logical));

	/* vdev_queue_io is called again when the zio leaves the queue */
	if (!logical || span_of_zio(estat_id(zio)) >= 0)
		return 0;
	return vdevs_entered(estat_id(zio), logical);
}

ESTAT_ENTRY(trace_vdev_enters, vdev_queue_io, 1)
{
	return active ? vdev_enters((struct zio *)call->arg[0]) : 0;
}

/*
 * The vdev's queue gives a zio to the disk or file. If this zio is that of span `i`, or an
 * aggregate that contains the span's zio, note in the span which zio was given, and when.
 */
__noinline int span_given(__u64 i, __u64 given, __u64 vdev, __u64 now)
{
	struct zio *zio = (struct zio *)given;
	struct span *s = span_at(i);
	__u64 offset = BPF_CORE_READ(zio, io_offset), size = BPF_CORE_READ(zio, io_size);

	if (s->vdev != vdev || !s->id || !s->held || s->released || s->offset < offset ||
	    s->offset + s->size > offset + size)
		return 0;
	/* the given zio is not the span's, and is no aggregate: an aggregate has no io_logical */
	if (s->zio != given && BPF_CORE_READ(zio, io_logical))
		return 0;
	s->given = given;
	s->issuer = bpf_get_current_task();
	s->sector = offset >> 9;
	s->end = (offset + size) >> 9;
	s->foreign = size - s->size;
	s->released = now;
	return 0;
}

/*
 * A thread begins to flush the disks of a vdev. Note the thread in the journeys that wait for the
 * log block of the flush, and remove the thread from all others. `root`: the flush's parent zio.
 */
static __noinline int flush_begins(struct zio *root)
{
	__u64 task = bpf_get_current_task(), lwb = estat_id(BPF_CORE_READ(root, io_private));

	for (int n = 0; n < JOURNEYS; n++) {
		if (waits_for(&traced[n], lwb))
			traced[n].flusher = task;
		else if (traced[n].flusher == task)
			traced[n].flusher = 0;
	}
	return 0;
}

ESTAT_ENTRY(trace_flush_begins, zio_flush, 1)
{
	return active ? flush_begins((struct zio *)call->arg[0]) : 0;
}

/*
 * A task gives a flush to a disk, as a bio without bytes at sector 0: begin a span if the task
 * flushes for journey `n`.
 */
__noinline int flush_given(__u64 n, __u64 flush, __u64 task)
{
	struct journey *j = traced_at(n);
	int wait = span_at(n)->wait;
	int i = j->flusher == task && wait >= 0 ? span_claim(wait, kind_flush, 0) : NONE;

	if (i < 0)
		return 0;
	span_at(i)->vdev = estat_id(BPF_CORE_READ((struct zio *)flush, io_vd));
	span_at(i)->given = flush;
	zio_span_begins(i, (struct zio *)flush, -1);
	span_at(i)->end = 1;
	span_at(i)->issuer = task;
	return 0;
}

static __noinline int flush_goes(struct zio *zio)
{
	__u64 task = bpf_get_current_task();

	for (int n = 0; n < JOURNEYS; n++)
		if (traced[n].flusher == task)
			flush_given(n, estat_id(zio), task);
	return 0;
}

EACH_SPAN(spans_given, PROTO(__u64 given, __u64 vdev, __u64 now), ARGS(given, vdev, now),
	  s->vdev == vdev ? span_given(i, given, vdev, now) : 0);

static __noinline int vdev_given(struct zio *zio)
{
	return spans_given(estat_id(zio), estat_id(BPF_CORE_READ(zio, io_vd)), bpf_ktime_get_ns());
}

/*
 * The task gives a zio to a disk: the task's next bios are not of the zios that it gave before. On
 * a mirror the zios of all disks have the same offset.
 */
EACH_SPAN(issuer_leaves, PROTO(__u64 task), ARGS(task), s->issuer == task ? (s->issuer = 0, 0) : 0);

ESTAT_ENTRY(trace_disk_given, vdev_disk_io_start, 1)
{
	struct zio *zio = (struct zio *)call->arg[0];

	if (!active)
		return 0;
	issuer_leaves(bpf_get_current_task());
	return is_flush(BPF_CORE_READ(zio, io_type)) ? flush_goes(zio) : vdev_given(zio);
}

ESTAT_ENTRY(trace_file_given, vdev_file_io_start, 1)
{
	return active ? vdev_given((struct zio *)call->arg[0]) : 0;
}

/* A disk or file has completed a zio, or an aggregate: end the spans of the zios in it. */
EACH_SPAN(vdev_done, PROTO(__u64 zio, __u64 now), ARGS(zio, now),
	  s->given == zio ? span_ends(i, now) : 0);

ESTAT_ENTRY(trace_disk_done, vdev_disk_io_done, 1)
{
	return active ? vdev_done(call->arg[0], bpf_ktime_get_ns()) : 0;
}

ESTAT_ENTRY(trace_file_done, vdev_file_io_done, 1)
{
	return active ? vdev_done(call->arg[0], bpf_ktime_get_ns()) : 0;
}

/* A zio ends, and so do its spans. `failed`: the zio has an error. */
EACH_SPAN(zio_ends, PROTO(__u64 zio, __u64 failed, __u64 now), ARGS(zio, failed, now),
	  s->zio == zio ? (s->failed = failed, span_ends(i, now)) : 0);

ESTAT_ENTRY(trace_zio_ends, zio_destroy, 1)
{
	struct zio *zio = (struct zio *)call->arg[0];

	if (!active)
		return 0;
	return zio_ends(estat_id(zio), BPF_CORE_READ(zio, io_error) != 0, bpf_ktime_get_ns());
}

#endif /* ESTAT_MODULES_TRACE_ZFS_H */
