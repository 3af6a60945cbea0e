// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tsc: print the frequency of this machine's time stamp counter in kHz, as for Linux's parameter
 * tsc_early_khz. Exits with 1 if the processor is not x86_64.
 */
#if defined(__x86_64__)
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

struct reading {
	uint64_t ns;
	uint64_t ticks;
};

/*
 * Read CLOCK_MONOTONIC_RAW between two reads of the time stamp counter, whose mean is `ticks`.
 * Other work on the machine can come between the reads. So of a thousand tries the one counts in
 * which the two reads of the time stamp counter are closest.
 */
static struct reading read_clocks(void)
{
	struct reading best = {};
	uint64_t closest = UINT64_MAX;

	for (int i = 0; i < 1000; i++) {
		struct timespec now;
		uint64_t before = __rdtsc();
		uint64_t after;

		clock_gettime(CLOCK_MONOTONIC_RAW, &now);
		after = __rdtsc();
		if (after - before < closest) {
			closest = after - before;
			best.ns = now.tv_sec * 1000000000ULL + now.tv_nsec;
			best.ticks = before + closest / 2;
		}
	}
	return best;
}

int main(void)
{
	struct timespec pause = { .tv_nsec = 50000000 };
	struct reading first = read_clocks();
	struct reading last;

	nanosleep(&pause, NULL);
	last = read_clocks();
	printf("%.0f\n", (last.ticks - first.ticks) * 1e6 / (last.ns - first.ns));
	return 0;
}

#else
int main(void)
{
	return 1;
}
#endif
