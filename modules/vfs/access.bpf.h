/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The read and the fault that a thread has under way, and reads that io_uring will issue again. */
#ifndef ESTAT_MODULES_VFS_ACCESS_H
#define ESTAT_MODULES_VFS_ACCESS_H

#include "page.bpf.h"
#include "probe.bpf.h"
#include "sys/uring_types.bpf.h"
#include "thread.bpf.h"

/* A read or fault under way. */
struct access {
	__u64 began; /* when the access's first call was entered; 0: no access is under way */
	__u64 mapping, first, last; /* requested pages: numbers `first` to `last` of a mapping */
	__u64 iocb;     /* of a read: address of its kiocb; 0: the read is synchronous */
	__u64 position; /* of a read: where in the file the latest call begins to read */
	__u64 done;     /* of a read: bytes that direct I/O read before the read's latest call */
	/* slept(), noted at the entry of a read's latest call, or of a fault's first call */
	__u64 slept;
	estat_dev_t device;
	__u32 added;  /* how many of the requested pages the thread added to the cache */
	bool major;   /* of a fault: the page was not in the cache */
	bool retried; /* of a read: io_uring has issued the read before */
};

struct thread {
	struct access read;
	struct access fault; /* a fault can be inside a read that copies to mapped memory */
	/* number of readahead pages that the latest access was the first to use; see use() */
	__u64 used;
};

ESTAT_PER_THREAD(threads, struct thread);

/* How often the current thread has gone to sleep. */
static __always_inline __u64 slept(void)
{
	return current_task()->nvcsw;
}

static __always_inline bool in_progress(const struct access *access)
{
	return estat_since_attach(access->began);
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
	access->began = bpf_ktime_get_ns();
}

/*
 * The key of a read that io_uring will issue again. io_uring first issues a read so that the read
 * does not wait. If a page is missing or still being read, filemap_read returns -EAGAIN or
 * -EIOCBQUEUED. io_uring then issues the read again, perhaps in another thread, with the same kiocb
 * and position. All these issues are one operation.
 */
struct retry_key {
	__u64 iocb;
	__u64 position;
};

struct retry {
	__u64 began;
	__u64 added;
};

ESTAT_HASH_MAP(retries, LRU_HASH, struct retry_key, struct retry, 4096);

static __always_inline struct retry_key retry_key_of(const struct access *access)
{
	return (struct retry_key){ access->iocb, access->position };
}

ESTAT_ADDRESS(aio_complete_rw);
ESTAT_ADDRESS(io_complete_rw);

/*
 * Does a read with a kiocb end if it returns -EAGAIN? A read by aio ends. A read by io_uring ends
 * if the request must not wait (REQ_F_NOWAIT); else io_uring issues the read again. Any other read
 * counts as not ended.
 */
static __always_inline bool ends_with_eagain(__u64 iocb)
{
	struct kiocb *kiocb = (struct kiocb *)iocb;
	struct io_kiocb *req = (struct io_kiocb *)iocb;
	__u64 completes = (__u64)BPF_CORE_READ(kiocb, ki_complete);

	if (!bpf_core_type_exists(struct io_kiocb) || completes != estat_address_io_complete_rw)
		return completes == estat_address_aio_complete_rw;
	return BPF_CORE_READ(req, flags) & REQ_F_NOWAIT;
}

/*
 * If io_uring issued the read before, go on with the operation that the first issue began: restore
 * its begin and its misses.
 */
static __noinline int resume_read(struct access *access)
{
	struct retry_key key = retry_key_of(access);
	struct retry *a = bpf_map_lookup_elem(&retries, &key);

	if (!a || !estat_since_attach(a->began))
		return 0;
	access->began = a->began;
	access->added = a->added;
	access->retried = true;
	bpf_map_delete_elem(&retries, &key);
	return 0;
}

/* Keep the begin and the misses of a read that returns, because io_uring will issue it again. */
static __noinline int keep_for_retry(const struct access *access)
{
	struct retry_key key = retry_key_of(access);
	struct retry a = { .began = access->began, .added = access->added };

	bpf_map_update_elem(&retries, &key, &a, BPF_ANY);
	return 0;
}

/*
 * If a process is killed or a request cancelled, io_uring abandons a read that it would have issued
 * again (io_req_task_submit, io_req_task_queue_fail in io_uring/io_uring.c). Such a read does not
 * count. Linux 6.1 and newer call io_rw_fail for such a read. Linux 5.15 calls
 * io_req_complete_post, which runs for ended requests and for other requests than reads, too.
 */
ESTAT_OPTIONAL("notice of reads that io_uring abandons", io_rw_fail, io_req_complete_post);

/*
 * Forget a read that io_uring abandons. The io_kiocb of a read begins with the kiocb (struct io_rw
 * in io_uring/rw.c), so both have the same address.
 */
static __always_inline int give_up(struct io_kiocb *req, bool typed)
{
	struct kiocb *kiocb = (struct kiocb *)req;
	struct retry_key key = { .iocb = estat_id(req) };

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

#endif /* ESTAT_MODULES_VFS_ACCESS_H */
