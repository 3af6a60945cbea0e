/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which operations of vfs begin a journey, and how the operation of a journey begins and ends. */
#ifndef ESTAT_MODULES_TRACE_ROOT_H
#define ESTAT_MODULES_TRACE_ROOT_H

#include "pace.bpf.h"
#include "position.bpf.h"
#include "server.bpf.h"
#include "span.bpf.h"
#include "txg.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct inode___number {
	unsigned long i_ino;
};

struct file___path {
	struct {
		struct dentry *dentry;
	} f_path;
};

struct task_struct___cgroup {
	struct css_set *cgroups;
};
#pragma clang attribute pop

/* A CPU's countdown to the next operation of a group (enum group) that the CPU draws. */
struct draw {
	/* after `left` - 1 more operations the next is drawn; 0: the next on a stored file is */
	__u32 left;
	__u32 of;    /* N at the time when `left` was drawn: one of N operations begins a journey */
	__u32 n;     /* N when it was last computed */
	__u32 every; /* estat_every when `of` was last compared with N */
	__u64 tick;  /* when that was, in jiffies; 0: compare again */
};

ESTAT_ARRAY_MAP(draws, PERCPU_ARRAY, struct draw, GROUPS);

static __always_inline struct draw *draw_of(__u32 group)
{
	return bpf_map_lookup_elem(&draws, &group);
}

/* An operation was drawn: begin the countdown to the next one of this thread's group. */
__noinline int draw_next(void)
{
	__u32 group = group_of_task();
	struct draw *d = draw_of(group);

	if (!d)
		return 0;
	d->n = n_of(estat_masked(group, GROUPS - 1));
	d->left = d->n > 1 ? 1 + bpf_get_prandom_u32() % (2 * d->n - 1) : 1;
	d->of = d->n;
	return 0;
}

/*
 * Is the operation drawn that this thread begins? Operations are drawn at random, because to draw
 * each Nth operation would miss operations that come in a rhythm. An operation on a file that is
 * not is_stored() takes part, and a draw that falls on such an operation is lost. So one of N
 * operations on stored files is drawn, however many other operations come between them. But if N
 * has become smaller, as it does while no journey of the group begins, the next operation on a
 * stored file is drawn at once. The function looks at N once a jiffy, and whenever the agent has
 * changed estat_every.
 */
static __always_inline bool is_drawn(void)
{
	__u32 group = group_of_task();
	struct draw *d = draw_of(group);

	if (!d)
		return false;
	if (d->tick != bpf_jiffies64() || d->every != estat_every) {
		d->tick = bpf_jiffies64();
		d->every = estat_every;
		d->n = n_of(estat_masked(group, GROUPS - 1));
		if (d->of > d->n)
			d->left = 0;
	}
	if (d->left > 1) {
		d->left--;
		return false;
	}
	if (d->left && d->n > 1)
		draw_next();
	return true;
}

/*
 * A followed operation begins: if it was drawn because N has become smaller, draw the next one.
 * The operation's journey can change N, so have is_drawn() look at N again. Operations of the NFS
 * server's threads are not drawn.
 */
static __noinline int draw_ends(void)
{
	struct draw *d = is_server_thread() ? NULL : draw_of(group_of_task());

	if (!d)
		return 0;
	if (!d->left)
		draw_next();
	d->tick = 0;
	return 0;
}

/*
 * An operation of a thread of the NFS server is followed if its RPC is_chosen(), and is not drawn.
 * While other operations are followed, vfs_joins() and vfs_at() have to look at this one, too.
 */
static __always_inline enum drawn vfs_draws(__u64 what)
{
	if (is_server_thread() ? server_is_chosen() : is_drawn())
		return drawn_in;
	return active || (watched && (what & 255) == op_write) ? drawn_not : drawn_out;
}

/*
 * An operation of a thread of the NFS server is part of a followed RPC of this host, and an fsync
 * can be part of a followed flush of a loop device.
 */
static __always_inline bool vfs_joins(__u64 what, __u64 object)
{
	return (serving && is_server_thread() && server_span()) || loop_flush_of(what, object) >= 0;
}

static __always_inline bool vfs_follows(void)
{
	return active;
}

/*
 * Give up journey `i` if its end cannot be seen any more, because the module is detached
 * (`attached` is false) or the operation began before all BPF programs were attached. Give up the
 * journey, too, if the journey is older than NEVER_NS.
 */
static __always_inline int give_up(__u64 i, bool attached)
{
	__u64 began = span_at(i)->began;

	if (!attached || !estat_end_is_seen(began))
		return journey_ends(i, fate_lost);
	if (bpf_ktime_get_ns() > began + NEVER_NS)
		return journey_ends(i, fate_timed_out);
	return 0;
}

/* Claim a free journey; NONE: all are under way. */
__noinline int journey_claim(void)
{
	int i;

	for (i = 0; i < JOURNEYS; i++) {
		give_up(i, true);
		if (!__sync_val_compare_and_swap(&traced[i].id, 0, CLAIMED))
			break;
	}
	return i < JOURNEYS ? i : NONE;
}

/* The most calls that calls_here() can count of one operation: copy_file_range(2) counts as two. */
#define OWN_CALLS 2

/*
 * This thread is about to begin an operation, or has just ended one. According to journey `i`
 * this thread is in the journey's operation. True: that operation can have ended unseen, because
 * it began before all BPF programs were attached; or has ended unseen, because an older thread at
 * the same address was in it, or because this thread has since ended more than `own` calls that
 * read or write.
 */
static __always_inline bool is_over(int i, __u64 own)
{
	struct task_struct___files *task = (void *)bpf_get_current_task();
	const struct journey *j = traced_at(i);

	return !estat_end_is_seen(span_at(i)->began) ||
	       BPF_CORE_READ(task, start_time) > j->entered ||
	       (j->calls != CALLS_ITSELF && calls_here() - j->calls > own);
}

/* This thread begins an operation: if the thread's journey is over, end that journey. */
__noinline int journey_gives_way(void)
{
	int i = journey_of_task(bpf_get_current_task());

	return i >= 0 && is_over(i, 0) ? journey_ends(i, fate_lost) : 0;
}

/* Are the pages of an inode written by bios or by RPCs of NFS? Not in tmpfs, SMB and others. */
static __always_inline bool is_written_back(struct inode *inode)
{
	return BPF_CORE_READ(inode, i_sb, s_magic) == NFS_SUPER_MAGIC ||
	       (BPF_CORE_READ(inode, i_mode) & S_IFMT) == S_IFBLK ||
	       BPF_CORE_READ(inode, i_sb, s_bdev) ||
	       BPF_CORE_READ(inode, i_sb, s_magic) == BTRFS_SUPER_MAGIC;
}

/*
 * Note the operation's file, and the flags `rwf`, in the journey and its operation's span. Returns
 * the file's file system. Not inline, because the stack of root_begins() would be too large.
 */
static __noinline struct super_block *set_file(struct journey *j, struct span *s, struct file *file,
					       __u32 rwf)
{
	struct file___path *path = (struct file___path *)file;
	struct operation o = {};
	struct super_block *sb;
	struct inode *inode;
	struct node n = {};

	read_node(file, &n, false);
	inode = n.inode;
	sb = find_place(file, &n, &o, false);
	s->device = o.device;
	j->how = how_of(file, &n, j->op, rwf, false);
	j->address = is_written_back(inode) ? estat_id(BPF_CORE_READ(file, f_mapping, host)) : 0;
	if (BPF_CORE_READ(sb, s_magic) == ECRYPTFS_SUPER_MAGIC)
		j->calls = CALLS_ITSELF;
	j->append = BPF_CORE_READ(file, f_flags) & O_APPEND;
	j->file = BPF_CORE_READ((struct inode___number *)inode, i_ino);
	j->name[0] = 0;
	bpf_probe_read_kernel_str(j->name, sizeof(j->name),
				  BPF_CORE_READ(path, f_path.dentry, d_name.name));
	return sb;
}

/* This thread begins the operation, or goes on with it. */
static __always_inline void enters(struct journey *j, struct span *s, __u64 now)
{
	j->task = s->task = bpf_get_current_task();
	j->entered = now;
	if (j->calls != CALLS_ITSELF)
		j->calls = calls_here();
}

static __always_inline void set_task(struct journey *j)
{
	struct task_struct___cgroup *task = (void *)bpf_get_current_task();
	struct cgroup *cgroup = BPF_CORE_READ(task, cgroups, dfl_cgrp);

	j->pid = bpf_get_current_pid_tgid() >> 32;
	bpf_get_current_comm(j->command, sizeof(j->command));
	j->cgroup = BPF_CORE_READ(cgroup, kn, id);
	estat_name_cgroup_v2((__u64)cgroup);
}

/*
 * A thread that has a span begins operation `id` on a file: if the span is of a thread of the NFS
 * server (kind_server), begin a span for the operation below that span.
 */
static __noinline int server_operates(__u64 id, __u64 file)
{
	int above = span_of_task(bpf_get_current_task()), i;
	struct operation o = {};
	struct super_block *sb;
	struct node n = {};

	i = above >= 0 && span_at(above)->kind == kind_server ? span_claim(above, kind_file, 0)
							      : NONE;
	if (i < 0)
		return 0;
	read_node((struct file *)file, &n, false);
	sb = find_place((struct file *)file, &n, &o, false);
	estat_name_mounted(o.device, sb);
	span_at(i)->op_id = id;
	span_at(i)->rpc.offset = span_at(above)->rpc.offset;
	span_at(i)->task = bpf_get_current_task();
	return span_begins(i, o.device, 0, 0);
}

/* Set what is the same at the begin of each journey. The caller has claimed the journey. */
static __always_inline void root_clear(struct journey *j, struct span *s, enum op op)
{
	j->op = op;
	j->operation = j->task = j->address = j->ended = j->bytes = j->inode = j->direct =
		j->calls = 0;
	j->cache = s->wait = NONE;
	j->failed = j->unstable = j->in_zfs = j->arc = j->others = j->balances = j->append =
		j->of_rpc = false;
	j->objset = j->znode = j->size = 0;
	j->zios = j->waiter = j->flusher = 0;
	j->open = j->spans = 1;
	j->offset = -1;
	j->most = NOT_KNOWN;
	s->kind = kind_operation;
	s->task = s->sector = s->end = 0;
	s->bio = s->picked = s->first = s->idle = s->between = s->inserted = s->issued =
		s->foreign = 0;
	s->below = s->number = s->parent_number = s->written = s->others = 0;
	s->zio = s->vdev = s->given = s->issuer = s->disk = 0;
	s->split = s->held = false;
	s->reason = reason_none;
	bpf_get_current_comm(s->by, sizeof(s->by));
}

/* Journey `i` begins, after root_clear(). `began`: when its operation began; `now` or earlier. */
static __always_inline void root_starts(int i, __u64 began, __u64 now)
{
	struct journey *j = traced_at(i);
	struct span *s = span_at(i);

	s->journey = s->parent = i;
	s->began = began;
	count_span(i, kind_operation, 1);
	s->id = __sync_fetch_and_add(&journeys_ever, 1) + 1;
	account(i, s->id, fate_begun);
	__sync_fetch_and_add(&alive, 1);
	set_pace(now);
	__sync_lock_test_and_set(&j->id, s->id);
}

/*
 * Begin a journey with operation `id`. `object` is the file, or 0 if the operation's id is a
 * kiocb's address. If a span of the thread is under way, no journey begins: the operation may be
 * one of the NFS server's.
 */
static __noinline int root_begins(__u64 id, __u64 object, __u64 what)
{
	struct kiocb *iocb = (struct kiocb *)id;
	__u64 now = bpf_ktime_get_ns();
	struct super_block *sb;
	struct journey *j;
	struct span *s;
	int i = loop_flush_of(what, object);

	if (i >= 0) { /* until loop_flush_ends() the thread's I/O goes below the flush */
		span_at(i)->task = bpf_get_current_task();
		return 0;
	}
	journey_gives_way();
	if (span_of_task(bpf_get_current_task()) >= 0)
		return server_operates(id, object ?: estat_id(BPF_CORE_READ(iocb, ki_filp)));
	i = journey_claim();
	if (i < 0)
		return account_refused(what & 255);
	j = traced_at(i);
	s = span_at(i);
	root_clear(j, s, what & 255);
	j->operation = id;
	enters(j, s, now);
	set_task(j);
	sb = set_file(j, s, object ? (struct file *)object : BPF_CORE_READ(iocb, ki_filp),
		      what >> 32);
	estat_name_mounted(s->device, sb);
	set_request(i);
	root_starts(i, now, now);
	return 0;
}

static __always_inline void vfs_begun(__u64 id, __u64 what)
{
	struct estat_begun *e = operations_find(id);

	draw_ends();
	if (WHAT_IS(what) == object_iocb)
		root_begins(id, 0, what);
	else if (WHAT_IS(what) == object_file && e)
		root_begins(id, operations_note(e)->object, what);
}

/*
 * The call of an asynchronous operation returns: bios that the task submits from now on are not the
 * operation's.
 */
static __noinline int root_left(__u64 id)
{
	int i = journey_of_operation(id);

	if (i >= 0)
		traced_at(i)->task = span_at(i)->task = 0;
	return 0;
}

static __always_inline void vfs_left(__u64 id)
{
	if (active)
		root_left(id);
}

static __noinline int root_again(__u64 id)
{
	int i = journey_of_operation(id);

	journey_gives_way();
	if (i >= 0 && span_of_task(bpf_get_current_task()) < 0)
		enters(traced_at(i), span_at(i), bpf_ktime_get_ns());
	return 0;
}

static __always_inline void vfs_again(__u64 id)
{
	if (active)
		root_again(id);
}

static __always_inline bool vfs_taken(__u64 id)
{
	int i = journey_of_operation(id);

	if (i < 0)
		return (serving && server_operation(id) >= 0) || (looping && loop_is_flushed());
	/* `operations` can still have the entry of an older operation with the same id */
	if (traced_at(i)->task == bpf_get_current_task() && is_over(i, OWN_CALLS)) {
		journey_ends(i, fate_lost);
		return false;
	}
	traced_at(i)->ended = bpf_ktime_get_ns();
	return true;
}

/*
 * An operation has ended: if it began a journey, end the operation's span. The journey is found by
 * this task or, if the operation is asynchronous, by its kiocb.
 */
static __noinline int vfs_ended(struct super_block *sb, const struct operation *o)
{
	__u64 id = o->iocb;
	__s64 result = o->result;
	struct journey *j;
	__u64 number;
	bool dirty;
	int i;

	if (!o->split)
		return 0;
	i = id ? journey_of_operation(id) : journey_of_task(bpf_get_current_task());
	if (i < 0)
		return looping && loop_flush_ends() ? 0 : server_has_operated(result);
	j = traced_at(i);
	number = j->id;
	j->bytes = result > 0 ? result : 0;
	j->failed = result < 0 && result != -EIOCBQUEUED;
	if (j->in_zfs && j->op == op_read && j->bytes && j->task && !j->zios) {
		j->arc = switches_here() == j->switches;
		j->others = !j->arc;
	}
	j->task = j->operation = 0;
	/* of an asynchronous append it is known only now where the bytes went */
	if (j->inode && id && j->bytes)
		j->offset = BPF_CORE_READ((struct kiocb *)id, ki_pos) - j->bytes;
	if (j->inode)
		cache_filled(i);
	dirty = is_dirty(j);
	if (dirty)
		data_settles(j->cache, j->ended);
	span_ends(i, j->ended);
	/*
	 * the file does not end where this append's bytes would end, so other threads append, too,
	 * and it is not known which of the bytes are the operation's
	 */
	if (j->id == number && ((j->inode && !id) || dirty) && j->append &&
	    (__u64)size_of(j) != j->offset + j->bytes)
		journey_ends(i, fate_lost);
	return 0;
}

#endif /* ESTAT_MODULES_TRACE_ROOT_H */
