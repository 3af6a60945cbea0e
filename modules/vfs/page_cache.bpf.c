// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * page_cache: reads of files through the page cache, and faults of mapped files: were the pages in
 * the cache? One operation is a call of filemap_read (read(2) and similar; since Linux 6.5 also
 * filemap_splice_read), or a fault that filemap_map_pages or filemap_fault handles.
 *
 * A requested page was missing if the thread itself adds the page to the cache during the operation
 * (tracepoint mm_filemap_add_to_page_cache). Pages that the thread adds beyond the requested range
 * are readahead. A page of readahead counts as used at the end of a read or fault that got the
 * page.
 */
#include "aggregate.bpf.h"

/*
 * There is room for at least so many names of file systems without a disk. BPF programs note names
 * in interrupts, too, so the memory of all names must be allocated at load. The kernel does so if
 * the map's flags are 0.
 */
#define ESTAT_NAMES       200
#define ESTAT_NAMES_FLAGS 0

#include "access.bpf.h"
#include "ahead.bpf.h"
#include "mounted.bpf.h"
#include "page.bpf.h"

ESTAT_MODULE(page_cache, 16);
ESTAT_ON_DEMAND;
ESTAT_EVIDENCE("/proc/vmstat", "^nr_dirtied ");
/* Before Linux 6.5 a splice calls generic_file_splice_read, which calls filemap_read. */
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

/*
 * The function that ended the operation. It is an axis of the key, so that only one BPF program
 * writes the values of a key.
 */
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
	"cache, but the thread slept, as a rule until a page was read or unlocked, or io_uring\n"
	"issued the read again. hit: any other operation. Bytes are the bytes read; of a fault,\n"
	"the bytes of one page. A read that io_uring issues again when the page is there counts\n"
	"once, from the first issue. Reads of 0 bytes at the end of a file do not count, nor do\n"
	"reads that may not wait (RWF_NOWAIT) and would have to. device is the mounted disk or\n"
	"partition, or the mounted source (server:/export); for a read of a block device itself,\n"
	"device is that block device. Not counted: accesses to pages that are already mapped;\n"
	"file systems without writeback (tmpfs); reads (but not faults) in file systems with a\n"
	"cache of their own (ZFS); a file system's own reads. Linux 5.15 to 7.3");
ESTAT_LAYER(page_cache, 300, "vfs if op=read");

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
		"Number of pages removed from the cache for other reasons, such as a deleted or\n"
		"truncated file, an unmount, or a request (posix_fadvise(2), vm.drop_caches)");
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
	"__set_page_dirty and test_clear_page_writeback). added counts pages that are read, pages\n"
	"that are written to, and metadata. read_ahead less read_ahead_used is readahead that was\n"
	"of no use so far. For mapped files this difference is too high: a fault also maps pages\n"
	"around the one it is for, and the module cannot see accesses to these. The module\n"
	"remembers unused readahead in at most the latest 32,768 pieces of files, of 64 pages\n"
	"each, and in fewer on a host with hundreds of CPUs. The use of readahead in older pieces\n"
	"is not seen");

/*
 * To each member except read_ahead_used only one BPF program adds. Several BPF programs add to
 * read_ahead_used, atomically.
 */
ESTAT_ONE_WRITER(pages);

ESTAT_OPTIONAL("unmounts of file systems", shrink_dcache_for_umount);

/*
 * A file system is unmounted. If the file system has no disk, have the agent remove the keys with
 * the file system's device number, because another file system can get this number.
 */
ESTAT_ENTRY(page_cache_unmounted, shrink_dcache_for_umount, 1)
{
	struct super_block *sb = (struct super_block *)call->arg[0];

	estat_name_gone(ESTAT_READ(sb, s_dev));
	return 0;
}

/* The values of a mapping's device; NULL: the mapping's pages do not count, or no slot is free. */
static __always_inline struct pages *pages_of_mapping(struct address_space *mapping, bool typed)
{
	struct pages_key key = { .device = device_of(mapping, typed) };

	if (!key.device)
		return NULL;
	return ESTAT_GET_NAMED(pages, &key,
			       estat_name_mounted(key.device, BPF_CORE_READ(mapping, host, i_sb)));
}

/* How many of the n pages from `first` on are requested by the operation. */
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

/*
 * The thread has added n pages of a file to the cache, from page number `first` on. Count the
 * requested ones in the thread's access, remember the others as readahead. Returns how many are
 * readahead. Returns 0, and remembers nothing, if the thread has no read or fault of the file under
 * way.
 */
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
		clear_ahead(NULL, mapping, first > access->first ? first : access->first,
			    requested);
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
	address = estat_id(mapping);
	t = threads_here();
	ahead = t ? pages_ahead(t, address, index, n) : 0;
	if (ahead)
		estat_add(v->read_ahead, ahead);
	else
		clear_ahead(NULL, address, index, n);
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

/*
 * Count n used readahead pages of a device. The addition is atomic, because several BPF programs
 * call this function.
 */
static __noinline int count_ahead_used(__u32 device, __u64 n)
{
	struct pages_key key = { .device = device };
	struct pages *v = n ? pages_find(&key) : NULL;

	if (v)
		estat_counter_add(&v->read_ahead_used, n, true);
	return 0;
}

/* The access has used its first n pages: count those of them that were read ahead. */
static __always_inline void use(struct thread *t, const struct access *access, __u64 n)
{
	clear_ahead(&t->used, access->mapping, access->first, n);
	count_ahead_used(access->device, t->used);
}

/*
 * This thread's struct thread, for an access to pages of `device`. If the thread has none, a struct
 * of zeros is made; but if `device` is 0, the access does not count, and none is made. NULL: the
 * thread has no struct then, or the look-up failed.
 */
static __always_inline struct thread *thread_for(estat_dev_t device)
{
	return device ? threads_make() : threads_here();
}

static __always_inline int count(const struct access *access, enum by by, enum result result,
				 __u64 bytes, __u64 pages, bool failed)
{
	__u64 ns = bpf_ktime_get_ns() - access->began, misses = access->added;
	enum op op = by == by_read || by == by_splice ? op_read : op_fault;
	struct key key = { access->device, op, result, by };
	struct address_space *mapping = (struct address_space *)access->mapping;
	struct value *v = ESTAT_GET_NAMED(
		ask, &key, estat_name_mounted(key.device, BPF_CORE_READ(mapping, host, i_sb)));

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

/*
 * A read of a file begins: `bytes` bytes from `position` on. Direct I/O has already read `done`
 * bytes before `position`.
 */
static __always_inline int read_begins(struct file *file, __u64 iocb, __u64 position, __u64 bytes,
				       __u64 done, bool typed)
{
	struct address_space *mapping = ESTAT_READ(file, f_mapping);
	estat_dev_t device = bytes ? device_of(mapping, typed) : 0;
	struct thread *t = thread_for(device);

	if (!t)
		return 0;
	/* the previous read ended unseen, or the new read is inside the previous one */
	if (in_progress(&t->read))
		estat_count_missed();
	t->read.began = 0;
	if (!device)
		return 0;
	t->read.iocb = iocb;
	t->read.position = position;
	t->read.done = done;
	begin(&t->read, estat_id(mapping), device, position >> PAGE_SHIFT,
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
			use(t, &t->read, last - t->read.first + 1);
	}
	t->read.began = 0;
	return 0;
}

ESTAT_ENTRY(page_cache_read, filemap_read, 3)
{
	struct kiocb *iocb = (struct kiocb *)call->arg[0];
	struct iov_iter *iter = (struct iov_iter *)call->arg[1];
	struct file *file = ESTAT_READ(iocb, ki_filp);

	return read_begins(file, ESTAT_READ(iocb, ki_complete) ? estat_id(iocb) : 0,
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

/* From enum vm_fault_reason in include/linux/mm_types.h; equal in Linux 5.15 and 7.3. */
#define VM_FAULT_ERROR  (0x1 | 0x2 | 0x10 | 0x20 | 0x40 | 0x800)
#define VM_FAULT_MAJOR  0x4
#define VM_FAULT_NOPAGE 0x100
#define VM_FAULT_RETRY  0x400

/*
 * At a fault of a read access the kernel calls filemap_map_pages, which maps cached pages around
 * the faulting address. If the page at that address is not mapped then, or at a fault of a write
 * access, the kernel calls filemap_fault for that page. If filemap_fault returns VM_FAULT_RETRY,
 * the kernel handles the fault once more, by the same functions. All calls for a fault are one
 * operation.
 */
static __always_inline int fault_begins(const struct estat_call *call, bool typed)
{
	struct vm_fault *vmf = (struct vm_fault *)call->arg[0];
	struct vm_area_struct *vma = ESTAT_READ(vmf, vma);
	struct file *file = ESTAT_READ(vma, vm_file);
	struct address_space *mapping = ESTAT_READ(file, f_mapping);
	__u64 index = ESTAT_READ(vmf, pgoff), address = estat_id(mapping);
	estat_dev_t device = device_of(mapping, typed);
	struct thread *t = thread_for(device);

	if (!t)
		return 0;
	if (in_progress(&t->fault) && t->fault.mapping == address && t->fault.first == index)
		return 0;
	t->fault.began = 0;
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
		use(t, access, 1);
	access->began = 0;
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

	if (!mapping_of(folio, typed)) /* the folio was truncated */
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
