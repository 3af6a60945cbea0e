/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What several files need. */
#ifndef ESTAT_LIB_UTIL_H
#define ESTAT_LIB_UTIL_H

#include <stdbool.h>
#include <stdint.h>

/* What an allocation returned; without memory the process logs it and ends. */
void *or_die(void *memory);

/* CLOCK_MONOTONIC in nanoseconds, the clock of bpf_ktime_get_ns(). */
uint64_t clock_now(void);

/* The time of day in milliseconds since 1970. */
uint64_t time_since_epoch(void);

#endif /* ESTAT_LIB_UTIL_H */
