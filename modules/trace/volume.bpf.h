/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The way of a volume's (zvol's) bio through ZFS:
 *
 *	zvol_read_task, zvol_write_task	a thread of a taskq begins to work on the bio or, with
 *				blk-mq, on all bios of a request
 *	zvol_log_write		the thread has changed data of the volume in a txg: the span of the
 *				data begins, if none has begun for the bio and this txg
 *
 * The zios of blocks that the thread issues while it works on the bio are below the bio, unless
 * they read ahead. If there are several bios, a zio is below one that has bytes of the zio or, if
 * the zio is not of the volume's data (but of the log, say), below any of them. txg.bpf.h says
 * how the span of the data goes on.
 */
#ifndef ESTAT_MODULES_TRACE_VOLUME_H
#define ESTAT_MODULES_TRACE_VOLUME_H

#include "block.bpf.h"
#include "probe.bpf.h"
#include "txg.bpf.h"
#include "zio.bpf.h"

ESTAT_OPTIONAL("", zvol_read_task);
ESTAT_OPTIONAL("", zvol_write_task);
ESTAT_OPTIONAL("", zvol_log_write);

/* This thread begins to work on a volume's bio. The bio's span ends before the thread's work. */
__noinline int volume_takes(__u64 bio)
{
	int i = span_of_bio(bio);

	if (i >= 0)
		span_at(i)->task = bpf_get_current_task();
	return 0;
}

/* This thread begins to work on a volume's bio or, with blk-mq, on the bios of a request. */
static __noinline int volume_works(struct zv_request_task *task)
{
	struct bio *bio = BPF_CORE_READ(task, zvr.bio);

	if (!bio && bpf_core_field_exists(task->zvr.rq))
		bio = BPF_CORE_READ(task, zvr.rq, bio);
	for (int n = 0; n < BIOS && bio; n++) {
		volume_takes(estat_id(bio));
		bio = BPF_CORE_READ(bio, bi_next);
	}
	return 0;
}

#define TASK(call) ((struct zv_request_task *)(call)->arg[0])

ESTAT_RUN(ESTAT_ENTRY(trace_volume_reads, zvol_read_task, 1),
	  active ? volume_works(TASK(call)) : 0);
ESTAT_RUN(ESTAT_ENTRY(trace_volume_writes, zvol_write_task, 1),
	  active ? volume_works(TASK(call)) : 0);

/* The span of a volume's bio on which the thread works, or NONE. */
static __always_inline int span_of_volume(__u64 task)
{
	int i = span_of_task(task);

	return is_of_volume(i) ? i : NONE;
}

/*
 * The span of the volume's bio on which the task works and that has some of the bytes `begin` to
 * `end` - 1 of the volume, or NONE.
 */
FIND_SPAN(span_of_bytes, PROTO(__u64 task, __u64 begin, __u64 end), ARGS(task, begin, end),
	  s->task == task && s->kind == kind_bio && begin < s->end << 9 && end > s->sector << 9);

/* This thread, which works on the volume's bio of span `bio`, issues a zio. */
__noinline int volume_issues(__u64 bio, __u64 issued)
{
	struct zio *zio = (struct zio *)issued;
	__u64 objset = BPF_CORE_READ(zio, io_bookmark.zb_objset);
	__u64 begin = offset_in(zio, objset, ZVOL_OBJ), end = begin + BPF_CORE_READ(zio, io_lsize);
	int above = begin == -1ULL ? NONE : span_of_bytes(bpf_get_current_task(), begin, end);
	int i = is_ahead(zio) ? NONE : zio_claim(above < 0 ? bio : above, issued);

	if (i >= 0)
		zio_span_begins(i, zio, begin);
	return 0;
}

/* The span of the data that the bio with span number `number` of journey `id` left in the txg. */
FIND_SPAN(span_of_data, PROTO(__u64 id, __u32 number, __u64 txg), ARGS(id, number, txg),
	  s->data.spa && s->id == id && s->parent_number == number && s->data.last == txg);

/*
 * This thread, which works on the volume's bio of span `above`, has changed the bytes `from` to
 * `to` - 1 of the volume in transaction `id`. If some of these are the bio's, begin the span of the
 * data. A bio can have several transactions, one after the other: data in the same txg is in the
 * same span.
 */
__noinline int bio_dirtied(__u64 above, __u64 id, __u64 objset, __u64 from, __u64 to)
{
	struct dmu_tx *tx = (struct dmu_tx *)id;
	const struct span *s = span_at(above);
	__u64 begin = s->sector << 9, end = s->end << 9;
	int i;

	begin = begin > from ? begin : from;
	end = end < to ? end : to;
	if (begin >= end)
		return 0;
	i = span_of_data(s->id, s->number, BPF_CORE_READ(tx, tx_txg));
	if (i >= 0)
		span_at(i)->size = end - span_at(i)->offset;
	else
		data_begins(above, tx, objset, ZVOL_OBJ, begin, end - begin);
	return 0;
}

EACH_SPAN(bios_dirtied, PROTO(__u64 tx, __u64 objset, __u64 begin, __u64 end),
	  ARGS(tx, objset, begin, end),
	  s->kind == kind_bio && s->task == bpf_get_current_task()
		  ? bio_dirtied(i, tx, objset, begin, end)
		  : 0);

/* This thread has changed `bytes` bytes of the volume in transaction `tx`. */
static __noinline int volume_dirtied(struct zvol_state *zv, __u64 tx, __u64 offset, __u64 bytes)
{
	return bios_dirtied(tx, BPF_CORE_READ(zv, zv_objset, os_dsl_dataset, ds_object), offset,
			    offset + bytes);
}

ESTAT_ENTRY(trace_volume_dirtied, zvol_log_write, 4)
{
	return active ? volume_dirtied((struct zvol_state *)call->arg[0], call->arg[1],
				       call->arg[2], call->arg[3])
		      : 0;
}

#endif /* ESTAT_MODULES_TRACE_VOLUME_H */
