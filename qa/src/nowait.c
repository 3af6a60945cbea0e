// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nowait uring|aio FILE: read, without waiting (RWF_NOWAIT), 64 blocks of a file that is not in
 * memory, and after two seconds read the blocks again as usual. The reads follow one another, so
 * the kernel uses a few structs of io_uring or aio again and again.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/fs.h>
#include <linux/io_uring.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BLOCKS 64
#define BLOCK  4096
#define STRIDE (4 * BLOCK)

static int fd, ring;
static struct io_uring_params params;
static char *queue;
static struct io_uring_sqe *entries;
static aio_context_t context;
static char buffer[BLOCK];

static void set_up_uring(void)
{
	ring = syscall(SYS_io_uring_setup, 1, &params);
	if (ring < 0 || !(params.features & IORING_FEAT_SINGLE_MMAP))
		err(1, "io_uring_setup");
	queue = mmap(NULL, params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe),
		     PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
	entries = mmap(NULL, params.sq_entries * sizeof(*entries), PROT_READ | PROT_WRITE,
		       MAP_SHARED, ring, IORING_OFF_SQES);
	if (queue == MAP_FAILED || entries == MAP_FAILED)
		err(1, "mmap");
}

static int read_by_uring(long at, int flags)
{
	unsigned int *tail = (unsigned int *)(queue + params.sq_off.tail);
	unsigned int *head = (unsigned int *)(queue + params.cq_off.head);
	struct io_uring_cqe *results = (struct io_uring_cqe *)(queue + params.cq_off.cqes);
	int result;

	*entries = (struct io_uring_sqe){
		.opcode = IORING_OP_READ,
		.fd = fd,
		.off = at,
		.addr = (unsigned long)buffer,
		.len = BLOCK,
		.rw_flags = flags,
	};
	((unsigned int *)(queue + params.sq_off.array))[0] = 0;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
		err(1, "io_uring_enter");
	result = results[*head & (params.cq_entries - 1)].res;
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	return result;
}

static int read_by_aio(long at, int flags)
{
	struct iocb iocb = {
		.aio_lio_opcode = IOCB_CMD_PREAD,
		.aio_fildes = fd,
		.aio_offset = at,
		.aio_buf = (unsigned long)buffer,
		.aio_nbytes = BLOCK,
		.aio_rw_flags = flags,
	}, *all = &iocb;
	struct io_event event;

	if (syscall(SYS_io_submit, context, 1, &all) != 1 ||
	    syscall(SYS_io_getevents, context, 1, 1, &event, NULL) != 1)
		err(1, "io_submit");
	return event.res;
}

int main(int argc, char **argv)
{
	bool by_uring = argc == 3 && !strcmp(argv[1], "uring");
	int again = 0, whole = 0;

	if (argc != 3) {
		fprintf(stderr, "usage: nowait uring|aio FILE\n");
		return 1;
	}
	fd = open(argv[2], O_RDONLY);
	if (fd < 0 || posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM))
		err(1, "%s", argv[2]);
	if (by_uring)
		set_up_uring();
	else if (syscall(SYS_io_setup, 1, &context))
		err(1, "io_setup");
	for (int pass = 0; pass < 2; pass++) {
		int flags = pass ? 0 : RWF_NOWAIT;

		for (long at = 0; at < BLOCKS * STRIDE; at += STRIDE) {
			int n = by_uring ? read_by_uring(at, flags) : read_by_aio(at, flags);

			again += n == -EAGAIN;
			whole += n == BLOCK;
		}
		if (!pass)
			sleep(2);
	}
	printf("%d times EAGAIN, %d blocks read\n", again, whole);
	return 0;
}
