// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Waits uninterruptibly in vfork(2), five times for 0.2 s and more. Prints, in nanoseconds, the
 * least and the most that all waits together can have lasted. The least counts from when the child
 * finds the parent blocked to the child's end; the most counts from the parent's call of vfork(2)
 * until the parent runs again.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static char file[32];
/* the child of vfork(2) changes the parent's variables */
static long long begun, blocked, least, most;

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/*
 * Does the parent wait in vfork(2), and has it left its CPU? /proc/PID/syscall has "running" for a
 * thread that does not wait; a read for a thread that waits returns after the thread left its CPU.
 */
static bool is_blocked(void)
{
	int fd = open(file, O_RDONLY);
	char text[8] = "";
	ssize_t n = read(fd, text, sizeof(text) - 1);

	close(fd);
	return n > 0 && strcmp(text, "running");
}

int main(void)
{
	snprintf(file, sizeof(file), "/proc/%d/syscall", getpid());
	for (volatile int i = 0; i < 5; i++) {
		begun = now();
		if (!vfork()) {
			while (!is_blocked())
				usleep(1000);
			blocked = now();
			usleep(200000);
			least += now() - blocked;
			_exit(0);
		}
		most += now() - begun;
	}
	printf("%lld %lld\n", least, most);
	return 0;
}
