// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * metaslab_alloc: how ZFS finds space for blocks. One operation is one attempt
 * to allocate from the metaslabs of one top-level vdev, by pool, vdev and result.
 *
 *	metaslab_alloc_dva --+-> vdev_psize_to_asize, metaslab_group_alloc: a vdev
 *	                     +-> the same, if that fails: the next vdev
 *	                     ...
 *
 * pool.* is the whole: a block's one copy, on whichever vdev had room for it.
 *
 * Compilers make metaslab_group_alloc a part of metaslab_alloc_dva, but an
 * attempt shows in the call before it, which computes the size to allocate.
 */
#include "return.h"
#include "thread.h"
#include "zfs.h"

ESTAT_MODULE(metaslab_alloc, 6);
ESTAT_NEEDS_ZFS;

enum result {
	result_success,
	result_failure,
};

struct key {
	estat_name_t pool;
	estat_name_t vdev;
	enum result result;
};

struct value {
	struct estat_latency;
	estat_bytes_t bytes ESTAT_HELP("Bytes allocated: none by attempts that failed");
	estat_size_t size ESTAT_HELP("Histogram of the size to allocate, on the vdev:\n"
				     "number of attempts by bytes");
};

struct pool_key {
	estat_name_t pool;
};

struct pool_value {
	struct estat_latency;
	estat_count_t errors ESTAT_HELP("Number of allocations that failed on every vdev");
};

ESTAT_SERIES(metaslab_alloc, struct key, struct value, 128,
	     "An attempt to allocate on a top-level vdev (metaslab_group_alloc): from the return\n"
	     "of vdev_psize_to_asize to the next attempt's or the return of metaslab_alloc_dva.\n"
	     "Sizes include parity and padding (asize), as in `zpool list`. A vdev without a\n"
	     "path has its type and number. OpenZFS 2.1 to 2.3");

ESTAT_SERIES(pool, struct pool_key, struct pool_value, 32,
	     "From the entry of metaslab_alloc_dva to its return: the allocation of one copy of\n"
	     "a block, after attempts on as many vdevs as it took. OpenZFS 2.1 to 2.3");

ESTAT_EITHER(vdev_psize_to_asize_txg, vdev_psize_to_asize);

/* The attempt that a thread makes. */
struct attempt {
	struct vdev *vdev; /* NULL: none yet */
	__u64 began;
	__u64 asize;
	bool allocates; /* the thread is in metaslab_alloc_dva */
};

ESTAT_PER_THREAD(attempts, struct attempt);

static __noinline int count_attempt(const struct attempt *a, __u64 now, bool failed)
{
	struct vdev *vd = a->vdev;
	struct spa *spa = BPF_CORE_READ(vd, vdev_spa);
	__u64 ns = now - a->began, asize = a->asize, pool = pool_id(spa, false);
	struct key key = {
		.pool = pool,
		.vdev = vdev_id(vd, pool, false),
		.result = failed ? result_failure : result_success,
	};
	struct value *v = metaslab_alloc_find(&key);

	if (!v) {
		name_pool(key.pool, spa);
		name_vdev(key.vdev, vd);
		v = metaslab_alloc_insert(&key);
	}
	if (!v)
		return 0;
	estat_count_latency(v, ns);
	estat_count(v->size, estat_size_bucket(asize));
	if (!failed)
		estat_add(v->bytes, asize);
	metaslab_alloc_count_by_size(&key, ns, asize);
	return 0;
}

/* End a thread's attempt, if it has made one. */
static __always_inline void end_attempt(struct attempt *a, __u64 now, bool failed)
{
	if (!a->vdev)
		return;
	count_attempt(a, now, failed);
	a->vdev = NULL;
}

ESTAT_ENTRY(dva_begins, metaslab_alloc_dva, 1)
{
	struct attempt *a = attempts_make();

	/* no memory, or the last return was not seen */
	if (!a || a->vdev)
		__sync_fetch_and_add(&metaslab_alloc_state.missed, 1);
	if (!a)
		return 0;
	a->vdev = NULL;
	a->allocates = true;
	return 0;
}

static __always_inline int attempt_begins(const struct estat_call *call)
{
	struct attempt *a = attempts_here();
	__u64 now;

	if (!a || !a->allocates)
		return 0;
	now = bpf_ktime_get_ns();
	end_attempt(a, now, true);
	a->vdev = (struct vdev *)call->arg[0];
	a->asize = call->ret;
	a->began = now;
	return 0;
}

ESTAT_RETURN(attempt_begins_txg, vdev_psize_to_asize_txg, 1)
{
	return attempt_begins(call);
}

ESTAT_RETURN(attempt_begins_old, vdev_psize_to_asize, 1)
{
	return attempt_begins(call);
}

ESTAT_RETURN(dva_ends, metaslab_alloc_dva, 1)
{
	struct attempt *a = attempts_here();
	struct spa *spa = (struct spa *)call->arg[0];
	struct pool_key key = { .pool = pool_id(spa, typed) };
	__u64 now = bpf_ktime_get_ns();
	bool failed = (int)call->ret;
	struct pool_value *v;

	if (a) {
		end_attempt(a, now, failed);
		a->allocates = false;
	}
	v = pool_find(&key);
	if (!v) {
		name_pool(key.pool, spa);
		v = pool_insert(&key);
	}
	if (!v)
		return 0;
	if (failed)
		estat_add(v->errors, 1);
	else
		estat_count_latency(v, now - call->entered);
	return 0;
}
