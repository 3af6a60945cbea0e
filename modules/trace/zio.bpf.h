/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the span of a zio begins, and which bytes of a file or volume a zio reads or writes. */
#ifndef ESTAT_MODULES_TRACE_ZIO_H
#define ESTAT_MODULES_TRACE_ZIO_H

#include "span.bpf.h"
#include "zfs/types.bpf.h"

#define ZVOL_OBJ 1 /* from include/sys/zvol.h: the number of the object with a volume's data */

/* The span of a zio that is under way, by the zio's address, or NONE. */
FIND_SPAN(span_of_zio, PROTO(__u64 zio), ARGS(zio), s->zio == zio);

/*
 * Set `shared` in the spans of the zio that are of other journeys than `journey`. Returns whether
 * there is such a span.
 */
EACH_SPAN(zio_shared, PROTO(__u64 zio, __u32 journey), ARGS(zio, journey),
	  s->zio == zio && s->journey != journey ? (s->shared = true) : false);

/*
 * Claim a span for a zio of a block, below span `above`. NONE: no span is free, or span `above` has
 * ended.
 */
static __always_inline int zio_claim(__u64 above, __u64 zio)
{
	int i = span_claim(above, kind_zio, 0);

	if (i >= 0 && zio_shared(zio, span_at(i)->journey))
		span_at(i)->shared = true;
	return i;
}

/*
 * Begin span `i`, which the caller has claimed for a zio. `offset`: where in the file, the volume,
 * the disk or the vdev's file the zio begins; -1: not known.
 */
static __always_inline void zio_span_begins(int i, struct zio *zio, __u64 offset)
{
	struct span *s = span_at(i);

	s->zio = estat_id(zio);
	s->offset = offset;
	s->size = BPF_CORE_READ(zio, io_size);
	span_begins(i, span_at(s->journey)->device, 0, 0);
}

/* Where in an object's data the zio's block begins; -1: the zio is of no block of this data. */
static __always_inline __u64 offset_in(struct zio *zio, __u64 objset, __u64 object)
{
	if (BPF_CORE_READ(zio, io_bookmark.zb_objset) != objset ||
	    BPF_CORE_READ(zio, io_bookmark.zb_object) != object ||
	    BPF_CORE_READ(zio, io_bookmark.zb_level))
		return -1;
	return BPF_CORE_READ(zio, io_bookmark.zb_blkid) * BPF_CORE_READ(zio, io_lsize);
}

/*
 * Does the zio read ahead? Of the zios that an operation's or volume's thread issues, only such
 * reads have the priority ZIO_PRIORITY_ASYNC_READ.
 */
static __always_inline bool is_ahead(struct zio *zio)
{
	return BPF_CORE_READ(zio, io_type) == bpf_core_enum_value(enum zio_type, ZIO_TYPE_READ) &&
	       BPF_CORE_READ(zio, io_priority) ==
		       bpf_core_enum_value(enum zio_priority, ZIO_PRIORITY_ASYNC_READ);
}

#endif /* ESTAT_MODULES_TRACE_ZIO_H */
