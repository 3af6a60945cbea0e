/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What differs in libpcp: times are a struct timeval in PCP 6, a struct timespec in PCP 7,
 * but for those of event records. Here they are seconds.
 */
#ifndef ESTAT_CLIENT_BASE_PCPTIME_H
#define ESTAT_CLIENT_BASE_PCPTIME_H

#include <pcp/pmapi.h>

/* What libpcp's functions take and give, and an unpacked event record. */
#ifdef PMAPI_VERSION_4
typedef struct timespec pcp_time;
typedef pmResult_v2 pcp_event;
#else
typedef struct timeval pcp_time;
typedef pmResult pcp_event;
#endif

/* A time of libpcp in seconds, and back. */
#define seconds_of(t) \
	_Generic((t), struct timeval : pmtimevalToReal, struct timespec : pmtimespecToReal)(&(t))

static inline pcp_time pcp_time_of(double seconds)
{
	pcp_time t;

	_Generic(t, struct timeval
		 : pmtimevalFromReal, struct timespec
		 : pmtimespecFromReal)(seconds, &t);
	return t;
}

#endif /* ESTAT_CLIENT_BASE_PCPTIME_H */
