// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * asks HOW FILE PAGES STRIDE: access the first PAGES of every STRIDE pages of a file. HOW is read
 * (pread(2)), splice (sendfile(2)) or map (mmap(2)). Prints how many of the accessed pages were in
 * memory before (mincore(2)) and, for map, the page faults of the accesses.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

static int fd, null;
static char *map, *buffer;
static size_t pages, page_size;

static void ask_by_read(size_t page, size_t n)
{
	if (pread(fd, buffer, n * page_size, page * page_size) < 0)
		err(1, "pread");
}

static void ask_by_splice(size_t page, size_t n)
{
	off_t offset = page * page_size;

	if (sendfile(null, fd, &offset, n * page_size) < 0)
		err(1, "sendfile");
}

static void ask_by_map(size_t page, size_t n)
{
	for (; n; n--, page++)
		(void)*(volatile char *)(map + page * page_size);
}

static size_t count_resident(size_t n, size_t stride)
{
	unsigned char *resident = malloc(pages);
	size_t found = 0;

	if (!resident || mincore(map, pages * page_size, resident))
		err(1, "mincore");
	for (size_t page = 0; page + n <= pages; page += stride)
		for (size_t i = 0; i < n; i++)
			found += resident[page + i] & 1;
	free(resident);
	return found;
}

int main(int argc, char **argv)
{
	void (*ask)(size_t, size_t) = ask_by_read;
	size_t n = argc == 5 ? atoi(argv[3]) : 0, stride = n ? atoi(argv[4]) : 0;
	size_t asked = 0, resident;
	struct rusage before, after;
	struct stat st;

	if (!n || n > 256 || stride < n) {
		fprintf(stderr, "usage: asks read|splice|map FILE PAGES STRIDE\n");
		return 1;
	}
	if (!strcmp(argv[1], "splice"))
		ask = ask_by_splice;
	else if (!strcmp(argv[1], "map"))
		ask = ask_by_map;
	fd = open(argv[2], O_RDONLY);
	null = open("/dev/null", O_WRONLY);
	page_size = sysconf(_SC_PAGESIZE);
	buffer = malloc(n * page_size);
	if (fd < 0 || null < 0 || !buffer || fstat(fd, &st))
		err(1, "%s", argv[2]);
	pages = (st.st_size + page_size - 1) / page_size;
	map = mmap(NULL, pages * page_size, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED || madvise(map, pages * page_size, MADV_RANDOM))
		err(1, "mmap");
	resident = count_resident(n, stride);
	/* loads getrusage()'s code into memory; the result is not used */
	getrusage(RUSAGE_SELF, &after);
	getrusage(RUSAGE_SELF, &before);
	for (size_t page = 0; page + n <= pages; page += stride, asked += n)
		ask(page, n);
	getrusage(RUSAGE_SELF, &after);
	printf("resident %zu of %zu", resident, asked);
	if (ask == ask_by_map)
		printf(", faults major %ld minor %ld", after.ru_majflt - before.ru_majflt,
		       after.ru_minflt - before.ru_minflt);
	printf("\n");
	return 0;
}
