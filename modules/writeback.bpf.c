// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * writeback: who is held up by dirty pages. One operation is a pause of a writer, for there are
 * too many of them (balance_dirty_pages); of `run`, a pass of the flusher's; of `wait`, somebody's
 * wait for a page that is being written.
 *
 * Nothing is probed that runs for each page that is written to: the tracepoint of a pause comes
 * before the sleep (mm/page-writeback.c, balance_dirty_pages), and what it sleeps in is
 * io_schedule_timeout.
 */
#include "thread.h"

/* Of devices, as many as keys. */
#define ESTAT_NAMES       200
#define ESTAT_NAMES_FLAGS 0
#include "name.h"
#include "return.h"
#include "page.h"

ESTAT_MODULE(writeback, 17);
ESTAT_OPTIONAL(io_schedule_timeout, "pauses");
ESTAT_EITHER_OR(folio_wait_bit, wait_on_page_bit, "waits");
ESTAT_EITHER_OR(folio_wait_bit_killable, wait_on_page_bit_killable, "waits");

enum reason {
	reason_background = 256,
	reason_vmscan,
	reason_sync,
	reason_periodic,
	reason_laptop_timer,
	reason_fs_free_space,
	reason_forker_thread,
	reason_foreign_flush,
	reason_dontcache,
};

struct key {
	estat_name_t device;
};

struct run_key {
	estat_name_t device;
	enum reason reason;
};

ESTAT_SERIES(writeback, 0, struct key, struct estat_latency, 100, "to be said");
ESTAT_LAYER(writeback, 310);

ESTAT_SERIES(run, 1, struct run_key, struct estat_io, 200, "to be said");

ESTAT_SERIES(wait, 2, struct key, struct estat_latency, 100, "to be said");

/* What a thread does. */
struct thread {
	__u64 paused; /* the kernel has said so, and when */
	__u64 device; /* for which */
	__u64 run;    /* since when */
	__s64 pages;  /* how many it had to write then */
};

ESTAT_PER_THREAD(threads, struct thread);

/* Ids of devices are not those of anything else that has a name here. */
#define DEVICE (1ULL << 63)

static __always_inline estat_name_t device_id(struct backing_dev_info *bdi)
{
	return BPF_CORE_READ(bdi, id) | DEVICE;
}

/* A disk has its own name, any other one that which its file system has given it. */
static __noinline int name_device(struct backing_dev_info *bdi)
{
	struct device *owner = BPF_CORE_READ(bdi, owner);

	if (owner)
		estat_name(device_id(bdi), BPF_CORE_READ(owner, kobj.name));
	else
		estat_name(device_id(bdi), bdi->dev_name);
	return 0;
}

/* It is no more. */
ESTAT_KPROBE(writeback_gone, bdi_unregister)
{
	estat_name_gone(device_id((struct backing_dev_info *)call->arg[0]));
	return 0;
}

static __always_inline int missed(struct estat_state *state)
{
	__sync_fetch_and_add(&state->missed, 1);
	return 0;
}

/* A writer is about to pause, but not if that would be too short, or io_uring asks in advance. */
SEC("tp_btf/balance_dirty_pages")
int writeback_pause(__u64 *ctx)
{
	struct bdi_writeback *wb = (struct bdi_writeback *)ctx[0];
	struct key key = { .device = device_id(wb->bdi) };
	struct thread *t = threads_make();

	if (!t)
		return missed(&writeback_state);
	if (!writeback_find(&key)) {
		name_device(wb->bdi);
		writeback_insert(&key);
	}
	t->device = key.device;
	t->paused = bpf_ktime_get_ns();
	return 0;
}

/* As it does before it pauses, and who else calls io_schedule_timeout does not. */
#define TASK_KILLABLE 0x102

static __always_inline __u64 pause_begins(const struct estat_call *call, bool typed)
{
	struct thread *t = threads_here();
	__u64 paused;

	if (!t || !t->paused)
		return 0;
	paused = t->paused;
	t->paused = 0;
	return bpf_get_current_task_btf()->__state == TASK_KILLABLE ? paused : 0;
}

ESTAT_CALL(writeback_paused, io_schedule_timeout, 1, pause_begins)
{
	struct thread *t = threads_here();
	struct estat_latency *v;
	struct key key;

	if (!t)
		return missed(&writeback_state);
	key.device = t->device;
	v = writeback_get(&key);
	if (v)
		estat_count_latency(v, bpf_ktime_get_ns() - call->noted);
	return 0;
}

static __always_inline enum reason reason_of(__u32 raw)
{
	if (WB_REASON_IS(raw, WB_REASON_BACKGROUND))
		return reason_background;
	if (WB_REASON_IS(raw, WB_REASON_VMSCAN))
		return reason_vmscan;
	if (WB_REASON_IS(raw, WB_REASON_SYNC))
		return reason_sync;
	if (WB_REASON_IS(raw, WB_REASON_PERIODIC))
		return reason_periodic;
	if (WB_REASON_IS(raw, WB_REASON_LAPTOP_TIMER))
		return reason_laptop_timer;
	if (WB_REASON_IS(raw, WB_REASON_FS_FREE_SPACE))
		return reason_fs_free_space;
	if (WB_REASON_IS(raw, WB_REASON_FORKER_THREAD))
		return reason_forker_thread;
	if (WB_REASON_IS(raw, WB_REASON_FOREIGN_FLUSH))
		return reason_foreign_flush;
	if (WB_REASON_IS(raw, WB_REASON_DONTCACHE))
		return reason_dontcache;
	return raw;
}

SEC("tp_btf/writeback_start")
int writeback_run(__u64 *ctx)
{
	struct wb_writeback_work *work = (struct wb_writeback_work *)ctx[1];
	struct thread *t = threads_make();

	if (!t)
		return missed(&run_state);
	t->pages = work->nr_pages;
	t->run = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/writeback_written")
int writeback_ran(__u64 *ctx)
{
	struct bdi_writeback *wb = (struct bdi_writeback *)ctx[0];
	struct wb_writeback_work *work = (struct wb_writeback_work *)ctx[1];
	struct thread *t = threads_here();
	struct run_key key = {};
	struct estat_io *v;
	__u64 ns;

	if (!t || !t->run)
		return missed(&run_state);
	ns = bpf_ktime_get_ns() - t->run;
	t->run = 0;
	key.device = device_id(wb->bdi);
	key.reason = reason_of(work->reason);
	v = run_find(&key);
	if (!v) {
		name_device(wb->bdi);
		v = run_insert(&key);
	}
	if (v)
		run_count_io(v, &key, ns, (t->pages - work->nr_pages) << PAGE_SHIFT, false);
	return 0;
}

/* Whose page is it? The waits for all else that a page can be do not count. */
static __always_inline __u64 wait_begins(const struct estat_call *call, bool typed)
{
	struct folio *folio = (struct folio *)call->arg[0];
	struct address_space *mapping;
	struct backing_dev_info *bdi;
	struct key key;

	if ((__u32)call->arg[1] != bpf_core_enum_value(enum pageflags, PG_writeback))
		return 0;
	mapping = file_mapping_of(folio, typed);
	if (!mapping)
		return 0;
	bdi = bdi_of(BPF_CORE_READ(mapping, host));
	key.device = device_id(bdi);
	if (!wait_find(&key)) {
		name_device(bdi);
		wait_insert(&key);
	}
	return key.device;
}

static __always_inline int wait_ends(const struct estat_call *call)
{
	struct key key = { .device = call->noted };
	struct estat_latency *v = wait_get(&key);

	if (v)
		estat_count_latency(v, estat_took(call));
	return 0;
}

ESTAT_CALL(writeback_waited, folio_wait_bit, 2, wait_begins)
{
	return wait_ends(call);
}

ESTAT_CALL(writeback_waited_killable, folio_wait_bit_killable, 2, wait_begins)
{
	return wait_ends(call);
}

ESTAT_CALL(writeback_waited_old, wait_on_page_bit, 2, wait_begins)
{
	return wait_ends(call);
}

ESTAT_CALL(writeback_waited_killable_old, wait_on_page_bit_killable, 2, wait_begins)
{
	return wait_ends(call);
}
