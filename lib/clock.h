/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ESTAT_LIB_CLOCK_H
#define ESTAT_LIB_CLOCK_H

#include <stdint.h>

/* CLOCK_MONOTONIC in nanoseconds, the clock of bpf_ktime_get_ns(). */
uint64_t clock_now(void);

/* CLOCK_MONOTONIC_RAW minus CLOCK_MONOTONIC, in nanoseconds, modulo 2^64. */
uint64_t clock_raw_ahead(void);

/* CLOCK_REALTIME in milliseconds since 1970. */
uint64_t time_since_epoch(void);

#endif /* ESTAT_LIB_CLOCK_H */
