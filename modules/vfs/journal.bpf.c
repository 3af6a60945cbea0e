// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * journal: ext4's journal (jbd2): commits by device and stage, checkpoints, and threads' waits. The
 * journal's thread or an unmounting thread commits a transaction (fs/jbd2/commit.c,
 * jbd2_journal_commit_transaction, Linux 5.15 to 7.3):
 *
 *	running		handles join the transaction, until a commit is requested or the
 *			transaction is large or old enough
 *	  jbd2_start_commit
 *	  jbd2_commit_locking
 *	locked		wait until the joined handles have ended
 *	  jbd2_commit_flushing
 *	flushing	data=ordered: submit the files' data
 *	  jbd2_commit_logging
 *	logging		write metadata to the log, wait for the data, write the commit record
 *	  jbd2_run_stats
 *	callback	make the freed blocks available; a kworker discards them later
 *	  jbd2_end_commit
 *
 * The kernel's own times of the stages (struct transaction_run_stats_s) are in jiffies; this module
 * measures nanoseconds. Newer verifiers assume that an argument of a kernel module's tracepoint can
 * be NULL (btf_ctx_access() in kernel/bpf/btf.c), so the BPF programs check such pointers.
 */
#define ESTAT_RARE

#include "aggregate.bpf.h"
#include "inflight.bpf.h"
#include "return.bpf.h"
#include "told.bpf.h"

ESTAT_MODULE(journal, 18);
/*
 * Attached BPF programs keep the kernel module jbd2 loaded. The kernel module ext4 keeps jbd2
 * loaded anyway, so the agent attaches the BPF programs only while ext4 is loaded.
 */
ESTAT_NEEDS("ext4", "/sys/fs/ext4/features");
ESTAT_EVIDENCE("/proc/fs/jbd2/*/info", " transactions ");

/* declared in include/linux/blk_types.h, jbd2.h */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct block_device {
	__u32 bd_dev;
};

struct journal_s {
	struct block_device *j_fs_dev; /* the file system's device, not that of the journal */
	__u32 j_commit_sequence;       /* number of the last committed transaction */
	struct transaction_s *j_running_transaction, *j_committing_transaction;
};

struct transaction_s {
	struct journal_s *t_journal;
	unsigned long t_requested; /* when a commit was requested, jiffies; 0: not requested */
	__s64 t_start_time;        /* when the transaction began; ns, by ktime_get() */
	__u32 t_tid;
};

struct transaction_run_stats_s {
	__u32 rs_handle_count;
	__u32 rs_blocks_logged;
};

struct transaction_chp_stats_s {
	__u32 cs_forced_to_close;
	__u32 cs_written;
	__u32 cs_dropped;
};
#pragma clang attribute pop

enum stage {
	stage_running,
	stage_locked,
	stage_flushing,
	stage_logging,
	stage_callback,
};

#define STAGES 5

enum reason {
	reason_commit,
	reason_locked,
	reason_space,
};

struct key {
	estat_dev_t device;
	enum stage stage;
};

struct device_key {
	estat_dev_t device;
};

struct wait_key {
	estat_dev_t device;
	enum reason reason;
};

struct commit_value {
	struct estat_latency;
	estat_count_t requested ESTAT_FIELD(
		17, "Number of commits that were requested, such as by fsync, by sync, or by a\n"
		    "handle that found no room in the transaction");
	estat_count_t handles ESTAT_FIELD(18, "Number of handles in the committed transactions");
	estat_count_t blocks ESTAT_FIELD(19, "Number of blocks written to the log");
	struct estat_inflight;
};

struct checkpoint_value {
	struct estat_latency;
	estat_count_t transactions ESTAT_FIELD(
		17, "Number of transactions that left the log: each buffer that they changed was\n"
		    "written to its place in the file system (by a checkpoint or by writeback),\n"
		    "or a later transaction logged the buffer again or freed its block");
	estat_count_t written ESTAT_FIELD(
		18, "Of transactions that left the log: number of buffers that checkpoints wrote");
	estat_count_t dropped ESTAT_FIELD(
		19, "Of transactions that left the log: number of buffers that needed no write,\n"
		    "because a later transaction logged them again or freed their blocks");
	estat_count_t forced_to_close ESTAT_FIELD(
		20, "Of transactions that left the log: number of times that a checkpoint started\n"
		    "or awaited a commit, because a buffer was also in a transaction that was not\n"
		    "committed yet");
};

ESTAT_SERIES(
	journal, 0, struct key, struct estat_latency, 160,
	"The consecutive stages of a commit of ext4's journal. running: from the begin of the\n"
	"transaction to its lock (tracepoint jbd2_commit_locking); locked: until its last handle\n"
	"has ended (jbd2_commit_flushing); flushing: submission of files' data, with\n"
	"data=ordered (until jbd2_commit_logging); logging: write of the log, wait for the\n"
	"files' data, and write of the commit record (until jbd2_run_stats); callback: freeing\n"
	"of blocks, but not their discard (until jbd2_end_commit). The device is the file\n"
	"system's. Not counted: fast commits. Linux 5.15 or newer");

ESTAT_SERIES(
	commit, 1, struct device_key, struct commit_value, 32,
	"A commit of ext4's journal, from tracepoint jbd2_start_commit to jbd2_end_commit: all\n"
	"stages of estat.journal except running. Not counted: fast commits. Linux 5.15 or newer");
ESTAT_LAYER(commit, 320, "vfs");

ESTAT_SERIES(
	checkpoint, 2, struct device_key, struct checkpoint_value, 32,
	"A checkpoint of ext4's journal, from the entry of jbd2_log_do_checkpoint to its return.\n"
	"A checkpoint frees space in the log by writing logged buffers to their places in the\n"
	"file system. transactions, written, dropped and forced_to_close are from tracepoint\n"
	"jbd2_checkpoint_stats, for all transactions that leave the log. Linux 5.15 or newer");

ESTAT_SERIES(
	wait, 3, struct wait_key, struct estat_latency, 96,
	"Waits of processes and kernel threads for ext4's journal. commit: until a transaction\n"
	"is committed, as in fsync (jbd2_log_wait_commit); the call does not count if the\n"
	"transaction is committed already. locked: wait of a new handle while the transaction\n"
	"is locked, or has no room for the handle (wait_transaction_locked). space: wait of a new\n"
	"handle while the log has too little space (__jbd2_log_wait_for_space); a wait for a\n"
	"commit within this wait also counts as commit. Each wait lasts from the entry of its\n"
	"function to the return. Linux 5.15 or newer");

/*
 * To each member of a key's values only one BPF program adds. In the series checkpoint one BPF
 * program adds to the latency, and another BPF program to all other members.
 */
ESTAT_ONE_WRITER(journal);
ESTAT_ONE_WRITER(commit);
ESTAT_ONE_WRITER(checkpoint);
ESTAT_ONE_WRITER(wait);

ESTAT_OPTIONAL("estat.journal.checkpoint.latency", jbd2_log_do_checkpoint);
ESTAT_OPTIONAL("estat.journal.wait", jbd2_log_wait_commit);
ESTAT_OPTIONAL("estat.journal.wait", wait_transaction_locked);
ESTAT_OPTIONAL("estat.journal.wait", __jbd2_log_wait_for_space);

/* A commit under way. `id`: address of the thread, which commits one transaction at a time. */
struct commit {
	__u64 id;
	__u64 began;
	__u64 transaction;
	__u64 since; /* when the current stage began */
	__u64 ns[STAGES];
	__u32 seen; /* a bit for each stage that has ended */
	__u32 handles;
	__u32 blocks;
	__u32 device;
};

#define commit_home(id) ((id) >> 6)

ESTAT_INFLIGHT(commits, TABLE, struct commit, 64, commit_home);

static __always_inline __u32 device_of(__u64 journal)
{
	return BPF_CORE_READ((struct journal_s *)journal, j_fs_dev, bd_dev);
}

/* This thread's commit, if the thread commits this transaction; else NULL. */
static __always_inline struct commit *commit_of(__u64 transaction)
{
	struct commit *c = commits_find(bpf_get_current_task());

	return c && c->transaction == transaction ? c : NULL;
}

static __always_inline void stage_ends(struct commit *c, enum stage stage)
{
	__u64 now = bpf_ktime_get_ns();

	c->ns[stage] = now - c->since;
	c->since = now;
	c->seen |= 1 << stage;
}

SEC("tp_btf/jbd2_start_commit")
int journal_commit_begins(__u64 *ctx)
{
	__u64 journal = ctx[0];
	struct commit *c = journal ? commits_begin(bpf_get_current_task()) : NULL;

	if (!c)
		return 0;
	c->transaction = ctx[1];
	c->device = device_of(journal);
	c->seen = 0;
	ESTAT_STORE(c->began, bpf_ktime_get_ns());
	return 0;
}

SEC("tp_btf/jbd2_commit_locking")
int journal_locks(__u64 *ctx)
{
	struct transaction_s *transaction = (struct transaction_s *)ctx[1];
	struct commit *c = transaction ? commit_of((__u64)transaction) : NULL;

	if (!c)
		return 0;
	c->since = BPF_CORE_READ(transaction, t_start_time);
	stage_ends(c, stage_running);
	return 0;
}

SEC("tp_btf/jbd2_commit_flushing")
int journal_flushes(__u64 *ctx)
{
	struct commit *c = commit_of(ctx[1]);

	if (c)
		stage_ends(c, stage_locked);
	return 0;
}

SEC("tp_btf/jbd2_commit_logging")
int journal_logs(__u64 *ctx)
{
	struct commit *c = commit_of(ctx[1]);

	if (c)
		stage_ends(c, stage_flushing);
	return 0;
}

SEC("tp_btf/jbd2_run_stats")
int journal_has_logged(__u64 *ctx)
{
	struct transaction_run_stats_s *stats = (struct transaction_run_stats_s *)ctx[2];
	struct commit *c = commits_find(bpf_get_current_task());

	if (!c || !stats)
		return 0;
	stage_ends(c, stage_logging);
	c->handles = BPF_CORE_READ(stats, rs_handle_count);
	c->blocks = BPF_CORE_READ(stats, rs_blocks_logged);
	return 0;
}

static __noinline int count_stage(__u32 device, enum stage stage, __u64 ns)
{
	struct key key = { .device = device, .stage = stage };

	estat_count_latency(journal_get(&key), ns);
	return 0;
}

static __noinline int count_commit(struct commit *c, bool requested)
{
	struct device_key key = { .device = c->device };
	struct commit_value *v = commit_get(&key);

	if (!v)
		return 0;
	estat_count_latency(v, c->since - c->began);
	estat_add(v->requested, requested);
	estat_add(v->handles, c->handles);
	estat_add(v->blocks, c->blocks);
	return 0;
}

SEC("tp_btf/jbd2_end_commit")
int journal_commit_ends(__u64 *ctx)
{
	struct transaction_s *transaction = (struct transaction_s *)ctx[1];
	struct commit *c = transaction ? commit_of((__u64)transaction) : NULL;

	if (!c) {
		estat_count_missed(); /* the commit's begin was not seen */
		return 0;
	}
	stage_ends(c, stage_callback);
	if (c->seen == (1 << STAGES) - 1) {
#pragma unroll
		for (int stage = 0; stage < STAGES; stage++)
			count_stage(c->device, stage, c->ns[stage]);
		count_commit(c, BPF_CORE_READ(transaction, t_requested));
	} else {
		estat_count_missed(); /* an event of the commit was missed */
	}
	commits_free(c, c->id);
	return 0;
}

static __always_inline bool commit_under_way(const struct commit *c, struct device_key *key)
{
	struct transaction_s *transaction = (struct transaction_s *)c->transaction;
	struct journal_s *journal = BPF_CORE_READ(transaction, t_journal);

	key->device = c->device;
	/*
	 * false if the journal neither commits nor runs the transaction: then the commit is in
	 * stage callback, or its end was missed. A commit whose end was missed keeps its entry
	 * until the thread begins its next commit
	 */
	return BPF_CORE_READ(journal, j_committing_transaction) == transaction ||
	       BPF_CORE_READ(journal, j_running_transaction) == transaction;
}

/* Store the transaction's number and the committing process as the walk's details (estat_told). */
static __always_inline void commit_tell(const struct commit *c)
{
	struct transaction_s *transaction = (struct transaction_s *)c->transaction;
	struct estat_told *t = estat_told();

	if (t)
		t->transaction = BPF_CORE_READ(transaction, t_tid);
	estat_tell_task(c->id);
}

ESTAT_TELLS;
ESTAT_WALK(commits, commit, struct device_key, commit_under_way, commit_tell);

static __noinline struct checkpoint_value *checkpoint_of(__u32 device)
{
	struct device_key key = { .device = device };

	return checkpoint_get(&key);
}

ESTAT_CALL(journal_checkpoint, jbd2_log_do_checkpoint, 1, estat_every_call)
{
	estat_count_latency(checkpoint_of(device_of(call->arg[0])), estat_elapsed(call));
	return 0;
}

SEC("tp_btf/jbd2_checkpoint_stats")
int journal_transaction_leaves(__u64 *ctx)
{
	struct transaction_chp_stats_s *stats = (struct transaction_chp_stats_s *)ctx[2];
	struct checkpoint_value *v = checkpoint_of(ctx[0]);

	if (!v || !stats)
		return 0;
	estat_add(v->transactions, 1);
	estat_add(v->written, BPF_CORE_READ(stats, cs_written));
	estat_add(v->dropped, BPF_CORE_READ(stats, cs_dropped));
	estat_add(v->forced_to_close, BPF_CORE_READ(stats, cs_forced_to_close));
	return 0;
}

static __noinline int count_wait(__u64 journal, enum reason reason, __u64 ns)
{
	struct wait_key key = { .device = device_of(journal), .reason = reason };

	estat_count_latency(wait_get(&key), ns);
	return 0;
}

/*
 * Does the transaction still await its commit? Numbers of transactions have 32 bits and wrap. So
 * the sign of the difference tells which of two transactions is newer.
 */
static __always_inline __u64 awaits_commit(const struct estat_call *call, bool typed)
{
	struct journal_s *journal = (struct journal_s *)call->arg[0];
	__u32 tid = call->arg[1];

	return (__s32)(tid - BPF_CORE_READ(journal, j_commit_sequence)) > 0;
}

ESTAT_RUN(ESTAT_CALL(journal_waits_for_commit, jbd2_log_wait_commit, 2, awaits_commit),
	  count_wait(call->arg[0], reason_commit, estat_elapsed(call)))
ESTAT_RUN(ESTAT_CALL(journal_waits_while_locked, wait_transaction_locked, 1, estat_every_call),
	  count_wait(call->arg[0], reason_locked, estat_elapsed(call)))
ESTAT_RUN(ESTAT_CALL(journal_waits_for_space, __jbd2_log_wait_for_space, 1, estat_every_call),
	  count_wait(call->arg[0], reason_space, estat_elapsed(call)))
