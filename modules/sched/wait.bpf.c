// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wait: what the threads wait for in the operations of vfs. This module finds the operations with
 * the code of the module vfs; waits.bpf.h and sleepers.bpf.h split an operation's time.
 */
#define VFS_SPLIT
#include "sleepers.bpf.h"
#include "vfs/async.bpf.h"
#include "vfs/named.bpf.h"
#include "vfs/vfs.bpf.h"
#include "vfs/others.bpf.h"

ESTAT_MODULE(wait, 27);
ESTAT_ON_DEMAND;
ESTAT_EVIDENCE_OWN_READS;

struct key {
	estat_name_t fs;
	estat_dev_t device;
	enum op op;
	enum reason reason;
};

struct whole_key {
	estat_name_t fs;
	estat_dev_t device;
	enum op op;
};

struct whole {
	estat_count_t ops ESTAT_HELP("Number of operations that succeeded");
	estat_nsec_t latency_sum ESTAT_HELP("Sum of latencies");
};

ESTAT_SERIES(
	wait, 0, struct key, struct estat_latency, 1024,
	"The latency of each operation of estat.vfs, split into what its thread waited for. An\n"
	"operation counts once for each reason that took time of it, with the sum of that time;\n"
	"its times add up to its latency in estat.wait.operation, to the nanosecond.\n"
	"on_cpu: the thread ran, with interrupts. run_queue: from its wakeup or preemption until\n"
	"it ran. All others: from the switch to another thread until the wakeup.\n"
	"lock: the wait for a contended lock, with the time on a CPU in which the thread spun\n"
	"(tracepoints contention_begin, contention_end: since Linux 5.19 and RHEL 9.2, else\n"
	"other). folio: the wait for a page that another thread has locked or writes back. A\n"
	"wait for a page by a thread that sent I/O in the operation is of device or network.\n"
	"device: a wait for I/O (in_iowait of the thread) without another reason.\n"
	"journal: ext4's (jbd2_log_wait_commit, start_this_handle and others), and\n"
	"btrfs_commit_transaction. log: XFS's (xfs_log_force, xfs_log_force_seq,\n"
	"xfs_log_reserve), and btrfs_sync_log. dirty_throttle: the pause of a writer in\n"
	"balance_dirty_pages. io_max: a bio held back by io.max, until it is released. iocost,\n"
	"io_latency, wbt: the limit held back a bio. tag: all tags of the device were in use.\n"
	"reclaim: memory was freed or compacted, with the time on a CPU. network: a call of RPC,\n"
	"or a wait without another reason of a thread that sent one in the operation.\n"
	"zil: ZFS's intent log (zil_commit). txg: a transaction group of ZFS (txg_wait_synced,\n"
	"txg_wait_open).\n"
	"asynchronous: an operation of aio or io_uring went on after its call had returned.\n"
	"other: none of these. Of reasons within each other the innermost counts. total counts\n"
	"an operation once for each of its reasons.\n"
	"Not in it: what estat.vfs does not count; an operation within four others.\n"
	"Linux 5.15 to 7.3, on kernels where BPF programs can be attached by fentry");
ESTAT_SHOWN(wait, "rows {op}, {reason}; nested");

ESTAT_SERIES(
	operation, 1, struct whole_key, struct whole, 512,
	"The whole operations that estat.wait splits, which are those of estat.vfs. estat.wait\n"
	"reads the clock itself, so the sums of the two modules differ a little");

/*
 * Operations that go on after their call has returned, by the operation's id: the time in the call,
 * in all and by reason.
 */
ESTAT_HASH_MAP(left, LRU_HASH, __u64, struct split, 8192);

static __always_inline void vfs_begun(__u64 id, __u64 what)
{
	if (WHAT_IS(what) == object_none)
		return;
	if (WHAT_IS(what) == object_iocb)
		bpf_map_delete_elem(&left, &id);
	waits_begin(id);
}

static __always_inline void vfs_left(__u64 id)
{
	struct waits *t = waits_end(id) ? threads_kept() : NULL;

	if (t)
		bpf_map_update_elem(&left, &id, &t->ended, BPF_ANY);
}

static __always_inline bool vfs_taken(__u64 id)
{
	return waits_end(id);
}

static __noinline int count_whole(struct super_block *sb, const struct operation *o, __u64 ns)
{
	struct whole_key key = { o->fs, o->device, o->op };
	struct whole *v = ESTAT_GET_NAMED(operation, &key, name_place(sb, key.fs, key.device));

	if (!v)
		return 0;
	estat_add(v->ops, 1);
	estat_add(v->latency_sum, ns);
	return 0;
}

/*
 * Not static, so the verifier checks the function once, and not for each reason. A copy of the key,
 * because Linux 5.15 takes no argument of such a function as the key of a map.
 */
__noinline int wait_count(const struct key *of, __u64 ns)
{
	struct key key = {};

	if (!of || !ns)
		return 0;
	key = *of;
	estat_count_latency(wait_get(&key), ns);
	return 0;
}

/* Count the time of each reason; the rest of `ns` has the reason asynchronous. */
static __always_inline void count_parts(const struct operation *o, const __u64 *parts, __u64 ns)
{
	struct key key = {};

	key.fs = o->fs;
	key.device = o->device;
	key.op = o->op;
	for (int i = 0; parts && i < REASONS; i++) {
		key.reason = i;
		wait_count(&key, parts[i]);
		ns -= parts[i];
	}
	key.reason = reason_asynchronous;
	wait_count(&key, ns);
}

static __noinline int vfs_ended(struct super_block *sb, const struct operation *o)
{
	struct waits *t = o->split ? threads_kept() : NULL;
	__u64 id = o->iocb, ns = o->ns;
	struct split *l;

	if (o->result < 0)
		return 0;
	if (t) {
		count_whole(sb, o, t->ended.ns);
		count_parts(o, t->ended.parts, t->ended.ns);
		return 0;
	}
	if (!id) {
		estat_count_missed();
		return 0;
	}
	l = bpf_map_lookup_elem(&left, &id);
	if (l && l->ns > ns) /* the clock of another CPU is behind */
		ns = l->ns;
	count_whole(sb, o, ns);
	count_parts(o, l ? l->parts : NULL, ns);
	bpf_map_delete_elem(&left, &id);
	return 0;
}
