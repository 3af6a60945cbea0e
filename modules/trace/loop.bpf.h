/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loop devices. A thread of the kernel does the I/O of a loop device's bio in the file below the
 * device, and the span of the bio is found by the file and the bytes:
 *
 *	direct I/O		the kiocb of the thread's bio has the file and the position
 *	buffered read		the bio's first page is a page of the file
 *	flush			the thread calls fsync of the file
 *
 * A buffered write of the loop device ends when its data is in the page cache of the file; how that
 * data comes to the disk is not followed.
 */
#ifndef ESTAT_MODULES_TRACE_LOOP_H
#define ESTAT_MODULES_TRACE_LOOP_H

#include "journey.bpf.h"
#include "segment.bpf.h"

#define LOOP_MAJOR 7 /* of loop devices, from include/uapi/linux/major.h */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct gendisk___data {
	void *private_data; /* of a loop device, the struct loop_device */
};

/* declared in drivers/block/loop.c */
struct loop_device {
	long long lo_offset; /* the byte of the file at which the device begins */
	struct file *lo_backing_file;
};

struct loop_cmd {
	struct kiocb iocb;
};

struct request___length {
	__u32 __data_len;
};

/* declared in block/fops.c: the owner of the bios of direct I/O of a block device */
struct blkdev_dio {
	struct bio bio;
};
#pragma clang attribute pop

__u64 looping; /* number of spans of bios of loop devices */

/*
 * Are the types of the kernel module loop known? If not, the verifier would refuse BPF programs
 * that read members of these types.
 */
#define LOOP_KNOWN bpf_core_type_exists(struct loop_device)

/* Span `i` is of a bio of a loop device, and begins: note the file in the span. */
__noinline int loop_begins(__u64 i)
{
	struct span *s = span_at(i);
	struct bio *bio = (struct bio *)s->bio;
	struct gendisk___data *disk = (void *)BPF_CORE_READ(bio, bi_bdev, bd_disk);
	struct loop_device *lo = BPF_CORE_READ(disk, private_data);
	struct file *file;

	if (!LOOP_KNOWN)
		return 0;
	file = BPF_CORE_READ(lo, lo_backing_file);
	s->loop.file = estat_id(file);
	s->loop.inode = estat_id(BPF_CORE_READ(file, f_mapping, host));
	s->loop.offset = BPF_CORE_READ(lo, lo_offset);
	__sync_fetch_and_add(&looping, 1);
	return 0;
}

static __always_inline __u64 byte_below(const struct span *s, __u64 sector)
{
	return (sector << 9) + s->loop.offset;
}

/*
 * The span of a loop device's bio that has some of the bytes `begin` to `end` - 1 of the file below
 * the device, or NONE. `object`: the address of the struct file or of the inode.
 */
FIND_SPAN(span_of_loop, PROTO(__u64 object, __u64 begin, __u64 end), ARGS(object, begin, end),
	  (s->loop.file == object || s->loop.inode == object) && s->began &&
		  begin < byte_below(s, s->end) && end > byte_below(s, s->sector));

/* The span of a flush of the loop device above the struct file at address `file`, or NONE. */
FIND_SPAN(span_of_loop_flush, PROTO(__u64 file), ARGS(file),
	  s->loop.file == file && s->began && s->sector == s->end);

/*
 * Direct I/O of the file below a loop device: the span of the loop device's bio, or NONE. `kiocb`:
 * an address that may be that of the kiocb in a loop_cmd. In memory a loop_cmd follows its request.
 */
static __noinline int span_of_kiocb(__u64 kiocb)
{
	struct kiocb *iocb = (struct kiocb *)kiocb;
	__u64 file = estat_id(BPF_CORE_READ(iocb, ki_filp)), begin = BPF_CORE_READ(iocb, ki_pos);
	struct request___length *rq;

	if (!file || span_of_loop(file, begin, -1) < 0)
		return NONE;
	rq = (void *)kiocb - bpf_core_field_offset(struct loop_cmd, iocb) -
	     bpf_core_type_size(struct request);
	return span_of_loop(file, begin, begin + BPF_CORE_READ(rq, __data_len));
}

/*
 * A bio that no span's thread submits: the span of the loop device's bio whose I/O it does, or
 * NONE. For direct I/O the file system's bio has in bi_private the struct iomap_dio, and a block
 * device's bio has the struct blkdev_dio there or is in it: both begin with the kiocb's address.
 */
static __noinline int loop_above(struct bio *bio)
{
	struct segment first;
	__u64 inode, kiocb = 0, begin;
	int i;

	if (!LOOP_KNOWN || !bio->bi_iter.bi_size)
		return NONE;
	if ((bio->bi_opf & 255) == REQ_OP_READ) {
		first = segment_of((struct bio___pages *)bio, 0);
		inode = inode_of(&first);
		begin = byte_in_file(&first);
		i = inode ? span_of_loop(inode, begin, begin + bio->bi_iter.bi_size) : NONE;
		if (i >= 0)
			return i;
	}
	bpf_probe_read_kernel(&kiocb, sizeof(kiocb), bio->bi_private);
	i = span_of_kiocb(kiocb);
	if (i >= 0 || !bpf_core_type_exists(struct blkdev_dio))
		return i;
	bpf_probe_read_kernel(&kiocb, sizeof(kiocb),
			      (void *)bio - bpf_core_field_offset(struct blkdev_dio, bio));
	return span_of_kiocb(kiocb);
}

/*
 * The span of the flush of a loop device that an operation does, or NONE. The operation begins; for
 * `what` see WHAT().
 */
static __always_inline int loop_flush_of(__u64 what, __u64 object)
{
	return looping && (what & 255) == op_fsync && WHAT_IS(what) == object_file
		       ? span_of_loop_flush(object)
		       : NONE;
}

/* Is this thread in the fsync of a followed flush of a loop device? */
__noinline int loop_is_flushed(void)
{
	int i = span_of_task(bpf_get_current_task());

	return i >= 0 && span_at(i)->loop.file;
}

/* An operation of this thread ends. Returns whether the operation was a loop device's flush. */
__noinline int loop_flush_ends(void)
{
	int i = span_of_task(bpf_get_current_task());

	if (i < 0 || !span_at(i)->loop.file)
		return false;
	span_at(i)->task = 0;
	return true;
}

#endif /* ESTAT_MODULES_TRACE_LOOP_H */
