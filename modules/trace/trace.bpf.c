// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace: the journeys of a few operations, from the call to the disk and back. The module vfs and
 * this module share the code that finds operations. journey.bpf.h says what a journey is, and
 * block.bpf.h how bios go to the disk.
 */
#define VFS_SPLIT
#define VFS_DRAWN
#include "block.bpf.h"
#include "commit.bpf.h"
#include "dirty.bpf.h"
#include "rpc.bpf.h"
#include "server.bpf.h"
#include "txg.bpf.h"
#include "zfs.bpf.h"

#include "vfs/async.bpf.h"
#include "vfs/named.bpf.h"
#include "vfs/vfs.bpf.h"

#include "cgroup.bpf.h"
#include "walk.bpf.h"

ESTAT_MODULE(trace, 41);
ESTAT_ON_DEMAND;

struct key {
	enum op op;
	enum stage stage;
};

ESTAT_SERIES(
	trace, 0, struct key, struct estat_latency, 128,
	"The stages of journeys. One of N reads, writes and fsyncs of estat.vfs begins a journey,\n"
	"which follows the operation, each bio that is submitted for it, on each device that the\n"
	"bio comes to, and the data that a write leaves in the page cache. Each of these is a\n"
	"span. A read, write or commit RPC of the NFS client begins a journey, too, if the hash\n"
	"of its XID is a multiple of N, unless a journey has the RPC already. An operation of a\n"
	"thread of the NFS server begins a journey only if the hash of its RPC's XID is one. So\n"
	"client and server with the same N follow the same RPCs. operation: the whole\n"
	"operation; of a journey that an RPC began, from the RPC's begin (tk_start) to\n"
	"rpc_stats_latency. bio: the whole bio, from block_bio_queue, or from\n"
	"the check of io.max before it, to its end. A span with spans below it, such as an\n"
	"operation with bios, has the stages prepare, until the first span below begins; between,\n"
	"while no span below is under way but another one follows; and finish, after the last\n"
	"span below. If io.max holds a bio, the bio's first stage is throttled, from the check of\n"
	"the limit (function __blk_throtl_bio; in 5.15, blk_throtl_bio) to block_bio_queue. A\n"
	"bio in a request has the stages queue, until the request is inserted or issued;\n"
	"scheduler, from block_rq_insert to block_rq_issue; and driver, from block_rq_issue to\n"
	"block_rq_complete. In place of driver, a bio of a SCSI disk has the stages dispatch\n"
	"(until scsi_dispatch_cmd_start), device (until scsi_dispatch_cmd_done) and completion; a\n"
	"bio of an NVMe disk has the stages device (until nvme_complete_rq) and completion; a bio\n"
	"of a loop device with bios of the file below has prepare, between and finish.\n"
	"cache: from the begin of a buffered write until all of its bytes are on the disk. Its\n"
	"stages are dirty, until writeback takes the inode or, if a thread writes the data\n"
	"without that, until the first bio or RPC; writeback, from then until the first bio or\n"
	"RPC; and between. throttled: a wait of the write because too many pages are dirty\n"
	"(balance_dirty_pages). journal: a wait for ext4's journal (jbd2_log_wait_commit), with\n"
	"the bios of the journal's thread, or for XFS's log (xfs_log_force_seq), with all bios\n"
	"that write the log. rpc: an RPC of an NFS mount, from rpc_task_begin to\n"
	"rpc_stats_latency. Its stages are only queue (until the last transmission), wire (until\n"
	"the reply) and end.\n"
	"ZFS: Each write has a cache, from the write's first dmu_tx_commit until the last txg\n"
	"with its data is on the disk (dsl_pool_sync_done). A bio that writes to a volume (zvol)\n"
	"has one for each txg with its data, from zvol_log_write on. Its stages are dirty, until\n"
	"spa_sync; writeback, until the first zio; between; and finish. If the write waits\n"
	"because too much data is dirty (dmu_tx_wait), the wait counts as throttled. log: a wait\n"
	"for the intent log, from zil_itx_assign of a commit record to rrm_exit. block: a zio of\n"
	"a block, from zio_nowait to zio_destroy: one that the operation's thread issues, one of\n"
	"the log block that the operation waits for, one that writes data of the write or bio in\n"
	"a txg, or one that a thread issues while it works on a bio of a volume. vdev: a zio of a\n"
	"disk or file below such a zio, from vdev_queue_io to vdev_disk_io_done or\n"
	"vdev_file_io_done. The first stage is vdev_queue, until the queue gives the zio to the\n"
	"disk or file. Of a file, the rest is the stage device. flush: a flush of a disk after a\n"
	"log block. server: the whole work of a thread of this host's NFS server for an RPC of a\n"
	"journey, from svc_process to svc_stats_latency or svc_drop. file: a read, write or fsync\n"
	"of this thread. Not counted, among others: any other work of other threads for the\n"
	"operation; metadata of a buffered write; pages of mapped files; what ZFS reads ahead;\n"
	"after the call, buffered writes of SMB, FUSE and the like, and of Btrfs with\n"
	"compression.\n"
	"Linux 5.15 to 7.3, on kernels where BPF programs can be attached by fentry");
ESTAT_LAYOUT(trace, "rows {op}, {stage}; nested");

struct account_key {
	enum op op;
};

struct accounts {
	estat_count_t begun ESTAT_FIELD(17, "Number of journeys that began");
	estat_count_t ended ESTAT_FIELD(
		18, "Number of journeys whose operation and all of whose I/O have ended");
	estat_count_t truncated ESTAT_FIELD(
		19, "Number of journeys whose data was truncated before it was written");
	estat_count_t timed_out ESTAT_FIELD(20, "Number of journeys given up after 120 s");
	estat_count_t lost ESTAT_FIELD(21, "Number of journeys whose end was not seen");
	estat_under_way_t alive ESTAT_FIELD(22, "Number of journeys under way");
	estat_count_t refused ESTAT_FIELD(
		23, "Number of operations that were drawn, and RPCs that were chosen, but began no "
		    "journey, because 64 journeys were under way");
};

ESTAT_SERIES(journey, 1, struct account_key, struct accounts, 16,
	     "What became of the journeys: begun = ended + truncated + timed_out + lost + alive");

struct event {
	estat_count_t journey ESTAT_PARAMETER(1, "Number of the journey");
	estat_count_t span ESTAT_PARAMETER(
		2, "Number of the span in the journey; 0: the span of the operation");
	estat_count_t parent ESTAT_PARAMETER(3, "Number of the span above; of the operation: 0");
	enum op op ESTAT_PARAMETER(4, "Operation");
	enum stage stage ESTAT_PARAMETER(5, "Stage of the span");
	estat_dev_t device ESTAT_PARAMETER(
		6, "The disk of the bio, or of the vdev's zio; else the file's device");
	estat_bytes_t offset ESTAT_PARAMETER(
		7, "First byte of the bio, zio, RPC or operation, on the device or in the file; "
		   "2^64 - 1: not known");
	estat_bytes_t bytes ESTAT_PARAMETER(
		8, "Bytes of the bio, zio, RPC or operation; for a wait for a journal or log, of "
		   "all bios or zios below the wait; for a wait because too much data is dirty, 0");
	estat_nsec_t since ESTAT_PARAMETER(9, "From the operation's begin to the stage's begin");
	estat_nsec_t time ESTAT_PARAMETER(10, "How long the stage took");
	char command[16] ESTAT_PARAMETER(
		11,
		"Name of the operation's thread; of an RPC that began the journey, of the thread\n"
		"that gave the RPC its XID");
	estat_count_t pid ESTAT_PARAMETER(12, "Process");
	estat_cgroup_t cgroup ESTAT_PARAMETER(13, "Cgroup of the operation's process");
	char file[32] ESTAT_PARAMETER(14, "Name of the file, without its folder");
	estat_count_t inode ESTAT_PARAMETER(15, "Number of the file's inode");
	estat_bytes_t foreign ESTAT_PARAMETER(
		16,
		"Bytes of other bios in the bio's request or other zios in the zio's aggregate");
	estat_count_t began
		ESTAT_PARAMETER(17, "Begin of the operation, in nanoseconds of CLOCK_MONOTONIC");
	enum note note ESTAT_PARAMETER(18, "What is special about the span");
	estat_bytes_t others ESTAT_PARAMETER(
		20,
		"For a wait for the journal, bytes of other files in all bios below the wait; for\n"
		"such a bio, in the bio");
	enum reason reason ESTAT_PARAMETER(21, "Of data in the page cache: why writeback took the\n"
					       "inode");
	char by[16] ESTAT_PARAMETER(
		22, "Name of the thread that began the span, such as by submitting the bio");
	char procedure[24] ESTAT_PARAMETER(
		23, "The RPC's procedure; of NFSv4, the operation. The span of a journey's\n"
		    "operation has a procedure if the operation is an RPC of the NFS client");
	estat_ip_t server ESTAT_PARAMETER(24, "Address of the RPC's server");
	estat_count_t xid ESTAT_PARAMETER(
		25,
		"The RPC's number (XID); of a journey's operation that is an RPC, or that a "
		"thread of the NFS server does for an RPC, the number of this RPC; 0: not known");
	estat_ip_t client ESTAT_PARAMETER(26, "Address of the RPC's client");
	estat_count_t part ESTAT_PARAMETER(
		19, "1: the stage is a part of a span; 0: the stage is the whole span");
};

ESTAT_EVENTS(struct event, 8192,
	     "One record for each stage of a journey, written when the stage's span ends");

struct last {
	estat_count_t journey ESTAT_PARAMETER(1, "Number of the journey, as in the event records");
	enum op op ESTAT_PARAMETER(2, "Operation");
	char file[32] ESTAT_PARAMETER(3, "Name of the file, without its folder");
	estat_count_t inode ESTAT_PARAMETER(4, "Number of the file's inode");
	estat_dev_t device ESTAT_PARAMETER(5, "The file's device");
	char command[16] ESTAT_PARAMETER(6, "Name of the operation's thread");
	estat_count_t pid ESTAT_PARAMETER(7, "Process");
	estat_cgroup_t cgroup ESTAT_PARAMETER(8, "Cgroup of the operation's process");
	estat_bytes_t offset ESTAT_PARAMETER(9, "First byte in the file; 2^64 - 1: not known");
	estat_bytes_t bytes ESTAT_PARAMETER(10, "Bytes of the operation");
	estat_nsec_t latency ESTAT_PARAMETER(
		11, "From the operation's begin to the end of the journey's last stage");
	enum stage stage ESTAT_PARAMETER(12, "The longest stage");
	estat_nsec_t stage_time ESTAT_PARAMETER(13, "How long the longest stage took");
	estat_dev_t stage_device ESTAT_PARAMETER(
		14, "Disk of the longest stage's bio or vdev's zio; else the file's device");
	enum fate fate ESTAT_PARAMETER(15, "How the journey ended");
	estat_count_t began
		ESTAT_PARAMETER(16, "Begin of the operation, in nanoseconds of CLOCK_MONOTONIC");
};

ESTAT_LAST(
	struct last,
	"Journeys that have ended, with the longest stage of each; a whole span, such as a bio,\n"
	"counts as a stage only if it has no spans below and no request, and is no RPC");

/* The longest stage of a journey, of those reported so far. keep_last() puts it into the record. */
struct longest {
	__u64 end; /* the latest end of a stage that was reported so far */
	__u64 time;
	enum stage stage;
	__u32 device;
};

struct longest longest[JOURNEYS];

static __always_inline struct longest *longest_of(__u64 journey)
{
	return &longest[estat_masked(journey, JOURNEYS - 1)];
}

/*
 * A stage of a span is reported: keep the stage if it is the journey's longest. The stage that is
 * all of a span is not kept if the span has spans below or a request, or is an RPC's.
 */
static __always_inline void note_stage(const struct span *s, __u64 stage, __u64 from, __u64 to)
{
	struct longest *l = longest_of(s->journey);

	if (to > l->end)
		l->end = to;
	if ((stage == whole_of(s) && (s->first || s->issued || s->kind == kind_rpc)) ||
	    to <= from || to - from <= l->time)
		return;
	l->time = to - from;
	l->stage = stage;
	l->device = s->disk ?: s->device;
}

static __always_inline void keep_last(__u64 journey, __u64 id, __u64 fate)
{
	const struct longest *l = longest_of(journey);
	const struct journey *j = traced_at(journey);
	const struct span *s = span_at(journey);
	struct last *e = estat_last_begin();

	if (!e)
		return;
	e->journey = id;
	e->op = j->op;
	__builtin_memcpy(e->file, j->name, sizeof(e->file));
	e->inode = j->file;
	e->device = s->device;
	__builtin_memcpy(e->command, j->command, sizeof(e->command));
	e->pid = j->pid;
	e->cgroup = j->cgroup;
	e->offset = j->offset;
	e->bytes = j->bytes;
	e->latency = l->end > s->began ? l->end - s->began : 0;
	e->stage = l->stage;
	e->stage_time = l->time;
	e->stage_device = l->device;
	e->fate = fate;
	e->began = s->began;
	estat_last_end(e);
}

__noinline int account(__u64 journey, __u64 id, __u64 fate)
{
	struct account_key key = { .op = traced_at(journey)->op };
	struct accounts *v = journey_get(&key);

	if (fate == fate_begun)
		*longest_of(journey) = (struct longest){};
	else
		keep_last(journey, id, fate);
	if (!v)
		return 0;
	if (fate == fate_begun)
		estat_add(v->begun, 1);
	else if (fate == fate_ended)
		estat_add(v->ended, 1);
	else if (fate == fate_truncated)
		estat_add(v->truncated, 1);
	else if (fate == fate_timed_out)
		estat_add(v->timed_out, 1);
	else
		estat_add(v->lost, 1);
	return 0;
}

/*
 * Count an operation that was drawn, or an RPC that was chosen, but begins no journey: JOURNEYS
 * journeys are under way.
 */
__noinline int account_refused(__u64 op)
{
	struct account_key key = { .op = op };
	struct accounts *v = journey_get(&key);

	if (v)
		estat_add(v->refused, 1);
	return 0;
}

static __always_inline enum note note_of(const struct span *s, const struct journey *j)
{
	if (s->kind == kind_operation ? j->failed : s->failed)
		return note_failed;
	if (s->kind == kind_operation && (j->arc || j->others))
		return j->arc ? note_arc : note_elsewhere;
	if (s->overwritten)
		return note_overwritten;
	if (s->kind == kind_bio && s->device >> 20 == LOOP_MAJOR && !s->first)
		return note_elsewhere;
	if (s->split)
		return note_split;
	if (s->shared)
		return note_shared;
	return s->foreign ? note_merged : note_none;
}

static __always_inline __u64 offset_of(const struct span *s, const struct journey *j)
{
	switch (s->kind) {
	case kind_bio:
		return s->sector << 9;
	case kind_rpc:
	case kind_server:
	case kind_file:
		return s->rpc.offset;
	default:
		return s->zio || (s->kind == kind_cache && s->size) ? s->offset : j->offset;
	}
}

static __always_inline __u64 bytes_reported(const struct span *s, const struct journey *j)
{
	switch (s->kind) {
	case kind_bio:
		return (s->end - s->sector) << 9;
	case kind_journal:
	case kind_log:
		return s->written;
	case kind_zio:
	case kind_vdev:
	case kind_flush:
		return s->size;
	case kind_cache:
		return s->size ?: j->bytes;
	case kind_rpc:
	case kind_server:
	case kind_file:
		return s->rpc.bytes;
	default:
		return j->bytes;
	}
}

__noinline int report(__u64 span, __u64 stage, __u64 from, __u64 to)
{
	struct span *s = span_at(span);
	struct journey *j = traced_at(s->journey);
	__u64 ns = to > from ? to - from : 0, began = span_at(s->journey)->began;
	struct key key = { .op = j->op, .stage = stage };
	struct estat_latency *v = trace_get(&key);
	struct event *e = estat_event_begin();

	if (v)
		estat_count_latency(v, ns);
	note_stage(s, stage, from, to);
	if (!e)
		return 0;
	e->journey = j->id;
	e->span = s->number;
	e->parent = s->parent_number;
	e->op = j->op;
	e->stage = stage;
	e->device = s->disk ?: s->device;
	e->offset = offset_of(s, j);
	e->bytes = bytes_reported(s, j);
	e->since = from > began ? from - began : 0;
	e->time = ns;
	__builtin_memcpy(e->command, j->command, sizeof(e->command));
	e->pid = j->pid;
	e->cgroup = j->cgroup;
	__builtin_memcpy(e->file, j->name, sizeof(e->file));
	e->inode = j->file;
	e->foreign = s->foreign;
	e->began = began;
	e->note = note_of(s, j);
	e->others = s->others;
	e->reason = s->reason;
	__builtin_memcpy(e->by, s->by, sizeof(e->by));
	__builtin_memcpy(e->procedure, s->rpc.procedure, sizeof(e->procedure));
	e->server = s->rpc.server;
	e->xid = s->rpc.xid;
	e->client = s->rpc.client;
	e->part = stage != whole_of(s);
	estat_event_end(e);
	return 0;
}

#include "root.bpf.h"
#include "rpc_root.bpf.h"

/*
 * If journey `at` is under way, and give_up() does not end the journey, add it to the gauge
 * estat.trace.journey.alive. `walk`: the walk's time; 0: the module is detached. Not static, so the
 * verifier checks the function once.
 */
__noinline int trace_look(__u64 at, __u64 walk)
{
	struct journey *j = traced_at(at);
	struct account_key key = { .op = j->op };
	__u32 *slot = bpf_map_lookup_elem(&journey, &key);
	struct accounts *v;
	__u16 cached;

	give_up(at, walk);
	v = slot && walk ? journey_at(&key, *slot, 0, &cached) : NULL;
	if (v && v->alive.stamp != walk)
		v->alive = (struct estat_gauge){ .stamp = walk };
	if (v && j->id && j->id != CLAIMED)
		v->alive.value++;
	return at + 1 < JOURNEYS ? 0 : ESTAT_WALK_END;
}

ESTAT_WALK_BY(, trace_look(from + i, walk));
