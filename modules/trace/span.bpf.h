/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a span of a journey begins and ends, and which stages are reported at its end. */
#ifndef ESTAT_MODULES_TRACE_SPAN_H
#define ESTAT_MODULES_TRACE_SPAN_H

#include "journey.bpf.h"
#include "loop.bpf.h"

/* Does what span_find_free() does, but only for the PART spans from span `from` on. */
__noinline int span_find_free_in(__u64 from)
{
	for (int i = 0; i < PART; i++) {
		struct span *s = span_at(from + i);

		if (!s->id && !__sync_val_compare_and_swap(&s->id, 0, CLAIMED))
			return estat_masked(from + i, SPANS - 1);
	}
	return NONE;
}

/*
 * Claim a free span and return its index; NONE: no span is free. Not a part of span_claim(), so
 * that the verifier does not follow the rest of span_claim() for each index.
 */
__noinline int span_find_free(void)
{
	int i = NONE;

	for (__u32 from = JOURNEYS; from < SPANS && i < 0; from += PART)
		i = span_find_free_in(from);
	return i;
}

/*
 * Span `i` is taken into use (`by` is 1) or freed (`by` is -1): add `by` to part_spans and, unless
 * the span is of kind_cache, to `active`.
 */
static __always_inline void count_span(__u64 i, enum kind kind, int by)
{
	__sync_fetch_and_add(&part_spans[estat_masked(i, SPANS - 1) / PART], by);
	if (kind != kind_cache)
		__sync_fetch_and_add(&active, by);
}

/*
 * Claim a free span below the span `parent`, and return its index. `bio` is the new span's member
 * `bio`. NONE: no span is free, or the parent has ended.
 */
__noinline int span_claim(__u64 parent, __u64 kind, __u64 bio)
{
	struct span *p = span_at(parent), *s = NULL;
	__u64 id = p->id;
	int i;

	if (!id || id == CLAIMED)
		return NONE;
	i = span_find_free();
	if (i < 0) {
		estat_count_missed();
		return NONE;
	}
	s = span_at(i);
	s->began = s->first = s->idle = s->between = s->inserted = s->issued = s->released = 0;
	s->sent = s->result = s->op_id = 0;
	s->foreign = s->below = s->device = s->task = s->picked = s->written = s->others = 0;
	s->kind = kind;
	s->sector = s->end = 0;
	s->zio = s->vdev = s->given = s->issuer = s->disk = s->log_end = s->size = 0;
	s->split = s->failed = s->held = s->overwritten = s->shared = false;
	s->reason = reason_none;
	bpf_get_current_comm(s->by, sizeof(s->by));
	s->queued = true;
	__builtin_memset(&s->rpc, 0, sizeof(s->rpc));
	s->loop.file = s->loop.inode = s->data.spa = 0;
	s->bio = bio;
	s->parent = parent;
	s->parent_number = p->number;
	s->journey = p->journey;
	s->wait = NONE;
	s->number = __sync_fetch_and_add(&traced_at(p->journey)->spans, 1);
	count_span(i, kind, 1);
	__sync_lock_test_and_set(&s->id, id);
	return i;
}

/*
 * A span below span `p` begins. If the span is the first one below `p`, set p->first. Else, if no
 * other one is under way, add to p->between the time since the last one ended.
 */
static __always_inline void below_begins(struct span *p, __u64 now)
{
	if (__sync_fetch_and_add(&p->below, 1))
		return;
	if (!p->first)
		p->first = now;
	else if (now > p->idle)
		p->between += now - p->idle;
}

/*
 * Does the parent of the span wait for the span? No, if the span is of an operation, which has no
 * span above, or of the data that a write leaves in memory (kind_cache).
 */
static __always_inline bool is_below(const struct span *s)
{
	return s->kind != kind_operation && s->kind != kind_cache;
}

/*
 * A claimed span begins at `now`. `sector` and `bytes` say where on the device the span's bio is;
 * both are 0 if the span has no bio.
 */
__noinline int span_begins_at(__u64 i, __u32 device, __u64 sector, __u64 bytes, __u64 now)
{
	struct span *s = span_at(i);

	s->device = device;
	s->sector = sector;
	s->end = sector + (bytes >> 9);
	s->began = now;
	__sync_fetch_and_add(&traced_at(s->journey)->open, 1);
	if (is_below(s))
		below_begins(span_at(s->parent), now);
	return s->kind == kind_bio && device >> 20 == LOOP_MAJOR ? loop_begins(i) : 0;
}

static __always_inline int span_begins(__u64 i, __u32 device, __u64 sector, __u64 bytes)
{
	return span_begins_at(i, device, sector, bytes, bpf_ktime_get_ns());
}

/*
 * trace.bpf.c defines both functions; `span` and `journey` are indices. report(): a stage of a span
 * ran from `from` to `to`. account(): the journey with number `id` has begun or ended; `fate` is an
 * enum fate.
 */
__noinline int report(__u64 span, __u64 stage, __u64 from, __u64 to);
__noinline int account(__u64 journey, __u64 id, __u64 fate);

/* Free span `i`. The caller has set the span's `id` to CLAIMED. */
static __always_inline void span_free(__u64 i)
{
	struct span *s = span_at(i);

	count_span(i, s->kind, -1);
	if (s->kind == kind_server)
		__sync_fetch_and_add(&serving, -1);
	if (s->kind == kind_journal && s->log_end) {
		s->log_end = 0;
		__sync_fetch_and_add(&logging, -1);
	}
	if (s->loop.file) {
		s->loop.file = 0;
		__sync_fetch_and_add(&looping, -1);
	}
	if (s->data.spa) {
		s->data.spa = 0;
		__sync_fetch_and_add(&dirtied, -1);
	}
	s->bio = s->zio = s->given = 0;
	__sync_lock_test_and_set(&s->id, 0);
}

/*
 * Free span `i` if the span is of journey `id`. If the span ends at this moment, span_ends() frees
 * the span.
 */
static __always_inline int span_leaves(__u64 i, __u64 id)
{
	struct span *s = span_at(i);

	if (s->id == id && __sync_val_compare_and_swap(&s->id, id, CLAIMED) == id)
		span_free(i);
	return 0;
}

/* Free the spans of journey `id`, but for the operation's. */
EACH_SPAN(spans_leave, PROTO(__u64 id), ARGS(id), span_leaves(i, id));

/*
 * Free all spans of journey `i`, and the journey, if its number is still `id`. `fate`: what became
 * of the journey.
 */
__noinline int journey_ends_as(__u64 i, __u64 id, __u64 fate)
{
	struct journey *j = traced_at(i);

	if (!id || id == CLAIMED || __sync_val_compare_and_swap(&j->id, id, CLAIMED) != id)
		return 0;
	j->task = 0;
	if (j->inode) {
		j->inode = 0;
		__sync_fetch_and_add(&watched, -1);
	}
	spans_leave(id);
	span_leaves(i, id);
	account(i, id, fate);
	__sync_fetch_and_add(&alive, -1);
	__sync_lock_test_and_set(&j->id, 0);
	return 0;
}

static __always_inline int journey_ends(__u64 i, __u64 fate)
{
	return journey_ends_as(i, traced_at(i)->id, fate);
}

/*
 * Another bio, RPC or zio begins at the address of the one of span `i`, whose end was not seen:
 * give up the span's journey. False: the span has ended meanwhile.
 */
static __always_inline bool span_gives_up(int i)
{
	struct span *s = span_at(i);
	__u64 id = ESTAT_LOAD(s->id);

	if (!id || traced_at(s->journey)->id != id)
		return false;
	journey_ends_as(s->journey, id, fate_lost);
	return true;
}

/*
 * An RPC begins in this rpc_task, or in this svc_rqst of a thread of the server. If the address has
 * a span already, that span is of an older RPC, whose end was not seen. Since Linux 7.0 a thread
 * can be preempted in a BPF program at a tracepoint, and until the thread runs on, the kernel skips
 * that BPF program for other threads on that CPU.
 */
__noinline int older_gives_way(__u64 address)
{
	for (int depth = 0; depth < JOURNEYS; depth++) {
		int i = span_of_bio(address);

		if (i < 0 || !span_gives_up(i))
			break;
	}
	return 0;
}

/*
 * Report the stages of a span that has spans below it. `from`: when the bio's request was issued,
 * when io.max let the bio go, or when the vdev's queue let the zio go; else the span's begin.
 */
static __always_inline void report_parts(__u64 i, struct span *s, __u64 from, __u64 now)
{
	__u64 picked = s->picked && s->picked < s->first ? s->picked : s->first;

	report(i, s->kind == kind_cache ? stage_dirty : stage_prepare, from, picked);
	if (picked < s->first)
		report(i, stage_writeback, picked, s->first);
	if (s->between)
		report(i, stage_between, s->idle - s->between, s->idle);
	if (!s->below && (s->kind != kind_cache || s->data.spa))
		report(i, stage_finish, s->idle, now);
}

/*
 * Report the stages of the driver and the device. The NVMe driver makes the command before the
 * issue, so NVMe has no dispatch stage.
 */
static __always_inline void report_driver(__u64 i, struct span *s, __u64 now)
{
	if (!s->result) {
		report(i, stage_driver, s->issued, now);
		return;
	}
	if (s->sent)
		report(i, stage_dispatch, s->issued, s->sent);
	report(i, stage_device, s->sent ?: s->issued, s->result);
	report(i, stage_completion, s->result, now);
}

/* Report the stages of an RPC. All time of an RPC that never got a slot is the stage `queue`. */
static __always_inline void report_rpc(__u64 i, struct span *s, __u64 now)
{
	report(i, stage_queue, s->began, s->sent ?: now);
	if (!s->sent)
		return;
	report(i, stage_wire, s->sent, s->result);
	report(i, stage_end, s->result, now);
}

static __always_inline enum stage whole_of(const struct span *s)
{
	switch (s->kind) {
	case kind_bio:
		return stage_bio;
	case kind_journal:
		return stage_journal;
	case kind_cache:
		return stage_cache;
	case kind_rpc:
		return stage_rpc;
	case kind_zio:
		return stage_block;
	case kind_vdev:
		return stage_vdev;
	case kind_dirty_wait:
		return stage_throttled;
	case kind_log:
		return stage_log;
	case kind_flush:
		return stage_flush;
	case kind_server:
		return stage_server;
	case kind_file:
		return stage_file;
	default:
		return stage_operation;
	}
}

/* Is the span that of an operation that is an RPC? The RPC's own span, below it, has the stages. */
static __always_inline bool is_rpc_itself(const struct span *s)
{
	return s->kind == kind_operation && traced_at(s->journey)->of_rpc;
}

/* A span ends, and perhaps its journey. */
__noinline int span_ends(__u64 i, __u64 now)
{
	struct span *s = span_at(i), *p = span_at(s->parent);
	__u64 id = s->id, journey = s->journey,
	      from = s->held && s->released ? s->released : s->began;

	if (!id || id == CLAIMED || __sync_val_compare_and_swap(&s->id, id, CLAIMED) != id)
		return 0;
	report(i, whole_of(s), s->began, now);
	if (s->held)
		report(i, s->vdev ? stage_vdev_queue : stage_throttled, s->began, from);
	if (s->issued) {
		report(i, stage_queue, from, s->inserted ? s->inserted : s->issued);
		if (s->inserted)
			report(i, stage_scheduler, s->inserted, s->issued);
		from = s->issued;
	}
	if (s->kind == kind_rpc)
		report_rpc(i, s, now);
	else if (s->first && !is_rpc_itself(s))
		report_parts(i, s, from, now);
	else if (s->vdev)
		report(i, stage_device, from, now);
	else if (s->issued)
		report_driver(i, s, now);
	if (is_below(s) && __sync_fetch_and_add(&p->below, -1) == 1)
		p->idle = now;
	span_free(i);
	if (__sync_fetch_and_add(&traced_at(journey)->open, -1) == 1)
		journey_ends(journey, fate_ended);
	return 0;
}

/*
 * The thread of span `above` begins to wait: begin a span for the wait, and return the index of the
 * wait's span. NONE: the thread is in another wait already, or no span is free.
 */
__noinline int wait_begins(__u64 above, __u64 kind)
{
	int i = span_at(above)->wait < 0 ? span_claim(above, kind, 0) : NONE;

	if (i < 0)
		return NONE;
	span_begins(i, span_at(above)->device, 0, 0);
	span_at(above)->wait = i;
	return i;
}

/*
 * The thread of span `above` has ended a wait of kind `kind`. Inline, because the verifier allows
 * only seven nested calls.
 */
static __always_inline int wait_ends(__u64 above, __u64 kind)
{
	int i = span_at(above)->wait;

	if (i < 0 || span_at(i)->kind != kind)
		return 0;
	span_at(above)->wait = NONE;
	span_at(i)->task = 0;
	return span_ends(i, bpf_ktime_get_ns());
}

/*
 * The span of the page cache ends when each byte of the write was in a bio or RPC, all these bios
 * and RPCs have ended and, on NFS, the server has all bytes on its disk. Inline, because the
 * verifier allows only seven nested calls.
 */
static __always_inline int cache_settles(__u64 journey, __u64 now)
{
	struct journey *j = traced_at(journey);
	int i = j->cache;

	if (j->inode && i >= 0 && j->ended && j->left <= 0 && !j->unstable && !span_at(i)->below)
		span_ends(i, now);
	return 0;
}

#endif /* ESTAT_MODULES_TRACE_SPAN_H */
