// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Touch memory, and print how many minor and how many major faults the kernel counted meanwhile.
 *
 * usage: faults anonymous|file PAGES [FILE]
 *
 * anonymous writes to each page of new memory, and then reads each page. file reads the first PAGES
 * pages of FILE, which must not be in the page cache; the kernel does not read ahead (MADV_RANDOM).
 * Meanwhile the process has the name `faulter`.
 */
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

static unsigned long page;
static volatile unsigned long sum; /* volatile: else the compiler could leave out the reads */

static void *map(unsigned long pages, int fd)
{
	int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
	void *p =
		mmap(NULL, pages * page, fd < 0 ? PROT_READ | PROT_WRITE : PROT_READ, flags, fd, 0);

	if (p == MAP_FAILED)
		error(1, errno, "mmap");
	if (madvise(p, pages * page, fd < 0 ? MADV_NOHUGEPAGE : MADV_RANDOM) && fd >= 0)
		error(1, errno, "madvise");
	return p;
}

/*
 * If `writes`, write a number to each page, because since Linux 6.12 a page of zeros is not written
 * to swap. Then read each page.
 */
static void touch(char *p, unsigned long pages, int writes)
{
	for (unsigned long i = 0; writes && i < pages; i++)
		*(unsigned long *)(p + i * page) = i + 1;
	for (unsigned long i = 0; i < pages; i++)
		sum += *(unsigned long *)(p + i * page);
}

int main(int argc, char **argv)
{
	struct rusage before, after;
	unsigned long pages;
	char *memory;
	int fd = -1;

	if (argc < 3)
		error(2, 0, "usage: faults anonymous|file PAGES [FILE]");
	page = sysconf(_SC_PAGESIZE);
	pages = strtoul(argv[2], NULL, 10);
	if (argc > 3) {
		fd = open(argv[3], O_RDONLY);
		if (fd < 0)
			error(1, errno, "%s", argv[3]);
	}
	memory = map(pages, fd);
	/* loads getrusage()'s code into memory; the result is not used */
	getrusage(RUSAGE_SELF, &after);
	prctl(PR_SET_NAME, "faulter");
	getrusage(RUSAGE_SELF, &before);
	touch(memory, pages, fd < 0);
	getrusage(RUSAGE_SELF, &after);
	prctl(PR_SET_NAME, "faults");
	printf("minor %ld\nmajor %ld\n", after.ru_minflt - before.ru_minflt,
	       after.ru_majflt - before.ru_majflt);
	return 0;
}
