/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Journeys. A journey is an operation of a file and all I/O that it causes. It consists of spans.
 * The operation is span 0. Each bio on a device is a span, and so is each wait for the journal.
 * What a write leaves in the page cache is a span until all of it is on the disk. The parent of a
 * span is the span above, such as the bio of dm-0 or the operation. The time of a span is split
 * into stages, without a gap:
 *
 *	operation, or a bio of dm-0:	prepare | bios below | between | bios below | finish
 *	bio of a disk:			throttled | queue | scheduler | driver
 *	the driver of SCSI:		dispatch | device | completion
 *	the driver of NVMe:		device | completion
 *	page cache:			dirty | writeback | bios below | between | bios below
 *	RPC of NFS:			queue | wire | end
 *	block of ZFS:			prepare | zios below | between | zios below | finish
 *	vdev that is a disk:		vdev_queue | prepare | bios below | between | finish
 *	vdev that is a file:		vdev_queue | device
 *	data of a write in ZFS:		dirty | writeback | zios below | between | finish
 *	server's thread, and file:	prepare | spans below | between | spans below | finish
 *
 * On a mount of NFS the spans below are RPCs, not bios. A span is found by its device and sectors,
 * or by its bio or RPC. A journey has ended when its operation and all bios and RPCs have ended.
 */
#ifndef ESTAT_MODULES_TRACE_JOURNEY_H
#define ESTAT_MODULES_TRACE_JOURNEY_H

#include "event.bpf.h"
#include "nfs/ip.bpf.h"
#include "vfs/operation.bpf.h"
#include "vfs/reason.bpf.h"

#define JOURNEYS 64 /* alive at once */
/* Most spans under way at once; spans 0 to JOURNEYS - 1 are the journeys' operations. */
#define SPANS    256
#define NONE     -1

#define NEVER_NS 120000000000 /* a journey that is older is given up: an end was not seen */

struct journey {
	__u64 id;        /* its number, from 1; 0: free; CLAIMED: about to begin */
	__u64 operation; /* id of the operation in vfs/operation.bpf.h */
	__u64 task;  /* address of the task that is in the operation's call; 0: it has returned */
	__u64 ended; /* when the operation ended; 0: it has not */
	__u64 cgroup;
	__s64 offset; /* in the file; -1: not known */
	__u64 bytes;
	__u64 file;     /* number of the inode */
	__u64 address;  /* address of the inode, if bios or RPCs write its pages; else 0 */
	__u64 inode;    /* `address` while the write has data in the page cache; else 0 */
	__u64 direct;   /* address of NFS's request for a direct read or write; 0: none is known */
	__s64 left;     /* bytes of the write that no bio has; not known before the call returns */
	__s32 cache;    /* index of the span of the page cache, or NONE */
	__s32 txg_wait; /* index of the span of a wait because too much is dirty, or NONE */
	__s32 commit;   /* index of the span of the wait for ZFS's log, or NONE */
	/* address of the struct zil_commit_waiter of the wait for ZFS's log; 0: none */
	__u64 waiter;
	/* address of the task that flushes the disks with the journey's log block; 0: none */
	__u64 flusher;
	__u32 open; /* spans under way */
	__u32 spans;
	__u32 pid;
	__u64 objset;    /* of a file of ZFS, the dataset's number in its pool */
	__u64 znode;     /* of a file of ZFS, the znode's address */
	__u64 size;      /* of a file of ZFS, when the operation has left ZFS */
	__u64 spa;       /* address of the pool that a write has dirtied; 0: none */
	__u64 txg;       /* number of the last txg with data of the write */
	__u64 txg_first; /* number of the first one */
	__u64 synced;    /* number of the last of these txgs that is on the disk */
	__u32 zios;      /* zios that the operation's thread has issued */
	__u64 switches;  /* how often the thread had waited when it entered ZFS */
	enum op op;
	enum how how;
	bool append; /* the file was opened with O_APPEND */
	bool failed;
	bool unstable; /* the NFS server has not said that it has the write on its disk */
	bool in_zfs;   /* a function of ZFS does the operation */
	bool arc;      /* a read of ZFS that issued no zio and did not wait */
	bool others;   /* a read of ZFS that issued no zio and waited */
	char command[16];
	char name[32]; /* of the file */
};

#define CLAIMED (~0ULL)

enum kind {
	kind_operation,
	kind_bio,
	kind_journal,
	kind_cache,
	kind_rpc,
	kind_zio,      /* of a block, in ZFS */
	kind_vdev,     /* a zio of a disk or file of a pool */
	kind_log,      /* a wait for ZFS's intent log */
	kind_txg_wait, /* a wait of a writer because too much is dirty in ZFS */
	kind_flush,    /* a flush of a pool's disk, after a log block */
	kind_server,   /* what a thread of this host's NFS server does for the RPC above */
	kind_file,     /* an operation of that thread on a file */
};

enum stage {
	stage_operation,  /* all of an operation */
	stage_bio,        /* all of a bio */
	stage_prepare,    /* from the span's begin until the first bio below is submitted */
	stage_between,    /* while no bio below is under way, though another one follows */
	stage_finish,     /* after the last bio below */
	stage_queue,      /* until the request is inserted or issued, or the RPC is sent */
	stage_scheduler,  /* in the I/O scheduler */
	stage_driver,     /* from the issue to the completion */
	stage_cache,      /* all of the time in the page cache */
	stage_dirty,      /* until writeback takes the inode, or until the first bio */
	stage_writeback,  /* until the first bio */
	stage_journal,    /* all of a wait for a commit of the journal */
	stage_throttled,  /* until io.max lets the bio go */
	stage_dispatch,   /* from the issue until SCSI gives the command to the host's driver */
	stage_device,     /* until the host's driver, or NVMe's, has the result */
	stage_completion, /* from the result to the completion */
	stage_rpc,        /* all of an RPC */
	stage_wire,       /* of an RPC, from its last transmission to the reply */
	stage_end,        /* of an RPC, from the reply to its end */
	stage_block,      /* all of a zio of a block */
	stage_vdev,       /* all of a zio of a disk or file */
	stage_vdev_queue, /* until the vdev's queue gives the zio to the disk or file */
	stage_log,        /* all of a wait for ZFS's intent log */
	stage_flush,      /* all of a flush by ZFS */
	stage_server,     /* all of the time in a thread of the NFS server */
	stage_file,       /* all of a read, write or fsync of that thread */
};

enum note {
	note_none,
	note_merged, /* other bios are in the request */
	note_split,
	note_failed,
	note_overwritten, /* another write has changed the bytes before they were on the disk */
	note_shared,      /* another journey has data in the bio */
	note_arc,         /* ZFS had the data in memory */
	note_elsewhere,   /* the thread waited for what is not followed */
};

enum fate {
	fate_begun,
	fate_ended,
	fate_truncated,
	fate_timed_out,
	fate_lost,
};

/* What a span of an RPC has beside its times. */
struct rpc {
	__u64 offset; /* in the file, of a read or write */
	__u64 bytes;  /* also of the server's operation on a file */
	__u32 xid;
	char procedure[24]; /* in lower case */
	estat_ip_t server;
};

struct span {
	__u64 id;      /* the journey's; 0: free; CLAIMED: about to begin */
	__u64 bio;     /* address of the bio, the RPC's rpc_task, or the server's svc_rqst; or 0 */
	__u64 task;    /* address of the task whose bios are below this span; 0: no task's are */
	__u64 op_id;   /* of a file of the server: the operation's id in vfs/operation.bpf.h */
	__u64 picked;  /* when writeback took the inode; 0: it has not */
	__u64 began;   /* 0: the bio is about to be submitted */
	__u64 first;   /* when the first span below began; 0: none has */
	__u64 idle;    /* when the last of the spans below ended; valid while none is under way */
	__u64 between; /* sum of the times between spans below, ns */
	__u64 inserted, issued;
	__u64 sent;   /* when SCSI's driver first got the command, or the RPC was last sent */
	__u64 result; /* when SCSI's or NVMe's driver last had a result, or the RPC a reply */
	/* when io.max let the bio go, or the vdev's queue the zio; 0: neither has */
	__u64 released;
	__u64 sector, end; /* sectors of the device */
	__u64 foreign;     /* bytes of other bios in the request */
	__u64 written;     /* of a wait for the journal: bytes of all bios below */
	/* bytes of other files in the bio; of a wait for the journal, in all bios below */
	__u64 others;
	__u64 zio;    /* address of the zio; 0: no zio */
	__u64 offset; /* of a zio, in the file or disk; -1: not known */
	__u64 size;   /* of a zio */
	__u64 vdev;   /* of a zio of a disk or file, the vdev's address; else 0 */
	/*
	 * address of the zio that the vdev's queue gave to the disk: this zio, or an aggregate with
	 * it
	 */
	__u64 given;
	__u64 issuer;  /* address of the task that gave `given` to the disk */
	__u32 journey; /* index */
	__u32 parent;  /* index of a span */
	__u32 number;  /* in the journey */
	__u32 parent_number;
	__s32 commit; /* index of the span of the task's wait for the journal, or NONE */
	__u32 below;  /* spans below that are under way */
	__u32 device;
	__u32 disk; /* of a zio, the disk of its first bio; 0: no bio */
	enum kind kind;
	enum reason reason; /* why writeback took the inode */
	bool split;
	bool failed;
	bool overwritten;
	bool shared;
	bool queued; /* the bio has been queued; false: io.max looks at it or holds it */
	/* io.max holds the bio, or has held it; of a zio, the vdev's queue does, or has */
	bool held;
	char by[16]; /* the thread that claimed the span, by name */
	struct rpc rpc;
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct task_struct___switches {
	unsigned long nvcsw;
};
#pragma clang attribute pop

/* How often this thread has waited so far. */
static __always_inline __u64 switches_here(void)
{
	return BPF_CORE_READ((struct task_struct___switches *)bpf_get_current_task(), nvcsw);
}

struct journey traced[JOURNEYS];
struct span spans[SPANS];
__u64 alive;                 /* journeys under way: every BPF program leaves at once if it is 0 */
__u64 watched;               /* journeys with data in the page cache */
__u64 dirtied;               /* journeys with data in a txg of ZFS */
__u64 serving;               /* spans of threads of the NFS server */
__u64 journeys_ever;         /* the number of the journey that began last */
__u32 spans_high = JOURNEYS; /* all spans that were ever in use have lower indices than this */

static __always_inline struct journey *traced_at(__u64 i)
{
	return &traced[estat_masked(i, JOURNEYS - 1)];
}

static __always_inline struct span *span_at(__u64 i)
{
	return &spans[estat_masked(i, SPANS - 1)];
}

/* The newest span that has the bios of a task, or NONE. Not static: the verifier checks it once. */
__noinline int span_of_task(__u64 task)
{
	int found = NONE;
	__u32 newest = 0;

	for (__u32 i = 0; i < SPANS && i < spans_high; i++)
		if (spans[i].task == task && spans[i].id && spans[i].number >= newest) {
			found = i;
			newest = spans[i].number;
		}
	return found;
}

/* The journey of a task in an operation, or NONE. */
__noinline int journey_of_task(__u64 task)
{
	for (int i = 0; i < JOURNEYS; i++)
		if (traced[i].task == task && traced[i].id)
			return i;
	return NONE;
}

/* The journey of an operation of vfs that has not ended, or NONE. */
__noinline int journey_of_operation(__u64 id)
{
	for (int i = 0; i < JOURNEYS; i++)
		if (traced[i].id && traced[i].operation == id)
			return i;
	return NONE;
}

/*
 * The newest span of a bio that is about to be submitted, or of a bio, an rpc_task or a svc_rqst
 * that is under way; NONE: there is none.
 */
__noinline int span_of_bio(__u64 bio)
{
	int found = NONE;
	__u32 newest = 0;

	for (__u32 i = JOURNEYS; i < SPANS && i < spans_high; i++)
		if (spans[i].bio == bio && spans[i].id && spans[i].number >= newest) {
			found = i;
			newest = spans[i].number;
		}
	return found;
}

/* The span of a bio that is under way on a device and has the sector, or NONE. */
__noinline int span_at_sector(__u32 device, __u64 sector)
{
	for (__u32 i = JOURNEYS; i < SPANS && i < spans_high; i++)
		if (spans[i].device == device && sector >= spans[i].sector &&
		    sector < spans[i].end && spans[i].id && spans[i].began)
			return i;
	return NONE;
}

/*
 * Claim a free span below the span `parent` for a bio that is not yet submitted. NONE: no span is
 * free.
 */
__noinline int span_claim(__u64 parent, __u64 kind, __u64 bio)
{
	struct span *p = span_at(parent), *s = NULL;
	__u64 id = p->id;
	__u32 i;

	if (!id || id == CLAIMED)
		return NONE;
	for (i = JOURNEYS; i < SPANS; i++)
		if (!spans[i].id && !__sync_val_compare_and_swap(&spans[i].id, 0, CLAIMED))
			break;
	if (i >= SPANS) {
		estat_count_missed();
		return NONE;
	}
	s = span_at(i);
	s->began = s->first = s->idle = s->between = s->inserted = s->issued = s->released = 0;
	s->sent = s->result = s->op_id = 0;
	s->foreign = s->below = s->device = s->task = s->picked = s->written = s->others = 0;
	s->kind = kind;
	s->sector = s->end = 0;
	s->zio = s->vdev = s->given = s->issuer = s->disk = 0;
	s->split = s->failed = s->held = s->overwritten = s->shared = false;
	s->reason = reason_none;
	bpf_get_current_comm(s->by, sizeof(s->by));
	s->queued = true;
	__builtin_memset(&s->rpc, 0, sizeof(s->rpc));
	s->bio = bio;
	s->parent = parent;
	s->parent_number = p->number;
	s->journey = p->journey;
	s->commit = NONE;
	s->number = __sync_fetch_and_add(&traced_at(p->journey)->spans, 1);
	if (spans_high <= i)
		spans_high = i + 1;
	__sync_lock_test_and_set(&s->id, id);
	return i;
}

/* The span below a span begins to be under way. */
static __always_inline void below_begins(struct span *p, __u64 now)
{
	if (__sync_fetch_and_add(&p->below, 1))
		return;
	if (!p->first)
		p->first = now;
	else if (now > p->idle)
		p->between += now - p->idle;
}

/* Does the parent of the span wait for it? */
static __always_inline bool is_below(const struct span *s)
{
	return s->kind != kind_operation && s->kind != kind_cache;
}

/* A claimed span begins: its bio is submitted. */
__noinline int span_begins(__u64 i, __u32 device, __u64 sector, __u64 bytes)
{
	struct span *s = span_at(i);
	__u64 now = bpf_ktime_get_ns();

	s->device = device;
	s->sector = sector;
	s->end = sector + (bytes >> 9);
	s->began = now;
	__sync_fetch_and_add(&traced_at(s->journey)->open, 1);
	if (is_below(s))
		below_begins(span_at(s->parent), now);
	return 0;
}

/*
 * The module defines both functions. report(): a stage of a span ran from `from` to `to`.
 * account(): journey `id` has become `fate`.
 */
__noinline int report(__u64 span, __u64 stage, __u64 from, __u64 to);
__noinline int account(__u64 journey, __u64 id, __u64 fate);

static __always_inline void span_free(struct span *s)
{
	if (s->kind == kind_server)
		__sync_fetch_and_add(&serving, -1);
	__sync_lock_test_and_set(&s->id, 0);
}

/* Free all spans of a journey, and the journey. `fate`: why. */
__noinline int journey_ends(__u64 i, __u64 fate)
{
	struct journey *j = traced_at(i);
	__u64 id = j->id;

	if (!id || id == CLAIMED || __sync_val_compare_and_swap(&j->id, id, CLAIMED) != id)
		return 0;
	j->task = 0;
	if (j->inode) {
		j->inode = 0;
		__sync_fetch_and_add(&watched, -1);
	}
	if (j->spa) {
		j->spa = 0;
		__sync_fetch_and_add(&dirtied, -1);
	}
	for (__u32 n = 0; n < SPANS && n < spans_high; n++)
		if (spans[n].id == id)
			span_free(&spans[n]);
	account(i, id, fate);
	__sync_fetch_and_add(&alive, -1);
	__sync_lock_test_and_set(&j->id, 0);
	return 0;
}

/*
 * The stages of a span with spans below it. `from`: when io.max let the bio go or a vdev's queue
 * the zio, or the span's begin.
 */
static __always_inline void report_parts(__u64 i, struct span *s, __u64 from, __u64 now)
{
	__u64 picked = s->picked && s->picked < s->first ? s->picked : s->first;

	report(i, s->kind == kind_cache ? stage_dirty : stage_prepare, from, picked);
	if (picked < s->first)
		report(i, stage_writeback, picked, s->first);
	if (s->between)
		report(i, stage_between, s->idle - s->between, s->idle);
	if (!s->below && (s->kind != kind_cache || traced_at(s->journey)->spa))
		report(i, stage_finish, s->idle, now);
}

/*
 * What the driver and the device do. The NVMe driver makes the command before the issue, so there
 * is no dispatch stage.
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

/* Report the stages of an RPC. An RPC that got no reply has been in the queue only. */
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
	case kind_txg_wait:
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
	if (s->first && s->kind != kind_rpc)
		report_parts(i, s, from, now);
	else if (s->vdev)
		report(i, stage_device, from, now);
	if (s->issued) {
		report(i, stage_queue, from, s->inserted ? s->inserted : s->issued);
		if (s->inserted)
			report(i, stage_scheduler, s->inserted, s->issued);
		report_driver(i, s, now);
	}
	if (s->kind == kind_rpc)
		report_rpc(i, s, now);
	if (is_below(s) && __sync_fetch_and_add(&p->below, -1) == 1)
		p->idle = now;
	span_free(s);
	if (__sync_fetch_and_add(&traced_at(journey)->open, -1) == 1)
		journey_ends(journey, fate_ended);
	return 0;
}

/*
 * The span of the page cache ends when bios or RPCs have had each byte of the write, all of them
 * have ended, and no server still has to be told to put the bytes on its disk. Inline, because the
 * verifier allows calls eight deep.
 */
static __always_inline int cache_settles(__u64 journey, __u64 now)
{
	struct journey *j = traced_at(journey);
	int i = j->cache;

	if (j->inode && i >= 0 && j->ended && j->left <= 0 && !j->unstable && !span_at(i)->below)
		span_ends(i, now);
	return 0;
}

#endif /* ESTAT_MODULES_TRACE_JOURNEY_H */
