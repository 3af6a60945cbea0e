// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * journal.btrfs: commits of Btrfs's transactions and of its log tree, by device and stage
 * (fs/btrfs/transaction.c, tree-log.c, Linux 5.15 to 7.3). A thread that calls for a commit while
 * another thread commits waits for the other thread's commit. The tracepoint
 * btrfs_transaction_commit is of no use, because it fires only when a commit ends, not for a wait.
 */
#define ESTAT_RARE

#include "aggregate.bpf.h"
#include "return.bpf.h"
#include "thread.bpf.h"
#include "told.bpf.h"

ESTAT_MODULE(journal.btrfs, 26);
ESTAT_NEEDS("btrfs", "/sys/fs/btrfs/*/allocation");
/* The file commit_stats exists since Linux 6.0. */
ESTAT_EVIDENCE("/sys/fs/btrfs/*/commit_stats", "^commits ");

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
/* declared in include/linux/blk_types.h */
struct block_device {
	__u32 bd_dev;
};

/* declared in fs/btrfs/volumes.h */
struct btrfs_device {
	struct block_device *bdev;
};

struct btrfs_fs_devices {
	/* the device in mountinfo; since 5.16, and in later 5.15.y */
	struct btrfs_device *latest_dev;
};

struct btrfs_fs_devices___bdev {
	struct block_device *latest_bdev;
};

/* declared in fs/btrfs/fs.h, before Linux 6.2 in ctree.h */
struct btrfs_fs_info {
	struct btrfs_fs_devices *fs_devices;
};

/* declared in fs/btrfs/transaction.h */
struct btrfs_trans_handle {
	struct btrfs_fs_info *fs_info;
};
#pragma clang attribute pop

enum stage {
	stage_commit,
	stage_commit_wait,
	stage_log,
};

struct key {
	estat_dev_t device;
	enum stage stage;
};

struct value {
	struct estat_latency_errors;
	struct estat_inflight;
};

ESTAT_SERIES(
	journal_btrfs, 0, struct key, struct value, 96,
	"Btrfs. commit: the commit of a transaction, from the entry of btrfs_commit_transaction\n"
	"to its return. commit_wait: calls of this function that waited for a commit by another\n"
	"thread. log: the sync of the log tree, for fsync, from the entry of btrfs_sync_log to\n"
	"its return. A failure counts in errors, also if the log cannot be used and fsync commits\n"
	"instead. A wait for a commit that failed counts in the errors of commit. While a wait\n"
	"for a commit is under way, the wait counts as commit. The device is the one in\n"
	"mountinfo; a file system can have more. Linux 5.15 or newer");

ESTAT_OPTIONAL("estat.journal.btrfs of the log", btrfs_sync_log);

/* A thread's newest call of btrfs_commit_transaction; kept after the call. */
struct thread {
	__u64 wrote; /* 1: the thread wrote the superblocks, so it does the commit */
};

ESTAT_PER_THREAD(threads, struct thread);

static __noinline int count(__u32 device, enum stage stage, __u64 ns, bool failed)
{
	struct key key = { .device = device, .stage = stage };

	estat_count_end(journal_btrfs_get(&key), ns, failed);
	return 0;
}

/* The file system's device, noted at the entry: btrfs_commit_transaction() frees the handle. */
static __always_inline __u64 note_device(const struct estat_call *call, bool typed)
{
	struct btrfs_trans_handle *trans = (struct btrfs_trans_handle *)call->arg[0];
	struct btrfs_fs_devices *devices = BPF_CORE_READ(trans, fs_info, fs_devices);

	if (bpf_core_field_exists(devices->latest_dev))
		return BPF_CORE_READ(devices, latest_dev, bdev, bd_dev);
	return BPF_CORE_READ((struct btrfs_fs_devices___bdev *)devices, latest_bdev, bd_dev);
}

static __always_inline __u64 commit_begins(const struct estat_call *call, bool typed)
{
	struct thread *t = threads_make();

	if (!t)
		return 0;
	t->wrote = 0;
	return note_device(call, typed);
}

/* Of the threads in btrfs_commit_transaction only the one that commits calls write_all_supers. */
ESTAT_ENTRY(journal_btrfs_writes, write_all_supers, 1)
{
	struct thread *t = threads_here();

	if (t)
		t->wrote = 1;
	return 0;
}

/*
 * Most commits that fail do so before they write the superblocks (fs/btrfs/transaction.c, Linux
 * 5.15 to 7.3), and waiting threads get the commit's error. So a failed commit and a failed wait
 * for a commit look alike, and both count as commit.
 */
ESTAT_CALL(journal_btrfs_commit, btrfs_commit_transaction, 1, commit_begins)
{
	struct thread *t = threads_here();
	bool failed = (int)call->ret, wrote = t && t->wrote;

	return count(call->noted, wrote || failed ? stage_commit : stage_commit_wait,
		     estat_elapsed(call), failed);
}

ESTAT_RUN(ESTAT_CALL(journal_btrfs_log, btrfs_sync_log, 3, note_device),
	  count(call->noted, stage_log, estat_elapsed(call), (int)call->ret))

static __always_inline bool call_under_way(struct estat_call_key id, const struct estat_call *call,
					   struct key *key)
{
	bool logs = id.probe == ESTAT_PROBE_NUMBER(journal_btrfs_log);

	key->device = call->noted;
	key->stage = logs ? stage_log : stage_commit;
	return estat_can_be_in((void *)call->ret, call->began);
}

ESTAT_TELLS;
ESTAT_WALK_HASH(estat_calls, struct estat_call_key, struct estat_call, journal_btrfs, struct key,
		call_under_way, estat_tell_call);
