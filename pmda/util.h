/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What several files need. */
#ifndef ESTAT_UTIL_H
#define ESTAT_UTIL_H

#include <stdbool.h>
#include <stdint.h>

/* What an allocation returned; without memory the process logs it and ends. */
void *or_die(void *memory);

/* CLOCK_MONOTONIC in nanoseconds, the clock of bpf_ktime_get_ns(). */
uint64_t clock_now(void);

/* The time of day in milliseconds since 1970. */
uint64_t time_since_epoch(void);

/*
 * A number that changes with the kernel's modules and their sizes, of which each loses what its
 * beginning took as that ends; *settled: is none on its way in or out?
 */
unsigned long kernel_modules_now(bool *settled);

/* Is the running kernel older? */
bool kernel_is_before(unsigned int major, unsigned int minor);

#endif /* ESTAT_UTIL_H */
