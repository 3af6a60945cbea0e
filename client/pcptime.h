/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What differs in libpcp: times are a struct timeval in PCP 6, a struct timespec in PCP 7,
 * but for those of event records. Here they are seconds.
 */
#ifndef ESTAT_PCPTIME_H
#define ESTAT_PCPTIME_H

#include <pcp/pmapi.h>

/* What libpcp's functions take and give. */
typedef __typeof__(((pmOptions *)0)->start) pcp_time;

/* An unpacked event record. */
#ifdef PMAPI_VERSION_4
typedef pmResult_v2 pcp_event;
#else
typedef pmResult pcp_event;
#endif

static inline double seconds_of_timeval(struct timeval t)
{
	return t.tv_sec + t.tv_usec / 1e6;
}

static inline double seconds_of_timespec(struct timespec t)
{
	return t.tv_sec + t.tv_nsec / 1e9;
}

static inline struct timeval timeval_of(double seconds)
{
	time_t whole = seconds;

	return (struct timeval){ .tv_sec = whole, .tv_usec = (seconds - whole) * 1e6 };
}

static inline struct timespec timespec_of(double seconds)
{
	time_t whole = seconds;

	return (struct timespec){ .tv_sec = whole, .tv_nsec = (seconds - whole) * 1e9 };
}

/* A time of libpcp in seconds, and back, cut off at what it can hold. */
#define seconds_of(t) \
	_Generic((t), struct timeval : seconds_of_timeval, struct timespec : seconds_of_timespec)(t)
#define pcp_time_of(seconds)                     \
	_Generic((pcp_time){ 0 }, struct timeval \
		 : timeval_of, struct timespec   \
		 : timespec_of)(seconds)

#endif /* ESTAT_PCPTIME_H */
