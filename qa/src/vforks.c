// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Waits uninterruptibly in vfork(2), five times for 0.2 s. Prints the nanoseconds of all waits
 * together.
 */
#include <stdio.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(void)
{
	static long long sum;

	for (volatile int i = 0; i < 5; i++) {
		static long long begun;

		begun = now();
		if (!vfork()) {
			usleep(200000);
			_exit(0);
		}
		sum += now() - begun;
	}
	printf("%lld\n", sum);
	return 0;
}
