// SPDX-License-Identifier: GPL-2.0-or-later
#include <time.h>

#include "clock.h"

uint64_t clock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * UINT64_C(1000000000) + t.tv_nsec;
}

uint64_t time_since_epoch(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * UINT64_C(1000) + t.tv_nsec / 1000000;
}
