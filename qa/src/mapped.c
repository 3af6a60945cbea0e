// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mapped FILE: a thread whose write(2) fails, because its buffer is not mapped; then
 * the thread writes a page of the mapped file, which must have 4 KiB, and waits until
 * the page is on disk.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

int main(int argc, char **argv)
{
	const void *nowhere = (const void *)PAGE;
	int fd = argc == 2 ? open(argv[1], O_RDWR) : -1;
	char *page;

	if (fd < 0)
		fail("mapped FILE");
	if (write(fd, nowhere, PAGE) >= 0 || errno != EFAULT)
		fail("write of nothing");
	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		fail("mmap");
	page[0]++;
	if (msync(page, PAGE, MS_SYNC))
		fail("msync");
	return 0;
}
