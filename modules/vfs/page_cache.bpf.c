// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * page_cache: reads of files through the page cache, and faults of mapped files: were the pages in
 * the cache? One operation is a call of filemap_read (read(2) and similar; since Linux 6.5 also
 * filemap_splice_read), or a fault that filemap_map_pages or filemap_fault handles.
 *
 * A page was missing if the reading thread itself adds the page to the cache during the operation
 * (tracepoint mm_filemap_add_to_page_cache) and the page is in the requested range. Pages that the
 * thread adds beyond that range are readahead. They count as used when an operation requests them.
 */
#include "aggregate.bpf.h"
#include "thread.bpf.h"

/* Names of file systems without a disk: at most one a key. Flags 0: kprobes note names, too. */
#define ESTAT_NAMES       200
#define ESTAT_NAMES_FLAGS 0

#include "mounted.bpf.h"
#include "page.bpf.h"

ESTAT_MODULE(page_cache, 16);
ESTAT_ON_DEMAND;
ESTAT_EVIDENCE("/proc/vmstat", "^nr_dirtied ");
ESTAT_OPTIONAL("reads", filemap_read);
/* Before Linux 6.5 a splice calls filemap_read. */
ESTAT_OPTIONAL("splices", generic_file_splice_read, filemap_splice_read);
ESTAT_OPTIONAL("faults", filemap_fault);
ESTAT_OPTIONAL("faults", filemap_map_pages);

enum op {
	op_read,
	op_fault,
};

enum result {
	result_hit,
	result_wait,
	result_miss,
};

/* The function that ended the operation, so that each key has one writer. */
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
	estat_count_t hits
		ESTAT_FIELD(17, "Number of requested pages that were in the cache or being read");
	estat_count_t misses ESTAT_FIELD(
		18, "Number of requested pages that were not in the cache and were added");
};

ESTAT_TABLE(ask, struct key, struct value, 400);
ESTAT_ONE_WRITER(ask);

ESTAT_VIEW(
	page_cache, 0, ask, "device op result",
	"read: a read of a file through the page cache, from the entry of filemap_read (read(2)\n"
	"and similar, also from io_uring, before Linux 6.5 also from splice(2)) or of\n"
	"filemap_splice_read (splice(2), sendfile(2)) to its return. fault: a fault of a mapped\n"
	"file, from the first entry of filemap_map_pages or filemap_fault to the last return; if\n"
	"the kernel retries the fault, the time between is included.\n"
	"miss: a requested page was not in the cache, and the thread itself added it (tracepoint\n"
	"mm_filemap_add_to_page_cache), or the fault was major. wait: all pages were in the\n"
	"cache, but the thread slept, for a page that was being read or was locked. hit: all\n"
	"others. Bytes are the bytes read, for a fault one page. A read that io_uring issues\n"
	"again when the page is there counts once, from the first issue. Reads of 0 bytes at the\n"
	"end of a file do not count, nor do reads that may not wait (RWF_NOWAIT) and would have\n"
	"to. device is the mounted disk or partition, or the mounted source (server:/export); for\n"
	"a block device it is that device. Not in it: accesses to pages that are already mapped;\n"
	"file systems without writeback (tmpfs) or with a cache of their own (ZFS); a file\n"
	"system's own reads. Linux 5.15 to 7.3");
ESTAT_LAYER(page_cache, 300, "vfs");

struct pages_key {
	estat_dev_t device;
};

struct pages {
	estat_count_t added ESTAT_FIELD(17, "Number of pages added to the cache");
	estat_count_t read_ahead ESTAT_FIELD(
		18, "Number of added pages that a read or fault added beyond its requested range");
	estat_count_t evicted
		ESTAT_FIELD(19, "Number of pages removed from the cache to reclaim their memory");
	estat_count_t removed ESTAT_FIELD(
		20,
		"Number of pages removed from the cache for other reasons: the file was deleted\n"
		"or truncated, or on request (posix_fadvise(2), vm.drop_caches)");
	estat_count_t dirtied ESTAT_FIELD(21, "Number of pages that became dirty");
	estat_count_t written ESTAT_FIELD(22, "Number of pages that were written back");
	estat_count_t read_ahead_used
		ESTAT_FIELD(23, "Number of read-ahead pages that a read or fault requested later");
};

ESTAT_SERIES(
	pages, 1, struct pages_key, struct pages, 100,
	"Pages that enter and leave the page cache; each page of a large folio counts. From\n"
	"tracepoints mm_filemap_add_to_page_cache and mm_filemap_delete_from_page_cache, and\n"
	"functions __folio_mark_dirty and __folio_end_writeback (before Linux 5.16\n"
	"__set_page_dirty and test_clear_page_writeback). added has pages that are read, pages\n"
	"that are written to, and metadata. read_ahead less read_ahead_used is readahead that\n"
	"was of no use so far. For mapped files that is too high: the module cannot see accesses\n"
	"to the pages that a fault maps in addition to its own. The use of a page is also not\n"
	"seen after 8 GiB more of 4-KiB pages, or pages in 32,768 other places, were read ahead;\n"
	"on a host with many CPUs after half of that");

/* Each member is counted by one BPF program, except read_ahead_used, which is added atomically. */
ESTAT_ONE_WRITER(pages);

/*
 * Pages that were read ahead and not used yet: a bit a page, in words of 64 pages of a file. A bit
 * is cleared when an operation requests the page, or when the page is added again.
 */
struct ahead_key {
	__u64 mapping;
	__u64 word;
};

struct ahead {
	__u64 began;
	__u64 unused;
};

ESTAT_HASH_MAP(ahead, LRU_HASH, struct ahead_key, struct ahead, 32768);

/* For bpf_for_each_map_elem(): an element for each 64-page word of 2 GiB, the longest read. */
ESTAT_ARRAY_MAP(words, ARRAY, __u32, 8193);

/*
 * Set or clear the bits of a file's pages from `first` up to, not including, `end`. Clearing adds
 * the number of bits that were set to *were, unless it is NULL. *were must be in a map value: with
 * a counter on the stack the verifier would check each iteration of the loop.
 */
struct change {
	__u64 mapping, first, end;
	__u64 *were;
	bool set;
};

/* The word of a key, or NULL. With `make` the word is created; then NULL means: no memory. */
static __always_inline struct ahead *word_of(const struct ahead_key *key, bool make)
{
	struct ahead *a = bpf_map_lookup_elem(&ahead, key);
	struct ahead none = {};

	if (a && a->began > estat_attached)
		return a;
	if (!make)
		return NULL;
	none.began = bpf_ktime_get_ns();
	if (a) { /* the word is from before the last attach */
		a->unused = 0;
		__sync_lock_test_and_set(&a->began, none.began);
		return a;
	}
	bpf_map_update_elem(&ahead, key, &none, BPF_NOEXIST);
	return bpf_map_lookup_elem(&ahead, key);
}

/* Change the i-th word. Returns 1 if it was the last. */
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

/* A read or fault in progress. */
struct access {
	__u64 entered;              /* time of the entry; 0: none in progress */
	__u64 mapping, first, last; /* requested pages: first to last of a mapping */
	__u64 iocb;                 /* of a read: address of its kiocb; 0: synchronous */
	__u64 position;             /* of a read: position of its first byte */
	__u64 done;                 /* of a read: bytes that it had read before the entry */
	__u64 slept;                /* the thread's count of sleeps at the entry */
	estat_dev_t device;
	__u32 added;  /* requested pages that the thread added */
	bool major;   /* of a fault: its page was not in the cache */
	bool retried; /* of a read: it was issued again after -EAGAIN */
};

struct thread {
	struct access read;
	struct access fault; /* can be inside a read that copies to mapped memory */
	__u64 used;          /* the number that clear_ahead() returns */
};

ESTAT_PER_THREAD(threads, struct thread);

/* Clear the readahead bits of n pages from `first`. Returns how many were set; if t is NULL, 0. */
static __always_inline __u64 clear_ahead(struct thread *t, __u64 mapping, __u64 first, __u64 n)
{
	struct change c = { mapping, first, first + n, t ? &t->used : NULL, false };

	if (t)
		t->used = 0;
	change(&c);
	return t ? t->used : 0;
}

/* Set the readahead bits of n pages from `first`. */
static __always_inline void set_ahead(__u64 mapping, __u64 first, __u64 n)
{
	struct change c = { mapping, first, first + n, NULL, true };

	change(&c);
}

ESTAT_OPTIONAL("unmounts of file systems", shrink_dcache_for_umount);

/* A file system is unmounted: another file system can get its device number. */
ESTAT_ENTRY(page_cache_unmounted, shrink_dcache_for_umount, 1)
{
	struct super_block *sb = (struct super_block *)call->arg[0];

	estat_name_gone(ESTAT_READ(sb, s_dev));
	return 0;
}

/*
 * Reads that io_uring will issue again. io_uring first reads without waiting. If a page is not in
 * the cache, io_uring issues the read again when the page is there, perhaps in another thread, with
 * the same kiocb and position. All issues are one operation.
 */
struct retry_key {
	__u64 iocb;
	__u64 position;
};

struct retry {
	__u64 entered;
	__u64 added;
};

ESTAT_HASH_MAP(retries, LRU_HASH, struct retry_key, struct retry, 4096);

static __always_inline int missed(void)
{
	estat_count_missed();
	return 0;
}

/* The values of a mapping's device, or NULL if its pages do not count. */
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

/* Whether an operation is in progress that began after the last attach. */
static __always_inline bool in_progress(const struct access *access)
{
	return access->entered > estat_attached;
}

/* How many of n pages from `first` the operation requests. */
static __always_inline __u64 requested_of(struct access *access, __u64 mapping, __u64 first,
					  __u64 n)
{
	__u64 end = first + n;

	if (!in_progress(access) || access->mapping != mapping)
		return 0;
	if (first < access->first)
		first = access->first;
	if (end > access->last + 1)
		end = access->last + 1;
	return end > first ? end - first : 0;
}

/* The thread adds n pages from `first` to the cache. Returns how many of them are readahead. */
static __always_inline __u64 pages_ahead(struct thread *t, __u64 mapping, __u64 first, __u64 n)
{
	struct access *access = &t->fault;
	__u64 requested = requested_of(access, mapping, first, n);

	if (!requested) {
		access = &t->read;
		requested = requested_of(access, mapping, first, n);
	}
	access->added += requested;
	if (n == requested || !((in_progress(&t->fault) && t->fault.mapping == mapping) ||
				(in_progress(&t->read) && t->read.mapping == mapping)))
		return 0;
	set_ahead(mapping, first, n);
	if (requested)
		clear_ahead(t, mapping, first > access->first ? first : access->first, requested);
	return n - requested;
}

SEC("tp_btf/mm_filemap_add_to_page_cache")
int page_cache_add(__u64 *ctx)
{
	struct folio *folio = (struct folio *)ctx[0];
	struct address_space *mapping = mapping_of(folio, true);
	struct pages *v = pages_of_mapping(mapping, true);
	__u64 n = pages_of(folio, true), index = index_of(folio, true), address, ahead;
	struct thread *t;

	if (!v)
		return 0;
	estat_add(v->added, n);
	address = address_of(mapping);
	t = threads_here();
	ahead = t ? pages_ahead(t, address, index, n) : 0;
	if (ahead)
		estat_add(v->read_ahead, ahead);
	else
		clear_ahead(t, address, index, n);
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

/* Count n used readahead pages of a device; atomically, for several BPF programs call this. */
static __noinline int count_ahead_used(__u32 device, __u64 n)
{
	struct pages_key key = { .device = device };
	struct pages *v = n ? pages_find(&key) : NULL;

	if (v)
		estat_counter_add(&v->read_ahead_used, n, true);
	return 0;
}

static __always_inline int count(const struct access *access, enum by by, enum result result,
				 __u64 bytes, __u64 pages, bool failed)
{
	__u64 ns = bpf_ktime_get_ns() - access->entered, misses = access->added;
	enum op op = by == by_read || by == by_splice ? op_read : op_fault;
	struct key key = { access->device, op, result, by };
	struct value *v = ask_find(&key);

	if (!v) {
		struct address_space *mapping = (struct address_space *)access->mapping;

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

static __always_inline enum result result_of(const struct access *access)
{
	if (access->added)
		return result_miss;
	return access->retried || slept() != access->slept ? result_wait : result_hit;
}

static __always_inline void begin(struct access *access, __u64 mapping, estat_dev_t device,
				  __u64 first, __u64 last)
{
	access->mapping = mapping;
	access->device = device;
	access->first = first;
	access->last = last;
	access->added = 0;
	access->major = false;
	access->retried = false;
	access->slept = slept();
	access->entered = bpf_ktime_get_ns();
}

static __always_inline struct retry_key retry_key_of(const struct access *access)
{
	return (struct retry_key){ access->iocb, access->position };
}

ESTAT_ADDRESS(aio_complete_rw);
ESTAT_ADDRESS(io_complete_rw);

/* Whether -EAGAIN ends a kiocb's read. It does in aio, and in io_uring with RWF_NOWAIT. */
static __always_inline bool ends_with_eagain(__u64 iocb)
{
	struct kiocb *kiocb = (struct kiocb *)iocb;
	struct io_kiocb *req = (struct io_kiocb *)iocb;
	__u64 completes = (__u64)BPF_CORE_READ(kiocb, ki_complete);

	if (!bpf_core_type_exists(struct io_kiocb) || completes != estat_address_io_complete_rw)
		return completes == estat_address_aio_complete_rw;
	return BPF_CORE_READ(req, flags) & REQ_F_NOWAIT;
}

/* If io_uring issued the read before, continue the operation that began then. */
static __noinline int resume_read(struct access *access)
{
	struct retry_key key = retry_key_of(access);
	struct retry *a = bpf_map_lookup_elem(&retries, &key);

	if (!a || a->entered <= estat_attached)
		return 0;
	access->entered = a->entered;
	access->added = a->added;
	access->retried = true;
	bpf_map_delete_elem(&retries, &key);
	return 0;
}

/* The read returned, but io_uring will issue it again: keep the operation's begin and misses. */
static __noinline int keep_for_retry(const struct access *access)
{
	struct retry_key key = retry_key_of(access);
	struct retry a = { .entered = access->entered, .added = access->added };

	bpf_map_update_elem(&retries, &key, &a, BPF_ANY);
	return 0;
}

/*
 * io_uring abandons a read that it would have issued again, because its process is killed or the
 * request is cancelled (io_req_task_submit, io_req_task_queue_fail in io_uring/io_uring.c). Such a
 * read does not count. io_rw_fail exists in 6.1; in 5.15 io_req_complete_post is probed instead,
 * which also runs for requests that ended or are no reads.
 */
ESTAT_OPTIONAL("notice of reads that io_uring abandons", io_rw_fail, io_req_complete_post);

/* Forget a read that io_uring abandons. An io_kiocb begins with its kiocb (io_uring/rw.h). */
static __always_inline int give_up(struct io_kiocb *req, bool typed)
{
	struct kiocb *kiocb = (struct kiocb *)req;
	struct retry_key key = { .iocb = address_of(req) };

	if (!(1ULL << (ESTAT_READ(req, opcode) & 63) & IORING_READS))
		return 0;
	key.position = ESTAT_READ(kiocb, ki_pos);
	bpf_map_delete_elem(&retries, &key);
	return 0;
}

ESTAT_RUN(ESTAT_ENTRY(page_cache_given_up, io_rw_fail, 1),
	  give_up((struct io_kiocb *)call->arg[0], typed))
ESTAT_RUN(ESTAT_ENTRY(page_cache_given_up_old, io_req_complete_post, 1),
	  give_up((struct io_kiocb *)call->arg[0], typed))

/* A read of a file begins: `bytes` from `position`, after `done` bytes that it has read already. */
static __always_inline int read_begins(struct file *file, __u64 iocb, __u64 position, __u64 bytes,
				       __u64 done, bool typed)
{
	struct address_space *mapping = ESTAT_READ(file, f_mapping);
	estat_dev_t device = bytes ? device_of(mapping, typed) : 0;
	struct thread *t = device ? threads_make() : threads_here();

	if (!t)
		return device ? missed() : 0;
	/* the previous read ended unseen, or the new read is inside the previous one */
	if (in_progress(&t->read))
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
		resume_read(&t->read);
	return 0;
}

static __always_inline int read_ends(enum by by, __s64 ret)
{
	struct thread *t = threads_here();
	__u64 bytes, last;

	if (!t || !in_progress(&t->read))
		return 0;
	bytes = ret - t->read.done;
	last = (t->read.position + bytes - 1) >> PAGE_SHIFT;
	if (ret == -EAGAIN || ret == -EIOCBQUEUED) {
		if (t->read.iocb && (ret != -EAGAIN || !ends_with_eagain(t->read.iocb)))
			keep_for_retry(&t->read);
	} else if (ret < 0 || bytes) {
		count(&t->read, by, result_of(&t->read), bytes, last - t->read.first + 1, ret < 0);
		if (ret > 0)
			count_ahead_used(t->read.device,
					 clear_ahead(t, t->read.mapping, t->read.first,
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

ESTAT_RUN(ESTAT_EXIT(page_cache_read_end, filemap_read, 0), read_ends(by_read, call->ret))

ESTAT_ENTRY(page_cache_splice, filemap_splice_read, 4)
{
	struct file *file = (struct file *)call->arg[0];
	__u64 position = 0;

	bpf_probe_read_kernel(&position, sizeof(position), (void *)call->arg[1]);
	return read_begins(file, 0, position, call->arg[3], 0, typed);
}

ESTAT_RUN(ESTAT_EXIT(page_cache_splice_end, filemap_splice_read, 0),
	  read_ends(by_splice, call->ret))

/* include/linux/mm_types.h, enum vm_fault_reason; the same in Linux 5.15 and 7.3 */
#define VM_FAULT_ERROR  (0x1 | 0x2 | 0x10 | 0x20 | 0x40 | 0x800)
#define VM_FAULT_MAJOR  0x4
#define VM_FAULT_NOPAGE 0x100
#define VM_FAULT_RETRY  0x400

/*
 * A fault calls filemap_map_pages, to map the cached pages around the address, and then
 * filemap_fault for its own page. If the fault released mmap_lock to wait, the kernel calls both
 * functions again. All these calls are one operation.
 */
static __always_inline int fault_begins(const struct estat_call *call, bool typed)
{
	struct vm_fault *vmf = (struct vm_fault *)call->arg[0];
	struct vm_area_struct *vma = ESTAT_READ(vmf, vma);
	struct file *file = ESTAT_READ(vma, vm_file);
	struct address_space *mapping = ESTAT_READ(file, f_mapping);
	__u64 index = ESTAT_READ(vmf, pgoff), address = address_of(mapping);
	estat_dev_t device = device_of(mapping, typed);
	struct thread *t = device ? threads_make() : threads_here();

	if (!t)
		return device ? missed() : 0;
	if (in_progress(&t->fault) && t->fault.mapping == address && t->fault.first == index)
		return 0;
	t->fault.entered = 0;
	if (!device)
		return 0;
	begin(&t->fault, address, device, index, index);
	return 0;
}

static __always_inline int fault_ends(struct thread *t, enum by by, bool failed)
{
	struct access *access = &t->fault;
	enum result result = access->major ? result_miss : result_of(access);

	access->added = access->major;
	count(access, by, result, PAGE_SIZE, 1, failed);
	if (!failed)
		count_ahead_used(access->device, clear_ahead(t, access->mapping, access->first, 1));
	access->entered = 0;
	return 0;
}

ESTAT_RUN(ESTAT_ENTRY(page_cache_map, filemap_map_pages, 1), fault_begins(call, typed))

ESTAT_EXIT(page_cache_map_end, filemap_map_pages, 0)
{
	struct thread *t = threads_here();

	if (!t || !in_progress(&t->fault) || !(call->ret & VM_FAULT_NOPAGE))
		return 0;
	return fault_ends(t, by_map, false);
}

ESTAT_RUN(ESTAT_ENTRY(page_cache_fault, filemap_fault, 1), fault_begins(call, typed))

ESTAT_EXIT(page_cache_fault_end, filemap_fault, 0)
{
	struct thread *t = threads_here();

	if (!t || !in_progress(&t->fault))
		return 0;
	if (call->ret & VM_FAULT_MAJOR)
		t->fault.major = 1;
	if (call->ret & VM_FAULT_RETRY)
		return 0;
	return fault_ends(t, by_fault, call->ret & VM_FAULT_ERROR);
}

ESTAT_OPTIONAL("dirtied pages", __folio_mark_dirty, __set_page_dirty);

static __always_inline int dirtied(const struct estat_call *call, bool typed)
{
	struct folio *folio = (struct folio *)call->arg[0];
	struct address_space *mapping = (struct address_space *)call->arg[1];
	struct pages *v;

	if (!mapping_of(folio, typed)) /* it was truncated */
		return 0;
	v = pages_of_mapping(mapping, typed);
	if (v)
		estat_add(v->dirtied, pages_of(folio, typed));
	return 0;
}

ESTAT_RUN(ESTAT_ENTRY(page_cache_dirty, __folio_mark_dirty, 2), dirtied(call, typed))
ESTAT_RUN(ESTAT_ENTRY(page_cache_dirty_old, __set_page_dirty, 2), dirtied(call, typed))

ESTAT_OPTIONAL("pages written back", __folio_end_writeback, test_clear_page_writeback);

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

ESTAT_RUN(ESTAT_ENTRY(page_cache_write, __folio_end_writeback, 1), written(call, typed))
ESTAT_RUN(ESTAT_ENTRY(page_cache_write_old, test_clear_page_writeback, 1), written(call, typed))
