// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * io DEVICE SECONDS DEPTH KIB: random direct reads and writes of 4 KiB, DEPTH at a time, from one
 * CPU. After each I/O the program touches KIB KiB of memory, as other work would: then the next I/O
 * finds the CPU's caches cold.
 */
#include <err.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#define BLOCK 4096
#define LINE  64 /* bytes of a cache line */
#define MAX   1024

static int fd;
static off_t blocks; /* number of blocks of 4 KiB on the device */
static aio_context_t queue;
static struct iocb requests[MAX];

static void submit(struct iocb *request)
{
	request->aio_lio_opcode = random() % 2 ? IOCB_CMD_PREAD : IOCB_CMD_PWRITE;
	request->aio_offset = random() % blocks * BLOCK;
	if (syscall(SYS_io_submit, queue, 1, &request) != 1)
		err(1, "io_submit");
}

static void begin(int depth)
{
	char *buffers;

	if (posix_memalign((void **)&buffers, BLOCK, (size_t)depth * BLOCK))
		errx(1, "no memory");
	if (syscall(SYS_io_setup, depth, &queue))
		err(1, "io_setup");
	for (int i = 0; i < depth; i++) {
		requests[i].aio_fildes = fd;
		requests[i].aio_buf = (uintptr_t)buffers + (size_t)i * BLOCK;
		requests[i].aio_nbytes = BLOCK;
		submit(&requests[i]);
	}
}

static void touch(volatile char *memory, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += LINE)
		memory[i]++;
}

static void stay_on_one_cpu(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		err(1, "sched_setaffinity");
}

static void stop(int signal)
{
	(void)signal;
	_exit(0);
}

int main(int argc, char **argv)
{
	int depth = argc == 5 ? atoi(argv[3]) : 0;
	size_t bytes = argc == 5 ? strtoul(argv[4], NULL, 10) << 10 : 0;
	char *memory = calloc(1, bytes + 1);
	double seconds = argc == 5 ? strtod(argv[2], NULL) : 0;
	struct itimerval time = { .it_value = { .tv_sec = seconds,
						.tv_usec = (seconds - (time_t)seconds) * 1e6 } };
	struct io_event event;

	if (depth < 1 || depth > MAX || !memory)
		errx(1, "usage: io DEVICE SECONDS DEPTH KIB");
	fd = open(argv[1], O_RDWR | O_DIRECT);
	blocks = fd < 0 ? -1 : lseek(fd, 0, SEEK_END) / BLOCK;
	if (blocks < 1)
		err(1, "%s", argv[1]);
	stay_on_one_cpu();
	begin(depth);
	signal(SIGALRM, stop);
	if (setitimer(ITIMER_REAL, &time, NULL))
		err(1, "setitimer");
	for (;;) {
		if (syscall(SYS_io_getevents, queue, 1, 1, &event, NULL) != 1)
			err(1, "io_getevents");
		if (event.res != BLOCK)
			errx(1, "an I/O failed");
		touch(memory, bytes);
		submit((struct iocb *)(uintptr_t)event.obj);
	}
}
