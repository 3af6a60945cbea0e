// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mapped FILE: a thread calls write(2), which fails because the buffer is not mapped. Then the
 * thread maps the first 4 KiB of FILE, which must not be shorter, writes to this page, and waits
 * until the page is on disk.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096

int main(int argc, char **argv)
{
	const void *nowhere = (const void *)PAGE;
	int fd = argc == 2 ? open(argv[1], O_RDWR) : -1;
	char *page;

	if (fd < 0)
		err(1, "mapped FILE");
	if (write(fd, nowhere, PAGE) >= 0 || errno != EFAULT)
		err(1, "write of nothing");
	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		err(1, "mmap");
	page[0]++;
	if (msync(page, PAGE, MS_SYNC))
		err(1, "msync");
	return 0;
}
