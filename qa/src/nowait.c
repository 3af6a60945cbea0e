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
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ring.h"

#define BLOCKS 64
#define BLOCK  4096
#define STRIDE (4 * BLOCK)

static int fd;
static aio_context_t context;
static char buffer[BLOCK];

static int read_by_uring(long at, int flags)
{
	struct io_uring_sqe sqe = {
		.opcode = IORING_OP_READ,
		.fd = fd,
		.off = at,
		.addr = (unsigned long)buffer,
		.len = BLOCK,
		.rw_flags = flags,
	};

	return ring_do(&sqe, 1);
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
		ring_set_up();
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
