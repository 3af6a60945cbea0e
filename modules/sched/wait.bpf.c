// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wait: what the threads wait for in the operations of vfs. This module finds the operations with
 * the code of the module vfs; waits.bpf.h and sleepers.bpf.h split an operation's time.
 */
#define VFS_SPLIT
#include "left.bpf.h"
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
	"the times of the operation add up to the operation's latency in estat.wait.operation, to\n"
	"the nanosecond. on_cpu: the thread ran; interrupts in that time are included. run_queue:\n"
	"from the thread's wakeup or preemption until the thread ran. All other reasons: from the\n"
	"switch to another thread until the wakeup. lock: the wait for a contended lock, with the\n"
	"time on a CPU in which the thread spun (tracepoints contention_begin, contention_end:\n"
	"since Linux 5.19 and RHEL 9.2, else other). folio: the wait for a page that another\n"
	"thread has locked or writes back. If the thread has sent I/O in the operation, a wait\n"
	"for a page has the reason device, io_max or network. device: a wait for I/O (in_iowait\n"
	"of the thread) without another reason. journal: ext4's (jbd2_log_wait_commit,\n"
	"start_this_handle and others), and btrfs_commit_transaction. log: XFS's (xfs_log_force,\n"
	"xfs_log_force_seq, xfs_log_reserve), and btrfs_sync_log. dirty_throttle: the pause of a\n"
	"writer in balance_dirty_pages. io_max: io.max held back a bio of the thread. iocost,\n"
	"io_latency, wbt: this limit held back a bio. tag: all tags of the device were in use.\n"
	"reclaim: memory was freed or compacted, or memory.high held back the thread, with the\n"
	"time on a CPU. network: a call of RPC; also any wait without another reason, if the\n"
	"thread has sent an RPC in the operation. zil: ZFS's intent log (zil_commit). txg: a\n"
	"transaction group of ZFS (txg_wait_synced, txg_wait_open). asynchronous: an operation of\n"
	"aio or io_uring went on after its call had returned. other: none of these. If reasons\n"
	"are nested, the innermost counts. The metric total counts an operation once for each of\n"
	"its reasons.\n"
	"Not counted: what estat.vfs does not count; the outer four of five nested operations.\n"
	"Linux 5.15 to 7.3, on kernels where BPF programs can be attached by fentry");
ESTAT_LAYOUT(wait, "rows {op}, {reason}; nested");

ESTAT_SERIES(
	operation, 1, struct whole_key, struct whole, 512,
	"The whole operations that estat.wait splits, which are those of estat.vfs. estat.wait\n"
	"reads the clock itself, so the sums of the two modules differ a little");

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
 * Not static, so the verifier checks the function once, and not for each reason. The function
 * copies the key, because Linux 5.15 accepts no argument of such a function as the key of a map.
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
	/* this CPU's clock can be some ns behind that of the CPU on which the call returned */
	if (l && l->ns > ns)
		ns = l->ns;
	count_whole(sb, o, ns);
	count_parts(o, l ? l->parts : NULL, ns);
	bpf_map_delete_elem(&left, &id);
	return 0;
}
