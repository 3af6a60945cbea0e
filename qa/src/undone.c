// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * undone FILE COMMAND FOLDER: create FILE, run COMMAND, a rollback that removes the file, and call
 * fsync(2), which therefore fails; then the same thread makes the folder FOLDER.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fd = argc == 4 ? open(argv[1], O_RDWR | O_CREAT | O_EXCL, 0600) : -1;

	if (fd < 0)
		err(1, "undone FILE COMMAND FOLDER");
	if (system(argv[2]))
		err(1, "%s", argv[2]);
	if (!fsync(fd) || errno != EIO)
		err(1, "fsync of nothing");
	if (mkdir(argv[3], 0700))
		err(1, "%s", argv[3]);
	return 0;
}
