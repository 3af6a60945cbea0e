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
 *
 * Since 2.4 a block's size can be anything between two, so that there are two of
 * those calls, and all copies of a block are allocated by metaslab_alloc_range:
 *
 *	metaslab_alloc_range -> copies: attempts as above -> spa_config_exit
 *
 * What finds a copy's place there is a static function, which compilers change, so
 * whether an attempt has succeeded is seen in the block pointer.
 */
#include "return.bpf.h"
#include "thread.bpf.h"
#include "vdev.bpf.h"

ESTAT_MODULE(metaslab_alloc, 6);
ESTAT_NEEDS_ZFS;
ESTAT_EVIDENCE_DIRTY_TXGS;

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

ESTAT_SERIES(metaslab_alloc, 0, struct key, struct value, 128,
	     "An attempt to allocate on a top-level vdev (metaslab_group_alloc): from the return\n"
	     "of vdev_psize_to_asize to the next attempt's or the return of metaslab_alloc_dva.\n"
	     "Sizes include parity and padding (asize), as in `zpool list`. A vdev without a\n"
	     "path has its type and number. OpenZFS 2.1 to 2.4");
ESTAT_SHOWN(metaslab_alloc, "rows {vdev}, {result}");

ESTAT_SERIES(pool, 1, struct pool_key, struct pool_value, 32,
	     "From the entry of metaslab_alloc_dva to its return: the allocation of one copy of\n"
	     "a block, after attempts on as many vdevs as it took. Since OpenZFS 2.4 from the\n"
	     "entry of metaslab_alloc_range, or the end of the copy before. OpenZFS 2.1 to 2.4");

ESTAT_EITHER(vdev_psize_to_asize_txg, vdev_psize_to_asize);
ESTAT_OPTIONAL(metaslab_alloc_range, "");
ESTAT_OPTIONAL(metaslab_unalloc_dva, "");

#define SCL_ALLOC 0x08 /* include/sys/spa.h */

/* The attempt that a thread makes. */
struct attempt {
	struct vdev *vdev; /* NULL: none yet */
	__u64 began;
	__u64 asize;
	struct vdev *sized; /* the size to allocate is being computed on that */
	__u32 depth;        /* calls that do so, one within the other */
	__u64 attached;     /* estat_attached as it began: else its end was not seen */
	bool allocates;     /* the thread is in metaslab_alloc_dva or metaslab_alloc_range */
	bool has_least;     /* there is a call for the greatest size to come */

	/* in metaslab_alloc_range: */
	struct blkptr *bp; /* NULL elsewhere */
	struct metaslab_class *class;
	__u64 copy_began;
	__u32 copy; /* which one of the block's it is */
	__u32 copies;
};

ESTAT_PER_THREAD(attempts, struct attempt);

static __always_inline bool is_known(const struct attempt *a)
{
	return a && a->attached == estat_attached;
}

/* This thread's, or NULL if it has made none since the probes came. */
static __always_inline struct attempt *this_attempt(void)
{
	struct attempt *a = attempts_here();

	return is_known(a) ? a : NULL;
}

static __noinline int count_attempt(const struct attempt *a, __u64 now, bool failed)
{
	struct vdev *vd = a->vdev;
	struct spa *spa = BPF_CORE_READ(vd, vdev_spa);
	__u64 ns = now - a->began, asize = a->asize, pool = pool_id(spa, false);
	struct key key = {};
	struct value *v;

	key.pool = pool;
	key.vdev = vdev_id(vd, pool, false);
	key.result = failed ? result_failure : result_success;
	v = metaslab_alloc_find(&key);
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

static __noinline int count_copy(struct spa *spa, __u64 ns, bool failed)
{
	struct pool_key key = { .pool = pool_id(spa, false) };
	struct pool_value *v = pool_find(&key);

	if (!v) {
		name_pool(key.pool, spa);
		v = pool_insert(&key);
	}
	if (!v)
		return 0;
	estat_count_end(v, ns, failed);
	return 0;
}

/* This thread begins to allocate; NULL if there is no memory for it. */
static __always_inline struct attempt *begin(void)
{
	struct attempt *a = attempts_make();

	/* no memory, or the last return was not seen */
	if (!a || (is_known(a) && a->vdev))
		__sync_fetch_and_add(&metaslab_alloc_state.missed, 1);
	if (!a)
		return NULL;
	a->attached = estat_attached;
	a->vdev = NULL;
	a->bp = NULL;
	a->allocates = true;
	a->has_least = false;
	a->depth = 0;
	return a;
}

ESTAT_ENTRY(dva_begins, metaslab_alloc_dva, 1)
{
	begin();
	return 0;
}

ESTAT_WIDE_ENTRY(range_begins, metaslab_alloc_range, 6)
{
	struct attempt *a = begin();

	if (!a)
		return 0;
	a->class = (struct metaslab_class *)call->arg[1];
	a->bp = (struct blkptr *)call->arg[4];
	a->copy = 0;
	a->copies = call->arg[5];
	a->copy_began = bpf_ktime_get_ns();
	return 0;
}

/* Since 2.4 an attempt begins with two calls, and ZFS has no counts of attempts any more. */
static __always_inline bool of_range(void)
{
	struct metaslab_group *mg = NULL;

	return !bpf_core_field_exists(mg->mg_allocations);
}

/* The bytes of the copy that is being allocated, 0 if it is not yet: DVA_GET_ASIZE, spa.h */
static __always_inline __u64 copy_size(const struct attempt *a)
{
	struct blkptr *bp = a->bp;
	__u64 word;

	if (bpf_probe_read_kernel(&word, sizeof(word), &bp->blk_dva[a->copy].dva_word[0]))
		return 0;
	return (word & 0xffffff) << 9;
}

/* A copy is allocated, by the attempt that its thread makes. */
static __noinline int end_copy(struct attempt *a, __u64 asize)
{
	struct vdev *vd = a->vdev;
	struct spa *spa = BPF_CORE_READ(vd, vdev_spa);
	__u64 now = bpf_ktime_get_ns();

	a->asize = asize;
	end_attempt(a, now, false);
	count_copy(spa, now - a->copy_began, false);
	a->copy++;
	a->copy_began = now;
	return 0;
}

/*
 * The size on a vdev is computed of its children's (vdev_default_asize, vdev.c), by the same
 * function, if the compiler has not made that a part of the other: so it is the call for a
 * top-level vdev that counts, which is the outermost.
 */
static __always_inline int size_begins(const struct estat_call *call, bool typed)
{
	struct attempt *a = this_attempt();
	struct vdev *vd = (struct vdev *)call->arg[0];

	if (!a || !a->allocates)
		return 0;
	if (ESTAT_READ(vd, vdev_top) == vd) {
		a->sized = vd;
		a->depth = 0;
	}
	a->depth++;
	return 0;
}

static __always_inline int size_ends(__u64 size)
{
	struct attempt *a = this_attempt();
	__u64 now, asize;

	if (!a || !a->allocates || !a->depth || --a->depth)
		return 0;
	if (a->has_least) {
		a->has_least = false;
		a->began = bpf_ktime_get_ns();
		return 0;
	}
	asize = a->vdev && a->bp ? copy_size(a) : 0;
	if (asize)
		end_copy(a, asize);
	now = bpf_ktime_get_ns();
	end_attempt(a, now, true);
	a->vdev = a->sized;
	a->asize = size;
	a->began = now;
	a->has_least = of_range();
	return 0;
}

ESTAT_ENTRY(size_begins_txg, vdev_psize_to_asize_txg, 1)
{
	return size_begins(call, typed);
}

ESTAT_EXIT(size_ends_txg, vdev_psize_to_asize_txg)
{
	return size_ends(call->ret);
}

ESTAT_ENTRY(size_begins_old, vdev_psize_to_asize, 1)
{
	return size_begins(call, typed);
}

ESTAT_EXIT(size_ends_old, vdev_psize_to_asize)
{
	return size_ends(call->ret);
}

ESTAT_RETURN(dva_ends, metaslab_alloc_dva, 1)
{
	struct attempt *a = this_attempt();
	__u64 now = bpf_ktime_get_ns();
	bool failed = (int)call->ret;

	if (a) {
		end_attempt(a, now, failed);
		a->allocates = false;
	}
	return count_copy((struct spa *)call->arg[0], now - call->entered, failed);
}

/* The next copy has found no place, so this one is given back. */
ESTAT_ENTRY(copy_given_back, metaslab_unalloc_dva, 2)
{
	struct attempt *a = this_attempt();
	struct blkptr *bp = a ? a->bp : NULL;
	__u64 asize;

	if (!bp || !a->allocates || !a->vdev || call->arg[1] != (__u64)&bp->blk_dva[a->copy])
		return 0;
	asize = copy_size(a);
	return asize ? end_copy(a, asize) : 0;
}

/* The last that metaslab_alloc_range does. A class without vdevs has no rotor: nothing is tried. */
ESTAT_ENTRY(range_ends, spa_config_exit, 2)
{
	struct metaslab_class *class;
	struct attempt *a;
	__u64 asize;

	if (!of_range() || (__u32)call->arg[1] != SCL_ALLOC)
		return 0;
	a = this_attempt();
	if (!a || !a->allocates || !a->bp)
		return 0;
	asize = a->vdev ? copy_size(a) : 0;
	if (asize)
		end_copy(a, asize);
	end_attempt(a, bpf_ktime_get_ns(), true);
	class = a->class;
	if (a->copy < a->copies && BPF_CORE_READ(class, mc_allocator[0].mca_rotor))
		count_copy((struct spa *)call->arg[0], 0, true);
	a->allocates = false;
	a->bp = NULL;
	return 0;
}

/* A mirror takes the place of a top-level vdev, from which nothing is allocated any more. */
ESTAT_ENTRY(vdev_attached, vdev_add_parent, 1)
{
	struct vdev *vd = (struct vdev *)call->arg[0];

	if (ESTAT_READ(vd, vdev_top) == vd)
		vdev_gone(vd, ESTAT_READ(vd, vdev_spa), typed);
	return 0;
}
