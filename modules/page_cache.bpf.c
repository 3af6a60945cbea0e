// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * page_cache: reads of files that go through the page cache, and faults of mapped ones: were the
 * pages there? One operation is a call of filemap_read (read(2) and its kin; since Linux 6.5
 * filemap_splice_read, too), or a fault that filemap_map_pages or filemap_fault serves.
 *
 * Which pages were not there is not guessed: those that the thread itself adds to the cache while
 * it reads (tracepoint mm_filemap_add_to_page_cache), in the range that it was asked for. What it
 * adds beyond is read ahead.
 */
#include "page.h"
#include "thread.h"

ESTAT_MODULE(page_cache, 16);
ESTAT_ON_DEMAND;
ESTAT_OPTIONAL(filemap_read, "reads");
ESTAT_OPTIONAL(filemap_splice_read, "splice(2) of its own"); /* since 6.5; before by filemap_read */
ESTAT_OPTIONAL(filemap_fault, "faults");
ESTAT_OPTIONAL(filemap_map_pages, "faults that are hits");

enum op {
	op_read,
	op_fault,
};

enum result {
	result_hit,
	result_wait,
	result_miss,
};

struct key {
	estat_dev_t device;
	enum op op;
	enum result result;
};

struct value {
	struct estat_io;
	estat_count_t
		hits ESTAT_FIELD(17, "Number of pages asked for that were there, or on their way");
	estat_count_t misses ESTAT_FIELD(
		18, "Number of pages asked for that were not there, and were brought in");
};

ESTAT_SERIES(page_cache, 0, struct key, struct value, 200, "to be said");
ESTAT_LAYER(page_cache, 300);

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
		20, "Number of pages removed from it otherwise: their file was deleted or cut,\n"
		    "or they were dropped by request");
	estat_count_t dirtied ESTAT_FIELD(21, "Number of pages that became dirty");
	estat_count_t written ESTAT_FIELD(22, "Number of pages that were written back");
};

ESTAT_SERIES(pages, 1, struct pages_key, struct pages, 64, "to be said");

/* A read or a fault that is under way. */
struct asked {
	__u64 entered;              /* 0: none is */
	__u64 mapping, first, last; /* pages of whom, which */
	__u64 position;             /* a read's: of its first byte */
	__u64 done;                 /* and how many it had read before */
	__u64 slept;                /* how often the thread had when it began */
	estat_dev_t device;
	__u32 added; /* how many of those pages it has added */
	bool major;  /* a fault's: its page was not there */
};

struct thread {
	struct asked read;
	struct asked fault; /* it may be one in a read, which copies to mapped memory */
};

ESTAT_PER_THREAD(threads, struct thread);

static __always_inline int missed(void)
{
	__sync_fetch_and_add(&page_cache_state.missed, 1);
	return 0;
}

static __always_inline struct pages *pages_on(estat_dev_t device)
{
	struct pages_key key = { .device = device };

	return device ? pages_get(&key) : NULL;
}

static __always_inline __u64 slept(void)
{
	return bpf_get_current_task_btf()->nvcsw;
}

/* How many of n pages from the first on has this thread asked for? */
static __always_inline __u64 asked_for(struct asked *asked, __u64 mapping, __u64 first, __u64 n)
{
	__u64 end = first + n;

	if (!asked->entered || asked->mapping != mapping)
		return 0;
	if (first < asked->first)
		first = asked->first;
	if (end > asked->last + 1)
		end = asked->last + 1;
	return end > first ? end - first : 0;
}

SEC("tp_btf/mm_filemap_add_to_page_cache")
int page_cache_add(__u64 *ctx)
{
	struct folio *folio = (struct folio *)ctx[0];
	struct address_space *mapping = mapping_of(folio, true);
	struct pages *v = pages_on(device_of(mapping, true));
	__u64 n = pages_of(folio, true), index = index_of(folio, true), asked, whose;
	struct thread *t;

	if (!v)
		return 0;
	estat_add(v->added, n);
	t = threads_here();
	if (!t)
		return 0;
	whose = number_of(mapping);
	asked = asked_for(&t->fault, whose, index, n);
	t->fault.added += asked;
	if (!asked) {
		asked = asked_for(&t->read, whose, index, n);
		t->read.added += asked;
	}
	if (n > asked && ((t->fault.entered && t->fault.mapping == whose) ||
			  (t->read.entered && t->read.mapping == whose)))
		estat_add(v->read_ahead, n - asked);
	return 0;
}

SEC("tp_btf/mm_filemap_delete_from_page_cache")
int page_cache_delete(__u64 *ctx)
{
	struct folio *folio = (struct folio *)ctx[0];
	struct pages *v = pages_on(device_of(mapping_of(folio, true), true));
	__u64 n = pages_of(folio, true);

	if (!v)
		return 0;
	if (bpf_get_current_task_btf()->reclaim_state)
		estat_add(v->evicted, n);
	else
		estat_add(v->removed, n);
	return 0;
}

static __always_inline int count(const struct asked *asked, enum op op, enum result result,
				 __u64 bytes, __u64 pages, bool failed)
{
	__u64 ns = bpf_ktime_get_ns() - asked->entered, misses = asked->added;
	struct key key = {
		.device = asked->device,
		.op = op,
		.result = result,
	};
	struct value *v = page_cache_get(&key);

	if (!v)
		return 0;
	page_cache_count_io((struct estat_io *)v, &key, ns, bytes, failed);
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
	return slept() != asked->slept ? result_wait : result_hit;
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
	asked->slept = slept();
	asked->entered = bpf_ktime_get_ns();
}

/* It reads bytes of a file from a position on, and has read some already. */
static __always_inline int read_begins(struct file *file, __u64 position, __u64 bytes, __u64 done,
				       bool typed)
{
	struct address_space *mapping = ESTAT_READ(file, f_mapping);
	estat_dev_t device = device_of(mapping, typed);
	struct thread *t;

	if (!bytes || !device)
		return 0;
	t = threads_make();
	if (!t)
		return missed();
	if (t->read.entered) /* and its end was not seen */
		missed();
	t->read.position = position;
	t->read.done = done;
	begin(&t->read, number_of(mapping), device, position >> PAGE_SHIFT,
	      (position + bytes - 1) >> PAGE_SHIFT);
	return 0;
}

/* Not that it has failed, but it is to be tried again: io_uring does so. */
#define EIOCBQUEUED 529

static __always_inline int read_ends(__s64 ret)
{
	struct thread *t = threads_here();
	__u64 bytes, last;

	if (!t || !t->read.entered)
		return 0;
	bytes = ret - t->read.done;
	last = (t->read.position + bytes - 1) >> PAGE_SHIFT;
	if (ret < 0 ? ret != -EAGAIN && ret != -EIOCBQUEUED : bytes)
		count(&t->read, op_read, result_of(&t->read), bytes, last - t->read.first + 1,
		      ret < 0);
	t->read.entered = 0;
	return 0;
}

ESTAT_ENTRY(page_cache_read, filemap_read, 3)
{
	struct kiocb *iocb = (struct kiocb *)call->arg[0];
	struct iov_iter *iter = (struct iov_iter *)call->arg[1];
	struct file *file = ESTAT_READ(iocb, ki_filp);

	return read_begins(file, ESTAT_READ(iocb, ki_pos), ESTAT_READ(iter, count), call->arg[2],
			   typed);
}

ESTAT_EXIT(page_cache_read_end, filemap_read)
{
	return read_ends(call->ret);
}

ESTAT_ENTRY(page_cache_splice, filemap_splice_read, 4)
{
	struct file *file = (struct file *)call->arg[0];
	__u64 position = 0;

	bpf_probe_read_kernel(&position, sizeof(position), (void *)call->arg[1]);
	return read_begins(file, position, call->arg[3], 0, typed);
}

ESTAT_EXIT(page_cache_splice_end, filemap_splice_read)
{
	return read_ends(call->ret);
}

/*
 * include/linux/mm_types.h, enum vm_fault_reason: as they are since 4.20
 */
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
	__u64 index = ESTAT_READ(vmf, pgoff), whose = number_of(mapping);
	estat_dev_t device = device_of(mapping, typed);
	struct thread *t;

	if (!device)
		return 0;
	t = threads_make();
	if (!t)
		return missed();
	if (t->fault.entered && t->fault.mapping == whose && t->fault.first == index)
		return 0;
	begin(&t->fault, whose, device, index, index);
	return 0;
}

static __always_inline int fault_ends(struct asked *asked, bool failed)
{
	enum result result = asked->major ? result_miss : result_of(asked);

	asked->added = asked->major;
	count(asked, op_fault, result, PAGE_SIZE, 1, failed);
	asked->entered = 0;
	return 0;
}

ESTAT_ENTRY(page_cache_map, filemap_map_pages, 1)
{
	return fault_begins(call, typed);
}

ESTAT_EXIT(page_cache_map_end, filemap_map_pages)
{
	struct thread *t = threads_here();

	if (!t || !t->fault.entered || !(call->ret & VM_FAULT_NOPAGE))
		return 0;
	return fault_ends(&t->fault, false);
}

ESTAT_ENTRY(page_cache_fault, filemap_fault, 1)
{
	return fault_begins(call, typed);
}

ESTAT_EXIT(page_cache_fault_end, filemap_fault)
{
	struct thread *t = threads_here();

	if (!t || !t->fault.entered)
		return 0;
	if (call->ret & VM_FAULT_MAJOR)
		t->fault.major = 1;
	if (call->ret & VM_FAULT_RETRY)
		return 0;
	return fault_ends(&t->fault, call->ret & VM_FAULT_ERROR);
}

ESTAT_EITHER_OR(__folio_mark_dirty, __set_page_dirty, "pages that become dirty");

static __always_inline int dirtied(const struct estat_call *call, bool typed)
{
	struct folio *folio = (struct folio *)call->arg[0];
	struct address_space *mapping = (struct address_space *)call->arg[1];
	struct pages *v = pages_on(device_of(mapping, typed));

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
	v = pages_on(device_of(mapping, typed));
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
