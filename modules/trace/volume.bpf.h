/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The way of a volume's (zvol's) bio through ZFS:
 *
 *	zvol_read_task, zvol_write_task	a thread of a taskq begins to work on the bio
 *	zvol_log_write		the thread has changed data of the volume in a txg: the span of the
 *				data begins, if none has begun for the bio and this txg
 *
 * The zios of blocks that the thread issues while it works on the bio are below the bio, unless
 * they read ahead. txg.bpf.h says how the span of the data goes on.
 */
#ifndef ESTAT_MODULES_TRACE_VOLUME_H
#define ESTAT_MODULES_TRACE_VOLUME_H

#include "probe.bpf.h"
#include "txg.bpf.h"
#include "zio.bpf.h"

ESTAT_OPTIONAL("", zvol_read_task);
ESTAT_OPTIONAL("", zvol_write_task);
ESTAT_OPTIONAL("", zvol_log_write);

/*
 * A thread begins to work on a volume's bio or, with blk-mq, on a volume's request. The bio's span
 * ends before the thread takes the next bio.
 */
static __noinline int volume_works(struct zv_request_task *task)
{
	struct bio *bio = BPF_CORE_READ(task, zvr.bio);
	int i;

	if (!bio && bpf_core_field_exists(task->zvr.rq))
		bio = BPF_CORE_READ(task, zvr.rq, bio);
	i = bio ? span_of_bio(estat_id(bio)) : NONE;
	if (i >= 0)
		span_at(i)->task = bpf_get_current_task();
	return 0;
}

#define TASK(call) ((struct zv_request_task *)(call)->arg[0])

ESTAT_RUN(ESTAT_ENTRY(trace_volume_reads, zvol_read_task, 1),
	  active ? volume_works(TASK(call)) : 0);
ESTAT_RUN(ESTAT_ENTRY(trace_volume_writes, zvol_write_task, 1),
	  active ? volume_works(TASK(call)) : 0);

/* The span of the volume's bio on which the thread works, or NONE. */
static __always_inline int span_of_volume(__u64 task)
{
	int i = span_of_task(task);

	return is_of_volume(i) ? i : NONE;
}

/* The thread that works on the volume's bio of span `above` issues a zio. */
__noinline int volume_issues(__u64 above, __u64 issued)
{
	struct zio *zio = (struct zio *)issued;
	__u64 objset = BPF_CORE_READ(zio, io_bookmark.zb_objset);
	int i = is_ahead(zio) ? NONE : zio_claim(above, issued);

	if (i >= 0)
		zio_span_begins(i, zio, offset_in(zio, objset, ZVOL_OBJ));
	return 0;
}

/* The span of the data that the bio with span number `number` of journey `id` left in the txg. */
FIND_SPAN(span_of_data, PROTO(__u64 id, __u32 number, __u64 txg), ARGS(id, number, txg),
	  s->data.spa && s->id == id && s->parent_number == number && s->data.last == txg);

/*
 * This thread has changed `bytes` bytes of the volume in transaction `tx`. If some of these are of
 * the bio on which the thread works, begin the span of the data. A bio can have several
 * transactions, one after the other: data in the same txg is in the same span.
 */
static __noinline int volume_dirtied(struct zvol_state *zv, struct dmu_tx *tx, __u64 offset,
				     __u64 bytes)
{
	int above = span_of_volume(bpf_get_current_task()), i;
	__u64 begin = span_at(above)->sector << 9, end = span_at(above)->end << 9,
	      objset = BPF_CORE_READ(zv, zv_objset, os_dsl_dataset, ds_object);

	begin = begin > offset ? begin : offset;
	end = end < offset + bytes ? end : offset + bytes;
	if (above < 0 || begin >= end)
		return 0;
	i = span_of_data(span_at(above)->id, span_at(above)->number, BPF_CORE_READ(tx, tx_txg));
	if (i >= 0)
		span_at(i)->size = end - span_at(i)->offset;
	else
		data_begins(above, tx, objset, ZVOL_OBJ, begin, end - begin);
	return 0;
}

ESTAT_ENTRY(trace_volume_dirtied, zvol_log_write, 4)
{
	return active ? volume_dirtied((struct zvol_state *)call->arg[0],
				       (struct dmu_tx *)call->arg[1], call->arg[2], call->arg[3])
		      : 0;
}

#endif /* ESTAT_MODULES_TRACE_VOLUME_H */
