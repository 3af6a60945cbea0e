// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * writeback: delays by dirty pages. One operation is a pause of a writer because too many pages are
 * dirty. In the series run one operation is a pass of a flusher, and in the series wait it is a
 * wait for a page under writeback.
 *
 * balance_dirty_pages (mm/page-writeback.c) fires a tracepoint to announce a pause, and then sleeps
 * in io_schedule_timeout. So nothing is probed that runs for each page written.
 */
#define ESTAT_RARE

#include "aggregate.bpf.h"
#include "inflight.bpf.h"
#include "thread.bpf.h"

/*
 * There is room for at least so many names of devices and cgroups. No BPF program of this module
 * notes names in interrupts, so the map can have BPF_F_NO_PREALLOC: the kernel then allocates a
 * name's memory only when a BPF program notes the name.
 */
#define ESTAT_NAMES       600
#define ESTAT_NAMES_FLAGS BPF_F_NO_PREALLOC

#include "cgroup.bpf.h"
#include "page.bpf.h"
#include "reason.bpf.h"
#include "return.bpf.h"
#include "told.bpf.h"

ESTAT_MODULE(writeback, 17);
ESTAT_OPTIONAL("pauses of writers", io_schedule_timeout);
ESTAT_OPTIONAL("waits for pages", folio_wait_bit, wait_on_page_bit);
ESTAT_OPTIONAL("waits for pages", folio_wait_bit_killable, wait_on_page_bit_killable);
ESTAT_OPTIONAL("unmounts of file systems", bdi_unregister);

struct pause_key {
	estat_dev_t device;
	estat_cgroup_t cgroup;
};

struct run_key {
	estat_dev_t device;
	enum reason reason;
};

struct wait_key {
	estat_dev_t device;
};

ESTAT_TABLE(pause, struct pause_key, struct estat_latency, 400);
ESTAT_ONE_WRITER(pause);

ESTAT_VIEW(
	writeback, 0, pause, "device",
	"A pause of a writer, from tracepoint balance_dirty_pages, which announces the pause, to\n"
	"the return of io_schedule_timeout, in which the writer sleeps. While too many pages are\n"
	"dirty (above the mean of vm.dirty_background_ratio and vm.dirty_ratio, of the same two\n"
	"in bytes, or of the cgroup's two limits) the kernel makes writers pause, up to 200 ms at\n"
	"a time, until they write no faster than the device. device is the disk whose pages the\n"
	"writer dirties (the whole disk for a partition) or, if a file system has no disk, the\n"
	"kernel's name of the file system (btrfs-1, or 0:45 as in /proc/self/mountinfo). Not\n"
	"counted: pauses that the kernel omits because they are too short, or because the write\n"
	"may not wait (RWF_NOWAIT, io_uring's first try) and returns EAGAIN. Linux 5.15 to 7.3");
ESTAT_LAYER(writeback, 310, "vfs");

ESTAT_SERIES(
	run, 1, struct run_key, struct estat_io, 200,
	"A pass of a flusher thread, from tracepoint writeback_start to writeback_written, by\n"
	"the reason of the writeback. A writeback can take several passes. Bytes are those of\n"
	"pages that the thread submitted to the file system; they may not be on the disk yet.\n"
	"Not counted: pages that fsync(2) and similar calls write themselves. Linux 5.15 to 7.3");
ESTAT_ONE_WRITER(run);

struct wait_value {
	struct estat_latency;
	struct estat_inflight;
};

ESTAT_SERIES(
	wait, 2, struct wait_key, struct wait_value, 100,
	"A wait for a page of a file that is under writeback (PG_writeback), from the entry of\n"
	"folio_wait_bit or folio_wait_bit_killable (before Linux 5.16 wait_on_page_bit,\n"
	"wait_on_page_bit_killable) to its return. fsync(2), truncation and memory reclaim\n"
	"wait so. A write to a page waits so, too, if the device needs stable pages (checksums,\n"
	"RAID). If a caller needs many pages, only its waits for pages that are not written yet\n"
	"count. Not counted: waits for anonymous memory that is written to swap. Linux 5.15 to\n"
	"7.3");

ESTAT_VIEW(cgroup, 3, pause, "device cgroup",
	   "The pauses of estat.writeback, by the cgroup (v2) of the writer");

/* A writer's pause. */
struct paused {
	__u64 began;  /* when the pause was announced; 0: no pause was announced */
	__u64 wb;     /* address of the bdi_writeback whose pages the writer dirties */
	__u64 sleeps; /* 1: the thread sleeps in this pause */
};

ESTAT_INFLIGHT(pauses, THREAD, struct paused);
ESTAT_LEFT(pauses, struct paused, sleeps);

/* A flusher's pass. */
struct pass {
	__u64 began;
	__s64 pages; /* the most pages that the flusher was still to write when the pass began */
};

ESTAT_INFLIGHT(passes, THREAD, struct pass);

/*
 * The module makes a device number for a file system without a disk. The major is 0. The minor is
 * NO_DISK plus the lower 19 bits of the id of the file system's backing_dev_info.
 */
#define NO_DISK 0x80000

static __always_inline estat_dev_t device_of_bdi(struct backing_dev_info *bdi)
{
	struct device *owner = BPF_CORE_READ(bdi, owner);

	return owner ? BPF_CORE_READ(owner, devt)
		     : NO_DISK | (BPF_CORE_READ(bdi, id) & (NO_DISK - 1));
}

static __noinline int name_bdi(struct backing_dev_info *bdi)
{
	if (bdi && !BPF_CORE_READ(bdi, owner))
		estat_name(device_of_bdi(bdi), bdi->dev_name);
	return 0;
}

ESTAT_ENTRY(writeback_gone, bdi_unregister, 1)
{
	estat_name_gone(device_of_bdi((struct backing_dev_info *)call->arg[0]));
	return 0;
}

/*
 * A pause is announced. After that the kernel omits the pause if the pause is too short, or if the
 * write may not wait (IOCB_NOWAIT), as when io_uring issues the write for the first time.
 */
SEC("tp_btf/balance_dirty_pages")
int writeback_pause(__u64 *ctx)
{
	struct paused *p = pauses_begin();

	if (!p)
		return 0;
	pauses_count_left(p);
	p->sleeps = 0;
	p->wb = estat_id((void *)ctx[0]);
	return 0;
}

/* The task state in which only balance_dirty_pages calls io_schedule_timeout. */
#define TASK_KILLABLE 0x102

/* Direct I/O calls io_schedule_timeout(), too, but in another state than TASK_KILLABLE. */
ESTAT_ENTRY(writeback_sleeps, io_schedule_timeout, 0)
{
	struct paused *p;

	if (current_task()->__state != TASK_KILLABLE)
		return 0;
	p = pauses_find();
	if (p)
		p->sleeps = 1;
	return 0;
}

ESTAT_EXIT(writeback_paused, io_schedule_timeout, 0)
{
	__u64 ns = bpf_ktime_get_ns();
	struct cgroup *cgroup = current_task()->cgroups->dfl_cgrp;
	struct paused *p = pauses_find();
	struct backing_dev_info *bdi;
	struct pause_key key = {};
	struct bdi_writeback *wb;
	struct estat_latency *v;

	if (!p || !p->sleeps)
		return 0;
	ns -= p->began;
	p->sleeps = 0;
	pauses_free(p);
	wb = (struct bdi_writeback *)p->wb;
	bdi = BPF_CORE_READ(wb, bdi);
	key.device = device_of_bdi(bdi);
	key.cgroup = cgroup->kn->id;
	v = ESTAT_GET_NAMED(pause, &key, (name_bdi(bdi), estat_name_cgroup_v2(estat_id(cgroup))));
	estat_count_latency(v, ns);
	return 0;
}

SEC("tp_btf/writeback_start")
int writeback_run(__u64 *ctx)
{
	struct wb_writeback_work *work = (struct wb_writeback_work *)ctx[1];
	struct pass *p = passes_try();

	if (!p)
		return 0; /* no entry could be made: the pass counts as missed when it ends */
	p->pages = work->nr_pages;
	p->began = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/writeback_written")
int writeback_ran(__u64 *ctx)
{
	struct bdi_writeback *wb = (struct bdi_writeback *)ctx[0];
	struct wb_writeback_work *work = (struct wb_writeback_work *)ctx[1];
	__u64 now = bpf_ktime_get_ns();
	struct pass *p = passes_find();
	struct run_key key = { device_of_bdi(wb->bdi), reason_of(work->reason) };

	if (!p) { /* the begin of the pass was not seen */
		estat_count_missed();
		return 0;
	}
	run_count_io(ESTAT_GET_NAMED(run, &key, name_bdi(wb->bdi)), &key, now - p->began,
		     (p->pages - work->nr_pages) << PAGE_SHIFT, false);
	passes_free(p);
	return 0;
}

/* The device of a wait for the writeback of a file's page; 0: the wait is for something else. */
static __always_inline __u64 wait_begins(const struct estat_call *call, bool typed)
{
	struct folio *folio = (struct folio *)call->arg[0];
	struct address_space *mapping;
	struct backing_dev_info *bdi;
	struct wait_key key;

	if ((__u32)call->arg[1] != bpf_core_enum_value(enum pageflags, PG_writeback))
		return 0;
	mapping = file_mapping_of(folio, typed);
	if (!mapping)
		return 0;
	bdi = bdi_of(BPF_CORE_READ(mapping, host));
	key.device = device_of_bdi(bdi);
	if (!wait_find(&key))
		name_bdi(bdi);
	return key.device;
}

static __always_inline int wait_ends(const struct estat_call *call)
{
	struct wait_key key = { .device = call->noted };

	estat_count_latency(wait_get(&key), estat_elapsed(call));
	return 0;
}

ESTAT_RUN(ESTAT_CALL(writeback_waited, folio_wait_bit, 2, wait_begins), wait_ends(call))
ESTAT_RUN(ESTAT_CALL(writeback_waited_killable, folio_wait_bit_killable, 2, wait_begins),
	  wait_ends(call))
ESTAT_RUN(ESTAT_CALL(writeback_waited_old, wait_on_page_bit, 2, wait_begins), wait_ends(call))
ESTAT_RUN(ESTAT_CALL(writeback_waited_killable_old, wait_on_page_bit_killable, 2, wait_begins),
	  wait_ends(call))

static __always_inline bool wait_under_way(struct estat_call_key id, const struct estat_call *call,
					   struct wait_key *key)
{
	key->device = call->noted;
	return estat_can_be_in((void *)call->ret, call->began);
}

ESTAT_TELLS;
ESTAT_WALK_HASH(estat_calls, struct estat_call_key, struct estat_call, wait, struct wait_key,
		wait_under_way, estat_tell_call);
