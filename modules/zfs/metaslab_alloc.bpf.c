// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * metaslab_alloc: how ZFS finds space for blocks. One operation is one attempt to allocate from
 * the metaslabs of one top-level vdev, by pool, vdev and result.
 *
 *	metaslab_alloc_dva --+-> vdev_psize_to_asize, metaslab_group_alloc: a vdev
 *	                     +-> the same for the next vdev, if the first attempt fails
 *	                     ...
 *
 * The series pool has the whole allocation of one copy of a block, on any vdev.
 *
 * Compilers inline metaslab_group_alloc into metaslab_alloc_dva, so metaslab_group_alloc is not
 * probed. Just before metaslab_group_alloc ZFS calls vdev_psize_to_asize (since OpenZFS 2.3
 * vdev_psize_to_asize_txg), which computes the size to allocate. An attempt begins when
 * vdev_psize_to_asize returns.
 *
 * Since OpenZFS 2.4 ZFS calls vdev_psize_to_asize twice for an attempt, for the least and for the
 * greatest size that the block may get: the attempt begins at the second return.
 * metaslab_alloc_range allocates all copies of a block:
 *
 *	metaslab_alloc_range -> copies: attempts as above -> spa_config_exit
 *
 * metaslab_alloc_dva_range, which allocates a copy, is not probed, because the function is static
 * and compilers change the function. An attempt has succeeded if the block pointer has the copy's
 * address.
 */
#define ESTAT_RARE

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
	estat_bytes_t bytes ESTAT_HELP("Bytes allocated; failed attempts add none");
	estat_size_t size ESTAT_HELP("Histogram of the size to allocate on the vdev:\n"
				     "number of attempts by bytes");
};

struct pool_key {
	estat_name_t pool;
};

struct pool_value {
	struct estat_latency;
	estat_count_t errors ESTAT_HELP(
		"Number of allocations that got no space on any vdev of the metaslab class");
};

ESTAT_SERIES(
	metaslab_alloc, 0, struct key, struct value, 128,
	"An attempt to allocate on a top-level vdev (metaslab_group_alloc): from the return\n"
	"of vdev_psize_to_asize to the return of vdev_psize_to_asize in the next attempt, or\n"
	"to the return of metaslab_alloc_dva, since OpenZFS 2.4 of metaslab_alloc_range. Sizes\n"
	"include parity and padding (asize), as in `zpool list`. A vdev without a path is named\n"
	"by type and number. OpenZFS 2.1 to 2.4");
ESTAT_LAYOUT(metaslab_alloc, "rows {vdev}, {result}");

ESTAT_SERIES(pool, 1, struct pool_key, struct pool_value, 32,
	     "The allocation of one copy of a block, with the attempts on all vdevs tried: from\n"
	     "the entry of metaslab_alloc_dva to its return. Since OpenZFS 2.4 the first copy\n"
	     "begins at the entry of metaslab_alloc_range, and each further copy at its first\n"
	     "attempt, where the copy before ends. The last copy ends when metaslab_alloc_range\n"
	     "ends. OpenZFS 2.1 to 2.4");

ESTAT_OPTIONAL(ESTAT_REQUIRED, vdev_psize_to_asize_txg, vdev_psize_to_asize);
ESTAT_OPTIONAL("", metaslab_alloc_range);
ESTAT_OPTIONAL("", metaslab_unalloc_dva);

#define SCL_ALLOC 0x08 /* from include/sys/spa.h */

/* A thread's allocation, and the attempt under way in the allocation. */
struct attempt {
	struct vdev *vdev; /* NULL: no attempt under way */
	__u64 began;
	__u64 asize;
	struct vdev *sized; /* the vdev of the outermost vdev_psize_to_asize under way */
	__u32 depth;        /* nested calls of vdev_psize_to_asize under way */
	__u64 seen;         /* estat_any_time() when the allocation began */
	bool allocates;     /* the thread is in metaslab_alloc_dva or metaslab_alloc_range */
	/* of the attempt's two calls of vdev_psize_to_asize, only the first has returned */
	bool has_least;
	/* the members below are used only in metaslab_alloc_range */
	struct blkptr *bp; /* the block pointer to fill; NULL: not in metaslab_alloc_range */
	struct metaslab_class *class;
	__u64 copy_began;
	__u32 copy;   /* index of the first copy that is not counted yet */
	__u32 copies; /* how many copies the block gets */
};

ESTAT_PER_THREAD(attempts, struct attempt);

static __always_inline bool is_known(const struct attempt *a)
{
	return a && estat_since_attach(a->seen);
}

/*
 * This thread's struct attempt; NULL: the thread has not allocated since the probes were attached.
 */
static __always_inline struct attempt *this_attempt(void)
{
	struct attempt *a = attempts_here();

	return is_known(a) ? a : NULL;
}

static __noinline int count_attempt(const struct attempt *a, __u64 now, bool failed)
{
	struct vdev *vd = a->vdev;
	struct spa *spa = BPF_CORE_READ(vd, vdev_spa);
	struct key key = {};
	struct value *v;

	key.pool = pool_id(spa, false);
	key.vdev = vdev_id(vd, key.pool, false);
	key.result = failed ? result_failure : result_success;
	v = ESTAT_GET_NAMED(metaslab_alloc, &key,
			    (name_pool(key.pool, spa), name_vdev(key.vdev, vd)));
	if (!v)
		return 0;
	estat_count_latency(v, now - a->began);
	estat_count(v->size, estat_size_bucket(a->asize));
	if (!failed)
		estat_add(v->bytes, a->asize);
	metaslab_alloc_count_by_size(&key, now - a->began, a->asize);
	return 0;
}

/* Count the attempt under way, if there is one. */
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

	estat_count_end(ESTAT_GET_NAMED(pool, &key, name_pool(key.pool, spa)), ns, failed);
	return 0;
}

/* This thread begins to allocate. Returns its struct attempt; NULL: no memory or failed lookup. */
static __always_inline struct attempt *begin(void)
{
	struct attempt *a = attempts_make();

	if (!a)
		return NULL;
	if (is_known(a) && a->vdev) /* the end of the thread's previous allocation was missed */
		estat_count_missed();
	a->seen = estat_any_time();
	a->vdev = NULL;
	a->bp = NULL;
	a->allocates = true;
	a->has_least = false;
	a->depth = 0;
	return a;
}

ESTAT_ENTRY(dva_begins, metaslab_alloc_dva, ESTAT_MANY_ARGS)
{
	begin();
	return 0;
}

ESTAT_ENTRY(range_begins, metaslab_alloc_range, ESTAT_MANY_ARGS)
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

/*
 * Does ZFS allocate in metaslab_alloc_range? OpenZFS 2.4 does, and its struct metaslab_group lacks
 * mg_allocations.
 */
static __always_inline bool uses_range(void)
{
	struct metaslab_group *mg = NULL;

	return !bpf_core_field_exists(mg->mg_allocations);
}

/* Bytes of the current copy (DVA_GET_ASIZE, include/sys/spa.h); 0: not allocated yet. */
static __always_inline __u64 copy_size(const struct attempt *a)
{
	struct blkptr *bp = a->bp;
	__u64 word;

	if (bpf_probe_read_kernel(&word, sizeof(word), &bp->blk_dva[a->copy].dva_word[0]))
		return 0;
	return (word & 0xffffff) << 9;
}

/* Count the current copy, of `asize` bytes, and the attempt that has allocated the copy. */
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

/* vdev_psize_to_asize can call itself for child vdevs: only calls for top-level vdevs count. */
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
	a->has_least = uses_range();
	return 0;
}

ESTAT_RUN(ESTAT_ENTRY(size_begins_txg, vdev_psize_to_asize_txg, 1), size_begins(call, typed));
ESTAT_RUN(ESTAT_EXIT(size_ends_txg, vdev_psize_to_asize_txg, 0), size_ends(call->ret));
ESTAT_RUN(ESTAT_ENTRY(size_begins_old, vdev_psize_to_asize, 1), size_begins(call, typed));
ESTAT_RUN(ESTAT_EXIT(size_ends_old, vdev_psize_to_asize, 0), size_ends(call->ret));

ESTAT_CALL(dva_ends, metaslab_alloc_dva, ESTAT_MANY_ARGS, estat_every_call)
{
	struct attempt *a = this_attempt();
	__u64 now = bpf_ktime_get_ns();
	bool failed = (int)call->ret;

	if (a) {
		end_attempt(a, now, failed);
		a->allocates = false;
	}
	return count_copy((struct spa *)call->arg[0], now - call->began, failed);
}

/*
 * No vdev has room for the block's next copy, so ZFS frees the earlier copies. If ZFS has made no
 * attempt for the next copy, the copy before it is not counted yet: count that copy as allocated.
 */
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

/*
 * metaslab_alloc_range calls spa_config_exit last. For a metaslab class without vdevs, whose rotor
 * is NULL, ZFS makes no attempt, so no failure is counted.
 */
ESTAT_ENTRY(range_ends, spa_config_exit, 2)
{
	struct metaslab_class *class;
	struct attempt *a;
	__u64 asize;

	if (!uses_range() || (__u32)call->arg[1] != SCL_ALLOC)
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

/*
 * A new parent takes the place of an old vdev. The parent is a mirror, a vdev of type replacing or
 * spare or, if the old vdev was removed, a vdev of type indirect. If the old vdev is a top-level
 * vdev, ZFS does not allocate from the old vdev any more: remove the old vdev's keys.
 */
ESTAT_ENTRY(vdev_attached, vdev_add_parent, 1)
{
	struct vdev *vd = (struct vdev *)call->arg[0];

	if (ESTAT_READ(vd, vdev_top) == vd)
		vdev_drop_name(vd, ESTAT_READ(vd, vdev_spa), typed);
	return 0;
}
