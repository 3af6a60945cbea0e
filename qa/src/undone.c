// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * undone FILE COMMAND FOLDER: a thread whose fsync(2) fails, because COMMAND, a
 * rollback, has removed its file; then the thread makes a folder.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

int main(int argc, char **argv)
{
	int fd = argc == 4 ? open(argv[1], O_RDWR | O_CREAT | O_EXCL, 0600) : -1;

	if (fd < 0)
		fail("undone FILE COMMAND FOLDER");
	if (system(argv[2]))
		fail(argv[2]);
	if (!fsync(fd) || errno != EIO)
		fail("fsync of nothing");
	if (mkdir(argv[3], 0700))
		fail(argv[3]);
	return 0;
}
