/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Of how many operations or RPCs one begins a journey. Operations are drawn at random. RPCs of NFS,
 * and operations of threads of the NFS server, are chosen by a hash of the RPC's number (XID), so
 * that the same RPCs are in the journeys of both hosts.
 */
#ifndef ESTAT_MODULES_TRACE_PACE_H
#define ESTAT_MODULES_TRACE_PACE_H

#include "journey.bpf.h"

#define GAP_NS 50000000 /* the mean time that shall be between the begins of a group's journeys */

/*
 * One of `estat_every` operations begins a journey. The agent sets `estat_every`; 0: the module
 * itself chooses the number, so that a journey begins about every GAP_NS. If estat_focus names a
 * process or cgroup, `estat_every` is only for the operations of that process or cgroup, and the
 * module chooses the number for all other operations.
 */
__u32 estat_every;

struct estat_focus estat_focus;

/*
 * Two groups of operations, from which the module draws separately: those of the process or cgroup
 * that estat_focus names, and all others. An RPC is of the group of the thread that gives the RPC
 * its number (XID).
 */
enum group { group_host, group_focus, GROUPS };

/* How often journeys of a group have begun, and are to begin. */
struct pace {
	__u64 begun_last; /* when the group's latest journey began */
	__u64 begun_tick; /* when the group's latest journey began, in jiffies */
	/*
	 * if every_of() is 0, one of `n` operations begins a journey; a power of two; 0 counts as 1
	 */
	__u32 n;
};

struct pace paces[GROUPS];

static __always_inline bool has_focus(void)
{
	return estat_focus.pid || estat_focus.cgroup;
}

static __always_inline enum group group_of_task(void)
{
	if (estat_focus.pid)
		return bpf_get_current_pid_tgid() >> 32 == estat_focus.pid ? group_focus
									   : group_host;
	if (!estat_focus.cgroup)
		return group_host;
	return bpf_get_current_ancestor_cgroup_id(estat_focus.level) == estat_focus.cgroup
		       ? group_focus
		       : group_host;
}

/* The agent's number for a group, see estat_every; 0: the group's struct pace has the number. */
static __always_inline __u32 every_of(enum group group)
{
	return group == group_focus || !has_focus() ? estat_every : 0;
}

/* pace->n, halved for each 1024 jiffies in which no journey of the group began. */
static __always_inline __u32 n_by_now(const struct pace *pace)
{
	__u64 quiet = (bpf_jiffies64() - pace->begun_tick) >> 10;

	return (quiet < 32 ? pace->n >> quiet : 0) ?: 1;
}

/* One of how many operations or RPCs of the group begins a journey. */
static __always_inline __u32 n_of(enum group group)
{
	return every_of(group) ?: n_by_now(&paces[group]);
}

/*
 * A journey begins: double, keep or reduce `n` of the task's group, so that the group's journeys
 * begin about every GAP_NS. If the agent sets the group's number, `n` becomes 1.
 */
static __always_inline void set_pace(__u64 now)
{
	enum group group = group_of_task();
	struct pace *pace = &paces[group];
	__u64 gap = now - pace->begun_last;
	__u32 n = n_by_now(pace);

	if (every_of(group))
		pace->n = 1;
	else if (gap < GAP_NS / 2 && pace->n < 1 << 20)
		pace->n = (pace->n ?: 1) * 2;
	else if (gap > GAP_NS * 2 && pace->n > 1)
		pace->n = n < pace->n ? n : pace->n / 2;
	pace->begun_last = now;
	pace->begun_tick = bpf_jiffies64();
}

/*
 * Is the RPC with the number `xid` chosen, with the N of this thread's group? Client and server
 * both know the XID. XIDs are consecutive, so each bit of the hash depends on all bits of the XID.
 * If the module itself sets N, N is a power of two, so what is chosen with N is chosen with each
 * lower N, too.
 */
static __always_inline bool is_chosen(__u32 xid)
{
	__u64 hash = (xid + 1ULL) * 0x9e3779b97f4a7c15;

	hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccd;
	return (__u32)(hash >> 32) % n_of(group_of_task()) == 0;
}

#endif /* ESTAT_MODULES_TRACE_PACE_H */
