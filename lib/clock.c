// SPDX-License-Identifier: GPL-2.0-or-later
#include <time.h>

#include "clock.h"

static uint64_t ns_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * UINT64_C(1000000000) + t.tv_nsec;
}

uint64_t clock_now(void)
{
	return ns_of(CLOCK_MONOTONIC);
}

uint64_t clock_raw_ahead(void)
{
	uint64_t raw = ns_of(CLOCK_MONOTONIC_RAW);

	return raw - clock_now();
}

uint64_t time_since_epoch(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * UINT64_C(1000) + t.tv_nsec / 1000000;
}
