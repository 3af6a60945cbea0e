// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * page_cache: reads of files that go through the page cache, and faults of mapped ones: were the
 * pages there? One operation is a call of filemap_read (read(2) and its kin; since Linux 6.5
 * filemap_splice_read, too), or a fault that filemap_map_pages or filemap_fault serves.
 *
 * Which pages were not there is not guessed: those that the thread itself adds to the cache while
 * it reads (tracepoint mm_filemap_add_to_page_cache), in the range that it was asked for. What it
 * adds beyond is read ahead, and used once someone asks for it.
 */
#include "aggregate.bpf.h"
#include "thread.bpf.h"

/* Of file systems without a disk, as many as keys. They are noted by kprobes, too. */
#define ESTAT_NAMES       200
#define ESTAT_NAMES_FLAGS 0

#include "mounted.bpf.h"
#include "page.bpf.h"

ESTAT_MODULE(page_cache, 16);
ESTAT_ON_DEMAND;
ESTAT_EVIDENCE("/proc/vmstat", "^nr_dirtied ");
ESTAT_OPTIONAL(filemap_read, "reads");
/* Before Linux 6.5 a splice is a read, of filemap_read. */
const volatile struct estat_function estat_function_filemap_splice_read = {
	.unless = "generic_file_splice_read",
	.lacks = "splices",
};
ESTAT_OPTIONAL(filemap_fault, "faults");
ESTAT_OPTIONAL(filemap_map_pages, "faults");

enum op {
	op_read,
	op_fault,
};

enum result {
	result_hit,
	result_wait,
	result_miss,
};

/* By which function: what one of them counts no other does. */
enum by {
	by_read,
	by_splice,
	by_map,
	by_fault,
};

struct key {
	estat_dev_t device;
	enum op op;
	enum result result;
	enum by by;
};

struct value {
	struct estat_io;
	estat_count_t
		hits ESTAT_FIELD(17, "Number of pages asked for that were there, or on their way");
	estat_count_t misses ESTAT_FIELD(
		18, "Number of pages asked for that were not there, and were brought in");
};

ESTAT_TABLE(ask, struct key, struct value, 400);
ESTAT_ONE_WRITER(ask);

ESTAT_VIEW(
	page_cache, 0, ask, "device op result",
	"A read of a file through the page cache, from the entry of filemap_read (read(2) and\n"
	"its kin, also of io_uring and before Linux 6.5 of splice(2)) or filemap_splice_read\n"
	"(splice(2), sendfile(2)) to its return; or a fault of a mapped file, from the first\n"
	"entry of filemap_map_pages or filemap_fault to the return of the last, with what is\n"
	"between if the fault is tried again. It is a miss if a page that it asks for was not\n"
	"in the cache, so that the thread itself has added it there (tracepoint\n"
	"mm_filemap_add_to_page_cache), or a fault is major; a wait if all were there, but it\n"
	"has slept, as for a page that is on its way or locked; else a hit. Bytes are those\n"
	"that are read, of a fault one page. A read that io_uring tries again when the page is\n"
	"there is one, from the first try on; one that has nothing, at the end of a file, or\n"
	"that is not to wait (RWF_NOWAIT) and would have to, does not count. device is the disk\n"
	"or partition that is mounted, or else what is (server:/export), and of a block device\n"
	"itself that. Not in it are pages that are mapped already, which nobody sees; file\n"
	"systems that are not written back (tmpfs) or have a cache of their own (ZFS); what a\n"
	"file system reads for itself. Linux 5.15 to 7.3");
ESTAT_LAYER(page_cache, 300, "vfs");

struct pages_key {
	estat_dev_t device;
};

struct pages {
	estat_count_t added ESTAT_FIELD(17, "Number of pages added to the cache");
	estat_count_t read_ahead ESTAT_FIELD(
		18,
		"Of those, pages that a read or a fault has brought in beyond what it asks for");
	estat_count_t evicted
		ESTAT_FIELD(19, "Number of pages removed from the cache to have their memory");
	estat_count_t removed ESTAT_FIELD(
		20, "Number of pages removed from it otherwise, as their file was deleted or cut,\n"
		    "or on request (posix_fadvise(2), vm.drop_caches)");
	estat_count_t dirtied ESTAT_FIELD(21, "Number of pages that became dirty");
	estat_count_t written ESTAT_FIELD(22, "Number of pages that were written back");
	estat_count_t read_ahead_used ESTAT_FIELD(
		23, "Of those read ahead, pages that a read or a fault has asked for since");
};

ESTAT_SERIES(
	pages, 1, struct pages_key, struct pages, 100,
	"Pages as they come into the page cache and leave it, each of a large folio counted:\n"
	"tracepoints mm_filemap_add_to_page_cache and mm_filemap_delete_from_page_cache,\n"
	"__folio_mark_dirty and __folio_end_writeback (before Linux 5.16 __set_page_dirty and\n"
	"test_clear_page_writeback). Added are those that are read, those that are written to,\n"
	"and metadata. Pages read ahead that are not used yet are in vain so far, but for those\n"
	"of mapped files: what a fault maps beside its own page only the processor knows. Nor is\n"
	"it seen that some are used after 8 GiB more of 4 KiB each, or pages in 32,768 other\n"
	"places, were read ahead, or on a host of many CPUs half of that");

/* Additions and removals are counted by one program each, and so are the rest. */
ESTAT_ONE_WRITER(pages);

/*
 * Pages that were read ahead and are not used yet: a bit each of 64 of a file, from a multiple of
 * that on, until someone asks for the page, or brings it in anew.
 */
struct ahead_key {
	__u64 mapping;
	__u64 word;
};

struct ahead {
	__u64 began;
	__u64 unused;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 32768);
	__type(key, struct ahead_key);
	__type(value, struct ahead);
} ahead SEC(".maps");

/* Numbers for bpf_for_each_map_elem(): of the words of 2 GiB, the most that is read at once. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 8193);
	__type(key, __u32);
	__type(value, __u32);
} words SEC(".maps");

/*
 * Pages of a file, from `first` to below `end`, whose bits are set; or else cleared, and added up
 * how many were set, if that is wanted: in a map's value, for what is on the stack has the
 * verifier look at each word of a loop anew.
 */
struct change {
	__u64 mapping, first, end;
	__u64 *were;
	bool set;
};

/* NULL if nothing is kept of it, and is not to be made; or there is no memory. */
static __always_inline struct ahead *word_of(const struct ahead_key *key, bool make)
{
	struct ahead *a = bpf_map_lookup_elem(&ahead, key);
	struct ahead none = {};

	if (a && a->began > estat_attached)
		return a;
	if (!make)
		return NULL;
	none.began = bpf_ktime_get_ns();
	if (a) { /* it was kept before the probes were there */
		a->unused = 0;
		__sync_lock_test_and_set(&a->began, none.began);
		return a;
	}
	bpf_map_update_elem(&ahead, key, &none, BPF_NOEXIST);
	return bpf_map_lookup_elem(&ahead, key);
}

/* The i-th word. Returns whether it was the last. */
static __always_inline long change_word(struct change *c, __u64 i)
{
	struct ahead_key key = { .mapping = c->mapping, .word = c->first / 64 + i };
	__u64 base = key.word * 64, low, high, bits, were;
	struct ahead *a = word_of(&key, c->set);

	low = c->first > base ? c->first - base : 0;
	high = c->end < base + 64 ? base + 64 - c->end : 0;
	bits = (~0ULL << (low & 63)) & (~0ULL >> (high & 63));
	if (a && c->set) {
		__sync_fetch_and_or(&a->unused, bits);
	} else if (a) {
		were = __sync_fetch_and_and(&a->unused, ~bits) & bits;
		if (c->were)
			*c->were += __builtin_popcountll(were);
	}
	return base + 64 >= c->end;
}

static long change_next(void *map, const __u32 *i, __u32 *value, struct change *c)
{
	return *i == 0 ? 0 : change_word(c, *i);
}

static __noinline int change(struct change *c)
{
	if (!change_word(c, 0))
		bpf_for_each_map_elem(&words, change_next, c, 0);
	return 0;
}

/* A read or a fault that is under way. */
struct asked {
	__u64 entered;              /* 0: none is */
	__u64 mapping, first, last; /* pages of whom, which */
	__u64 iocb;                 /* a read's: whose; 0: the thread's own */
	__u64 position;             /* of its first byte */
	__u64 done;                 /* and how many it had read before */
	__u64 slept;                /* how often the thread had when it began */
	estat_dev_t device;
	__u32 added; /* how many of those pages it has added */
	bool major;  /* a fault's: its page was not there */
	bool again;  /* a read's: it was told to try again, and does */
};

struct thread {
	struct asked read;
	struct asked fault; /* it may be one in a read, which copies to mapped memory */
	__u64 used;         /* see take_ahead() */
};

ESTAT_PER_THREAD(threads, struct thread);

/* Of n pages from the first on none is read ahead and not used yet any more; how many were? */
static __always_inline __u64 take_ahead(struct thread *t, __u64 mapping, __u64 first, __u64 n)
{
	struct change c = { mapping, first, first + n, t ? &t->used : NULL, false };

	if (t)
		t->used = 0;
	change(&c);
	return t ? t->used : 0;
}

/* They are read ahead. */
static __always_inline void put_ahead(__u64 mapping, __u64 first, __u64 n)
{
	struct change c = { mapping, first, first + n, NULL, true };

	change(&c);
}

ESTAT_OPTIONAL(shrink_dcache_for_umount, "notice of file systems that are gone");

/* A file system is unmounted: another one can get its device's number. */
ESTAT_ENTRY(page_cache_unmounted, shrink_dcache_for_umount, 1)
{
	struct super_block *sb = (struct super_block *)call->arg[0];

	estat_name_gone(ESTAT_READ(sb, s_dev));
	return 0;
}

/*
 * io_uring reads without waiting, if need be once more when the page is there, and perhaps in
 * another thread: by the same kiocb from the same position. All this is one read.
 */
struct again_key {
	__u64 iocb;
	__u64 position;
};

struct again {
	__u64 entered;
	__u64 added;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, struct again_key);
	__type(value, struct again);
} again SEC(".maps");

static __always_inline int missed(void)
{
	__sync_fetch_and_add(&ask_state.missed, 1);
	return 0;
}

/* Its pages count on this device; NULL if they do not. */
static __always_inline struct pages *pages_of_mapping(struct address_space *mapping, bool typed)
{
	struct pages_key key = { .device = device_of(mapping, typed) };
	struct pages *v;

	if (!key.device)
		return NULL;
	v = pages_find(&key);
	if (v)
		return v;
	estat_name_mounted(key.device, BPF_CORE_READ(mapping, host, i_sb));
	return pages_insert(&key);
}

static __always_inline __u64 slept(void)
{
	return current_task()->nvcsw;
}

/* Is it, and did it begin with the probes there? */
static __always_inline bool is_under_way(const struct asked *asked)
{
	return asked->entered > estat_attached;
}

/* How many of n pages from the first on has this thread asked for? */
static __always_inline __u64 asked_for(struct asked *asked, __u64 mapping, __u64 first, __u64 n)
{
	__u64 end = first + n;

	if (!is_under_way(asked) || asked->mapping != mapping)
		return 0;
	if (first < asked->first)
		first = asked->first;
	if (end > asked->last + 1)
		end = asked->last + 1;
	return end > first ? end - first : 0;
}

/* This thread brings n pages in, from the first on. Returns how many it has not asked for. */
static __always_inline __u64 brought_ahead(struct thread *t, __u64 mapping, __u64 first, __u64 n)
{
	struct asked *asked = &t->fault;
	__u64 asked_n = asked_for(asked, mapping, first, n);

	if (!asked_n) {
		asked = &t->read;
		asked_n = asked_for(asked, mapping, first, n);
	}
	asked->added += asked_n;
	if (n == asked_n || !((is_under_way(&t->fault) && t->fault.mapping == mapping) ||
			      (is_under_way(&t->read) && t->read.mapping == mapping)))
		return 0;
	put_ahead(mapping, first, n);
	if (asked_n)
		take_ahead(t, mapping, first > asked->first ? first : asked->first, asked_n);
	return n - asked_n;
}

SEC("tp_btf/mm_filemap_add_to_page_cache")
int page_cache_add(__u64 *ctx)
{
	struct folio *folio = (struct folio *)ctx[0];
	struct address_space *mapping = mapping_of(folio, true);
	struct pages *v = pages_of_mapping(mapping, true);
	__u64 n = pages_of(folio, true), index = index_of(folio, true), whose, ahead;
	struct thread *t;

	if (!v)
		return 0;
	estat_add(v->added, n);
	whose = address_of(mapping);
	t = threads_here();
	ahead = t ? brought_ahead(t, whose, index, n) : 0;
	if (ahead)
		estat_add(v->read_ahead, ahead);
	else
		take_ahead(t, whose, index, n);
	return 0;
}

SEC("tp_btf/mm_filemap_delete_from_page_cache")
int page_cache_delete(__u64 *ctx)
{
	struct folio *folio = (struct folio *)ctx[0];
	struct pages *v = pages_of_mapping(mapping_of(folio, true), true);
	__u64 n = pages_of(folio, true);

	if (!v)
		return 0;
	if (current_task()->reclaim_state)
		estat_add(v->evicted, n);
	else
		estat_add(v->removed, n);
	return 0;
}

/* So many of the device's pages that were read ahead are used, which several programs count. */
static __noinline int count_used(__u32 device, __u64 n)
{
	struct pages_key key = { .device = device };
	struct pages *v = n ? pages_find(&key) : NULL;

	if (v)
		estat_counter_add(&v->read_ahead_used, n, true);
	return 0;
}

static __always_inline int count(const struct asked *asked, enum by by, enum result result,
				 __u64 bytes, __u64 pages, bool failed)
{
	__u64 ns = bpf_ktime_get_ns() - asked->entered, misses = asked->added;
	struct key key = {
		.device = asked->device,
		.op = by == by_read || by == by_splice ? op_read : op_fault,
		.result = result,
		.by = by,
	};
	struct value *v = ask_find(&key);

	if (!v) {
		struct address_space *mapping = (struct address_space *)asked->mapping;

		estat_name_mounted(key.device, BPF_CORE_READ(mapping, host, i_sb));
		v = ask_insert(&key);
	}
	if (!v)
		return 0;
	ask_count_io((struct estat_io *)v, &key, ns, bytes, failed);
	if (failed)
		return 0;
	if (misses > pages)
		misses = pages;
	estat_add(v->hits, pages - misses);
	estat_add(v->misses, misses);
	return 0;
}

static __always_inline enum result result_of(const struct asked *asked)
{
	if (asked->added)
		return result_miss;
	return asked->again || slept() != asked->slept ? result_wait : result_hit;
}

static __always_inline void begin(struct asked *asked, __u64 mapping, estat_dev_t device,
				  __u64 first, __u64 last)
{
	asked->mapping = mapping;
	asked->device = device;
	asked->first = first;
	asked->last = last;
	asked->added = 0;
	asked->major = false;
	asked->again = false;
	asked->slept = slept();
	asked->entered = bpf_ktime_get_ns();
}

static __always_inline struct again_key again_key_of(const struct asked *asked)
{
	return (struct again_key){ asked->iocb, asked->position };
}

ESTAT_ADDRESS(aio_complete_rw);
ESTAT_ADDRESS(io_complete_rw);

/* Is whose read it is told so, that there is nothing without waiting, and leaves it at that? */
static __always_inline bool gives_up(__u64 iocb)
{
	struct kiocb *kiocb = (struct kiocb *)iocb;
	struct io_kiocb *req = (struct io_kiocb *)iocb;
	__u64 completes = (__u64)BPF_CORE_READ(kiocb, ki_complete);

	if (!bpf_core_type_exists(struct io_kiocb) || completes != estat_address_io_complete_rw)
		return completes == estat_address_aio_complete_rw;
	return BPF_CORE_READ(req, flags) & REQ_F_NOWAIT;
}

/* Does it go on with one that was told to try again? */
static __noinline int goes_on(struct asked *asked)
{
	struct again_key key = again_key_of(asked);
	struct again *a = bpf_map_lookup_elem(&again, &key);

	if (!a || a->entered <= estat_attached)
		return 0;
	asked->entered = a->entered;
	asked->added = a->added;
	asked->again = true;
	bpf_map_delete_elem(&again, &key);
	return 0;
}

/* It ends, but is to be tried again. */
static __noinline int tries_again(const struct asked *asked)
{
	struct again_key key = again_key_of(asked);
	struct again a = { .entered = asked->entered, .added = asked->added };

	bpf_map_update_elem(&again, &key, &a, BPF_ANY);
	return 0;
}

/*
 * io_uring gives up what it was to try again, for its process is killed or it is cancelled
 * (io_req_task_submit, io_req_task_queue_fail in io_uring/io_uring.c): that is no read. 6.1 has
 * io_rw_fail, 5.15 not: there it passes io_req_complete_post, as others do, which are none or have
 * ended.
 */
ESTAT_EITHER_OR(io_rw_fail, io_req_complete_post, "notice of reads that io_uring gives up");

/* A request begins with its kiocb, if it reads or writes (struct io_rw in io_uring/rw.h). */
static __always_inline int give_up(struct io_kiocb *req, bool typed)
{
	struct kiocb *kiocb = (struct kiocb *)req;
	struct again_key key = { .iocb = address_of(req) };

	if (!(1ULL << (ESTAT_READ(req, opcode) & 63) & IORING_READS))
		return 0;
	key.position = ESTAT_READ(kiocb, ki_pos);
	bpf_map_delete_elem(&again, &key);
	return 0;
}

ESTAT_ENTRY(page_cache_given_up, io_rw_fail, 1)
{
	return give_up((struct io_kiocb *)call->arg[0], typed);
}

ESTAT_ENTRY(page_cache_given_up_old, io_req_complete_post, 1)
{
	return give_up((struct io_kiocb *)call->arg[0], typed);
}

/* It reads bytes of a file from a position on, and has read some already. */
static __always_inline int read_begins(struct file *file, __u64 iocb, __u64 position, __u64 bytes,
				       __u64 done, bool typed)
{
	struct address_space *mapping = ESTAT_READ(file, f_mapping);
	estat_dev_t device = bytes ? device_of(mapping, typed) : 0;
	struct thread *t = device ? threads_make() : threads_here();

	if (!t)
		return device ? missed() : 0;
	if (is_under_way(&t->read)) /* its end was not seen, or this is a part of it */
		missed();
	t->read.entered = 0;
	if (!device)
		return 0;
	t->read.iocb = iocb;
	t->read.position = position;
	t->read.done = done;
	begin(&t->read, address_of(mapping), device, position >> PAGE_SHIFT,
	      (position + bytes - 1) >> PAGE_SHIFT);
	if (iocb)
		goes_on(&t->read);
	return 0;
}

static __always_inline int read_ends(enum by by, __s64 ret)
{
	struct thread *t = threads_here();
	__u64 bytes, last;

	if (!t || !is_under_way(&t->read))
		return 0;
	bytes = ret - t->read.done;
	last = (t->read.position + bytes - 1) >> PAGE_SHIFT;
	if (ret == -EAGAIN || ret == -EIOCBQUEUED) {
		if (t->read.iocb && (ret != -EAGAIN || !gives_up(t->read.iocb)))
			tries_again(&t->read);
	} else if (ret < 0 || bytes) {
		count(&t->read, by, result_of(&t->read), bytes, last - t->read.first + 1, ret < 0);
		if (ret > 0)
			count_used(t->read.device, take_ahead(t, t->read.mapping, t->read.first,
							      last - t->read.first + 1));
	}
	t->read.entered = 0;
	return 0;
}

ESTAT_ENTRY(page_cache_read, filemap_read, 3)
{
	struct kiocb *iocb = (struct kiocb *)call->arg[0];
	struct iov_iter *iter = (struct iov_iter *)call->arg[1];
	struct file *file = ESTAT_READ(iocb, ki_filp);

	return read_begins(file, ESTAT_READ(iocb, ki_complete) ? address_of(iocb) : 0,
			   ESTAT_READ(iocb, ki_pos), ESTAT_READ(iter, count), call->arg[2], typed);
}

ESTAT_FULL_EXIT(page_cache_read_end, filemap_read, 3)
{
	return read_ends(by_read, call->ret);
}

ESTAT_ENTRY(page_cache_splice, filemap_splice_read, 4)
{
	struct file *file = (struct file *)call->arg[0];
	__u64 position = 0;

	bpf_probe_read_kernel(&position, sizeof(position), (void *)call->arg[1]);
	return read_begins(file, 0, position, call->arg[3], 0, typed);
}

ESTAT_FULL_EXIT(page_cache_splice_end, filemap_splice_read, 5)
{
	return read_ends(by_splice, call->ret);
}

/* include/linux/mm_types.h, enum vm_fault_reason: as they are since 4.20 */
#define VM_FAULT_ERROR  (0x1 | 0x2 | 0x10 | 0x20 | 0x40 | 0x800)
#define VM_FAULT_MAJOR  0x4
#define VM_FAULT_NOPAGE 0x100
#define VM_FAULT_RETRY  0x400

/*
 * A fault looks first for pages that are there and can be mapped around the address, then for
 * its own; and does so again if it has let go of mmap_lock to wait. All this is one.
 */
static __always_inline int fault_begins(const struct estat_call *call, bool typed)
{
	struct vm_fault *vmf = (struct vm_fault *)call->arg[0];
	struct vm_area_struct *vma = ESTAT_READ(vmf, vma);
	struct file *file = ESTAT_READ(vma, vm_file);
	struct address_space *mapping = ESTAT_READ(file, f_mapping);
	__u64 index = ESTAT_READ(vmf, pgoff), whose = address_of(mapping);
	estat_dev_t device = device_of(mapping, typed);
	struct thread *t = device ? threads_make() : threads_here();

	if (!t)
		return device ? missed() : 0;
	if (is_under_way(&t->fault) && t->fault.mapping == whose && t->fault.first == index)
		return 0;
	t->fault.entered = 0;
	if (!device)
		return 0;
	begin(&t->fault, whose, device, index, index);
	return 0;
}

static __always_inline int fault_ends(struct thread *t, enum by by, bool failed)
{
	struct asked *asked = &t->fault;
	enum result result = asked->major ? result_miss : result_of(asked);

	asked->added = asked->major;
	count(asked, by, result, PAGE_SIZE, 1, failed);
	if (!failed)
		count_used(asked->device, take_ahead(t, asked->mapping, asked->first, 1));
	asked->entered = 0;
	return 0;
}

ESTAT_ENTRY(page_cache_map, filemap_map_pages, 1)
{
	return fault_begins(call, typed);
}

ESTAT_FULL_EXIT(page_cache_map_end, filemap_map_pages, 3)
{
	struct thread *t = threads_here();

	if (!t || !is_under_way(&t->fault) || !(call->ret & VM_FAULT_NOPAGE))
		return 0;
	return fault_ends(t, by_map, false);
}

ESTAT_ENTRY(page_cache_fault, filemap_fault, 1)
{
	return fault_begins(call, typed);
}

ESTAT_FULL_EXIT(page_cache_fault_end, filemap_fault, 1)
{
	struct thread *t = threads_here();

	if (!t || !is_under_way(&t->fault))
		return 0;
	if (call->ret & VM_FAULT_MAJOR)
		t->fault.major = 1;
	if (call->ret & VM_FAULT_RETRY)
		return 0;
	return fault_ends(t, by_fault, call->ret & VM_FAULT_ERROR);
}

ESTAT_EITHER_OR(__folio_mark_dirty, __set_page_dirty, "pages that become dirty");

static __always_inline int dirtied(const struct estat_call *call, bool typed)
{
	struct folio *folio = (struct folio *)call->arg[0];
	struct address_space *mapping = (struct address_space *)call->arg[1];
	struct pages *v;

	if (!mapping_of(folio, typed)) /* it was removed from its file meanwhile */
		return 0;
	v = pages_of_mapping(mapping, typed);
	if (v)
		estat_add(v->dirtied, pages_of(folio, typed));
	return 0;
}

ESTAT_ENTRY(page_cache_dirty, __folio_mark_dirty, 2)
{
	return dirtied(call, typed);
}

ESTAT_ENTRY(page_cache_dirty_old, __set_page_dirty, 2)
{
	return dirtied(call, typed);
}

ESTAT_EITHER_OR(__folio_end_writeback, test_clear_page_writeback, "pages that are written back");

static __always_inline int written(const struct estat_call *call, bool typed)
{
	struct folio *folio = (struct folio *)call->arg[0];
	struct address_space *mapping = file_mapping_of(folio, typed);
	struct pages *v;

	if (!mapping)
		return 0;
	v = pages_of_mapping(mapping, typed);
	if (v)
		estat_add(v->written, pages_of(folio, typed));
	return 0;
}

ESTAT_ENTRY(page_cache_write, __folio_end_writeback, 1)
{
	return written(call, typed);
}

ESTAT_ENTRY(page_cache_write_old, test_clear_page_writeback, 1)
{
	return written(call, typed);
}
