/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Journeys. A journey is an operation on a file and the I/O that the operation causes. A journey
 * consists of spans. The operation is span 0. Each bio on a device is a span, and so is each wait
 * for a journal, a log, or fewer dirty pages. The data that a write leaves in the page cache is a
 * span until all of the data is on the disk. The parent of a span is the span above, such as the
 * bio of dm-0 or the operation. The time of a span that has spans below it or a request, or is of
 * an RPC or a vdev, is split into stages:
 *
 *	operation, wait, bio of dm-0:	prepare | bios below | between | bios below | finish
 *	bio of a volume of ZFS:		prepare | zios below | between | zios below | finish
 *	bio of a loop device:		queue | prepare | bios below | between | finish
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
 * If io.max holds a bio, the first stage of the bio is throttled, also on dm-0. On a mount of NFS
 * the spans below are RPCs, not bios. A span is found by its device and sectors, or by its bio,
 * RPC, zio or task. A journey has ended when all of its spans have ended.
 */
#ifndef ESTAT_MODULES_TRACE_JOURNEY_H
#define ESTAT_MODULES_TRACE_JOURNEY_H

#include "event.bpf.h"
#include "nfs/ip.bpf.h"
#include "vfs/operation.bpf.h"
#include "vfs/reason.bpf.h"

#define JOURNEYS 64 /* the highest number of journeys under way at once */
/*
 * The highest number of spans under way at once. Spans 0 to JOURNEYS - 1 are the journeys'
 * operations.
 */
#define SPANS 256
#define NONE  -1

/* a journey that is older, in nanoseconds, is given up */
#define NEVER_NS 120000000000

/* The operation can itself make calls that calls_here() counts, because its file is of ecryptfs. */
#define CALLS_ITSELF (~0ULL)

struct journey {
	__u64 id; /* number of the journey, from 1; 0: free; CLAIMED: the journey begins or ends */
	__u64 operation; /* id of the operation, see vfs/operation.bpf.h; 0: it has ended */
	__u64 task;      /* address of the task in the operation's call; 0: the call has returned */
	__u64 entered;   /* when `task` began or, with io_uring, last went on with the operation */
	__u64 calls;     /* calls_here() at the time `entered`, or CALLS_ITSELF */
	__u64 ended;     /* when the operation ended; 0: the operation has not ended */
	__u64 cgroup;
	__s64 offset;  /* where in the file the operation begins; -1: not known */
	__u64 bytes;   /* how many bytes the operation has transferred; valid once it has ended */
	__u64 most;    /* how many bytes the operation is to transfer, or NOT_KNOWN */
	__u64 file;    /* number of the inode */
	__u64 address; /* address of the inode, if is_written_back(); else 0 */
	__u64 inode;   /* equal to `address` from cache_begins() to the journey's end; else 0 */
	__u64 direct;  /* address of the nfs_direct_req of a direct read or write; 0: not known */
	__s64 left;  /* bytes of the write that no bio or RPC has yet; valid once `ended` is set */
	__s32 cache; /* index of the span of the data in the page cache or in ZFS; or NONE */
	/* address of the struct zil_commit_waiter of the wait for ZFS's log; 0: none */
	__u64 waiter;
	/* address of the task that flushes the disks with the journey's log block; 0: none */
	__u64 flusher;
	__u32 open; /* number of the journey's spans that are under way */
	__u32 spans;
	__u32 pid;
	__u64 objset;   /* of a file of ZFS, the dataset's number in its pool */
	__u64 znode;    /* of a file of ZFS, the znode's address */
	__u64 size;     /* of a file of ZFS, its size when the operation left ZFS */
	__u32 zios;     /* number of zios that ZFS has issued for the operation */
	__u64 switches; /* how often the thread had waited when the operation entered ZFS */
	enum op op;
	enum how how;
	bool append;   /* the file is open with O_APPEND */
	bool balances; /* the thread is in balance_dirty_pages */
	bool failed;
	bool unstable; /* from the NFS server's reply UNSTABLE to a WRITE until a COMMIT succeeds */
	bool in_zfs;   /* the operation has entered ZFS */
	bool arc;      /* a read of ZFS has ended, issued no zio, and its thread did not wait */
	bool others;   /* a read of ZFS has ended, issued no zio, and its thread waited */
	bool of_rpc;   /* the operation is an RPC of the NFS client, and ends with it */
	char command[16];
	char name[32]; /* of the file */
};

#define CLAIMED (~0ULL)
/* more than any number of bytes; the sum with an offset in a file is below 2^64 */
#define NOT_KNOWN (1ULL << 62)

enum kind {
	kind_operation,
	kind_bio,
	kind_journal,
	kind_cache,
	kind_rpc,
	kind_zio,        /* a zio of a block of ZFS */
	kind_vdev,       /* a zio of a disk or file of a pool */
	kind_log,        /* a wait for ZFS's intent log */
	kind_dirty_wait, /* a wait of a write because too much data is dirty */
	kind_flush,      /* a flush of a pool's disk, after a write of ZFS's intent log */
	kind_server,     /* what a thread of this host's NFS server does for the RPC above */
	kind_file,       /* an operation of a thread of the NFS server on a file */
};

/*
 * The stages of spans. A stage whose comment says only "until" begins where the span's stage
 * before it ends (such as stage_throttled) or, if there is none, where the span begins.
 */
enum stage {
	stage_operation,  /* all of an operation */
	stage_bio,        /* all of a bio */
	stage_prepare,    /* until the first span below this span begins */
	stage_between,    /* after a span below and before another, while none is under way */
	stage_finish,     /* after the end of the last span below */
	stage_queue,      /* until the request is inserted or issued, or the RPC is last sent */
	stage_scheduler,  /* from the request's insert (block_rq_insert) to its issue */
	stage_driver,     /* from the request's issue to its completion */
	stage_cache,      /* all of a span of kind_cache, from the write to the disk */
	stage_dirty,      /* until `picked` or `first` of struct span, whichever is earlier */
	stage_writeback,  /* from stage_dirty's end until the first span below this span begins */
	stage_journal,    /* all of a wait for ext4's journal or XFS's log */
	stage_throttled,  /* until io.max lets the bio go; or all of a wait of kind_dirty_wait */
	stage_dispatch,   /* from the issue until the SCSI host's driver gets the command */
	stage_device,     /* until SCSI's or NVMe's driver, or a vdev's file, has the result */
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
	stage_file,       /* all of a read, write or fsync of a thread of the NFS server */
};

enum note {
	note_none,
	note_merged, /* other bios are in the request, or other zios in the aggregate */
	note_split,
	note_failed,
	note_overwritten, /* another write has changed the journey's bytes before they were on the
			     disk */
	note_shared,      /* another journey has data in the bio, RPC or zio */
	note_arc,         /* ZFS had the data in memory */
	/*
	 * a read of ZFS issued no zio, and its thread waited; or a bio of a loop device has no bio
	 * below
	 */
	note_elsewhere,
};

enum fate {
	fate_begun,
	fate_ended,
	fate_truncated,
	fate_timed_out,
	fate_lost,
};

/*
 * What the span of an RPC keeps of the RPC, besides times. If the operation of a journey is an RPC,
 * the operation's span has the same. If the operation is done by a thread of the NFS server, the
 * operation's span has the number and addresses of the RPC. The spans below the RPC's, of the
 * server's thread (kind_server) and its operation (kind_file), have only `offset` and `bytes`.
 */
struct rpc {
	__u64 offset; /* of a read or write: where in the file it begins */
	__u64 bytes;  /* bytes of the RPC; of kind_file, what the operation has moved */
	__u32 xid;
	char procedure[24]; /* the procedure's name in lower case */
	estat_ip_t server;
	estat_ip_t client; /* zero: not known */
};

/* What the span of a loop device's bio keeps of the file below the device, see loop.bpf.h. */
struct loop {
	__u64 file;   /* address of the struct file; 0: the span is of no such bio */
	__u64 inode;  /* address of the file's inode */
	__u64 offset; /* the byte of the file at which the device begins */
};

/* What the span of data that a write leaves in ZFS's memory keeps of the data, see txg.bpf.h. */
struct dirty_data {
	__u64 spa;    /* address of the pool; 0: the span is of no such data */
	__u64 objset; /* number of the dataset in the pool */
	__u64 object; /* number of the file; of a volume ZVOL_OBJ */
	__u64 first;  /* number of the oldest txg with the data */
	__u64 last;   /* number of the newest txg with the data */
	__u64 synced; /* number of the pool's newest txg that is on the disk; 0: not known */
};

struct span {
	__u64 id;  /* number of the journey; 0: free; CLAIMED: the span begins or ends */
	__u64 bio; /* address of the bio, the RPC's rpc_task, or the server's svc_rqst; or 0 */
	/*
	 * address of a task: the task's bios and RPCs are below this span or, if the span is of a
	 * zvol's bio, the task's zios are; 0: no task
	 */
	__u64 task;
	__u64 op_id;   /* of a server's operation on a file: its id, as in struct journey */
	__u64 picked;  /* when writeback took the inode, or spa_sync the txg; 0: not yet */
	__u64 began;   /* when the span began; 0: the bio is about to be submitted */
	__u64 first;   /* when the first span below began; 0: none yet */
	__u64 idle;    /* when the last of the spans below ended; valid while none is under way */
	__u64 between; /* sum of the times between spans below, ns */
	__u64 inserted, issued;
	__u64 sent;   /* when SCSI's driver first got the command, or when the RPC was last sent */
	__u64 result; /* when SCSI's or NVMe's driver had the latest result, or the RPC its reply */
	/* valid if `held`: when io.max let the bio go, or the vdev's queue the zio; 0: not yet */
	__u64 released;
	__u64 sector, end; /* the span is of the sectors `sector` to `end` - 1 of the device */
	__u64 foreign; /* bytes of other bios in the request, or of other zios in the aggregate */
	__u64 written; /* of a wait for a journal or log: bytes of the bios or zios below so far */
	/*
	 * of a wait for the journal: bytes of other files in all bios below; of such a bio: bytes
	 * of other files in the bio; else 0
	 */
	__u64 others;
	/*
	 * of a wait for XFS's log: the log is in the sectors log_begin to log_end - 1 of its disk;
	 * of any other span log_end is 0
	 */
	__u64 log_begin, log_end;
	__u64 zio; /* address of the zio; 0: no zio */
	/* of a zio, where in the file, volume or vdev it begins; -1: not known */
	__u64 offset;
	/* of a zio, its bytes; or of a volume's dirty data, which begins at `offset`; else 0 */
	__u64 size;
	__u64 vdev; /* of a zio of a disk or file, the vdev's address; else 0 */
	/* address of the zio that was given to the disk or file: `zio` or its aggregate */
	__u64 given;
	/* address of the task that gave `given` to the disk; 0: the task has given another since */
	__u64 issuer;
	__u32 journey; /* index */
	__u32 parent;  /* index of the span above; of an operation: its own index */
	__u32 number;  /* of the span in its journey; 0: the operation */
	__u32 parent_number;
	__s32 wait;  /* index of the span of the wait that this span's thread is in, or NONE */
	__u32 below; /* number of spans below that are under way */
	__u32 device;
	__u32 disk;       /* of a zio, the disk of its bios; 0: no bio */
	__u32 log_device; /* of a wait for XFS's log: the disk with the log */
	enum kind kind;
	enum reason reason; /* why writeback took the inode */
	bool split;
	bool failed;
	bool overwritten;
	bool shared;
	bool queued; /* false: io.max has seen the bio, and block_bio_queue has not fired yet */
	/* io.max looks at, holds or has held the bio; or the vdev's queue has or had the zio */
	bool held;
	char by[16]; /* name of the thread that claimed the span */
	struct rpc rpc;
	struct loop loop;
	struct dirty_data data;
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct task_struct___switches {
	unsigned long nvcsw;
};
#pragma clang attribute pop

/* How often this thread has waited so far: the number of its voluntary context switches. */
static __always_inline __u64 switches_here(void)
{
	return BPF_CORE_READ((struct task_struct___switches *)bpf_get_current_task(), nvcsw);
}

struct journey traced[JOURNEYS];
struct span spans[SPANS];
__u64 alive; /* number of journeys under way */
/*
 * Number of spans in use, but for those of kind_cache. 0: the journeys under way, if any, have only
 * data in the page cache or in ZFS's memory. Then no thread, bio, request, zio or RPC belongs to a
 * journey, so most BPF programs return at once.
 */
__u64 active;
__u64 watched;       /* number of journeys with data in the page cache */
__u64 dirtied;       /* number of spans of data in txgs of ZFS */
__u64 serving;       /* number of spans of kind_server */
__u64 logging;       /* number of waits for XFS's log */
__u64 journeys_ever; /* the number of the latest journey */

static __always_inline struct journey *traced_at(__u64 i)
{
	return &traced[estat_masked(i, JOURNEYS - 1)];
}

static __always_inline struct span *span_at(__u64 i)
{
	return &spans[estat_masked(i, SPANS - 1)];
}

/*
 * The number of spans in a part. A function that looks through spans in parts calls a function that
 * is not static for each part. The verifier checks that function once for each BPF program, so it
 * follows PART steps and not SPANS.
 */
#define PART 16

/* How many spans of each part are in use. */
__u32 part_spans[SPANS / PART];

/*
 * Run the statement that follows for each part that has a span in use, from span `first` on. `from`
 * is the part's first span.
 */
#define EACH_PART(from, first)                                 \
	for (__u32 from = (first); from < SPANS; from += PART) \
		if (part_spans[from / PART])

#define PROTO(...) __VA_ARGS__
#define ARGS(...)  __VA_ARGS__

/*
 * Define NAME, a function that looks through the spans that are in use, except those of operations.
 * PROTO has NAME's parameters, and ARGS their names. MATCH and DO can use `s`, the span; DO can
 * also use `i`, the span's index.
 *
 * FIND_SPAN: NAME returns the index of the first span for which MATCH is true; NONE: there is none.
 * EACH_SPAN: NAME evaluates DO for each span, and returns the results, combined by |.
 */
#define FIND_SPAN(NAME, PROTO, ARGS, MATCH)                               \
	__noinline int NAME##_in(__u64 from, PROTO)                       \
	{                                                                 \
		for (__u32 n = 0; n < PART; n++) {                        \
			const struct span *s = span_at(from + n);         \
                                                                          \
			if ((MATCH) && s->id)                             \
				return estat_masked(from + n, SPANS - 1); \
		}                                                         \
		return NONE;                                              \
	}                                                                 \
                                                                          \
	__noinline int NAME(PROTO)                                        \
	{                                                                 \
		int found = NONE;                                         \
                                                                          \
		EACH_PART (from, JOURNEYS)                                \
			if (found < 0)                                    \
				found = NAME##_in(from, ARGS);            \
		return found;                                             \
	}                                                                 \
	struct span /* lets a semicolon follow the macro */

#define EACH_SPAN(NAME, PROTO, ARGS, DO)                             \
	__noinline int NAME##_in(__u64 from, PROTO)                  \
	{                                                            \
		int done = 0;                                        \
                                                                     \
		for (__u32 n = 0; n < PART; n++) {                   \
			__u64 i = estat_masked(from + n, SPANS - 1); \
			struct span *s = span_at(i);                 \
                                                                     \
			if (s->id)                                   \
				done |= (DO);                        \
		}                                                    \
		return done;                                         \
	}                                                            \
                                                                     \
	static __always_inline int NAME(PROTO)                       \
	{                                                            \
		int done = 0;                                        \
                                                                     \
		EACH_PART (from, JOURNEYS)                           \
			done |= NAME##_in(from, ARGS);               \
		return done;                                         \
	}                                                            \
	struct span /* lets a semicolon follow the macro */

/*
 * `a` and `b` are the indices of two spans, or NONE. Returns the index of the span with the higher
 * number in its journey. If one index is NONE, returns the other one.
 */
static __always_inline int newer(int a, int b)
{
	return b < 0 || (a >= 0 && span_at(a)->number > span_at(b)->number) ? a : b;
}

/*
 * Define span_of_MEMBER(address), which looks among the spans whose index is at least FIRST for
 * those whose MEMBER is `address`. It returns the one with the highest number in its journey, or
 * NONE.
 */
#define SPAN_OF(MEMBER, FIRST)                                                             \
	__noinline int span_of_##MEMBER##_in(__u64 from, __u64 address)                    \
	{                                                                                  \
		int found = NONE;                                                          \
                                                                                           \
		for (int i = 0; i < PART; i++)                                             \
			if (span_at(from + i)->MEMBER == address && span_at(from + i)->id) \
				found = newer(found, estat_masked(from + i, SPANS - 1));   \
		return found;                                                              \
	}                                                                                  \
                                                                                           \
	__noinline int span_of_##MEMBER(__u64 address)                                     \
	{                                                                                  \
		int found = NONE;                                                          \
                                                                                           \
		EACH_PART (from, FIRST)                                                    \
			found = newer(found, span_of_##MEMBER##_in(from, address));        \
		return found;                                                              \
	}                                                                                  \
	struct span /* lets a semicolon follow the macro */

/*
 * span_of_task(): the span below which the task's bios and RPCs go, or a span of a zvol's bio,
 * below which the task's zios go.
 */
SPAN_OF(task, 0);

/*
 * span_of_bio(): the span of a bio that is about to be submitted, or of a bio, an rpc_task or a
 * svc_rqst that is under way. The function skips spans 0 to JOURNEYS - 1, which are operations.
 */
SPAN_OF(bio, JOURNEYS);

/* Is span `i`, which is of a task or NONE, that of a zvol's bio on which the task works? */
static __always_inline bool is_of_volume(int i)
{
	return i >= 0 && span_at(i)->kind == kind_bio && !span_at(i)->loop.file;
}

/* The index of the journey whose operation the task is in, or NONE. */
__noinline int journey_of_task(__u64 task)
{
	for (int i = 0; i < JOURNEYS; i++)
		if (traced[i].task == task && traced[i].id)
			return i;
	return NONE;
}

/* The index of the journey of the operation `id`, if the operation has not ended; else NONE. */
__noinline int journey_of_operation(__u64 id)
{
	for (int i = 0; i < JOURNEYS; i++)
		if (traced[i].id && traced[i].operation == id)
			return i;
	return NONE;
}

/* The span of a bio that is under way on a device and has the sector, or NONE. */
FIND_SPAN(span_at_sector, PROTO(__u32 device, __u64 sector), ARGS(device, sector),
	  s->device == device && sector >= s->sector && sector < s->end && s->began);

#endif /* ESTAT_MODULES_TRACE_JOURNEY_H */
