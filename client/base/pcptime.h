/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times of libpcp in seconds. PCP 5 and 6 have struct timeval, PCP 7 struct timespec. */
#ifndef ESTAT_CLIENT_BASE_PCPTIME_H
#define ESTAT_CLIENT_BASE_PCPTIME_H

#include <pcp/pmapi.h>

/* The types of a time and of an unpacked event record in libpcp's interface. */
#ifdef PMAPI_VERSION_4
typedef struct timespec pcp_time;
typedef pmResult_v2 pcp_event;
#define PCP_TIME_FROM_REAL pmtimespecFromReal /* PCP 5's headers lack pmtimespecFromReal() */
#else
typedef struct timeval pcp_time;
typedef pmResult pcp_event;
#define PCP_TIME_FROM_REAL pmtimevalFromReal
#endif

/* seconds_of() converts a time or interval of libpcp to seconds; pcp_time_of() is the inverse. */
#define seconds_of(t) \
	_Generic((t), struct timeval : pmtimevalToReal, struct timespec : pmtimespecToReal)(&(t))

static inline pcp_time pcp_time_of(double seconds)
{
	pcp_time t;

	PCP_TIME_FROM_REAL(seconds, &t);
	return t;
}

#endif /* ESTAT_CLIENT_BASE_PCPTIME_H */
