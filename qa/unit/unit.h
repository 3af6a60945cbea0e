/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For all unit tests: cmocka, and random numbers that are the same in every run. */
#ifndef ESTAT_QA_UNIT_UNIT_H
#define ESTAT_QA_UNIT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* SplitMix64 by Sebastiano Vigna. */
static inline uint64_t random64(void)
{
	static uint64_t state;
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* A random number with a random number of bits, at most 64. */
static inline uint64_t random_magnitude(void)
{
	return random64() >> random64() % 64;
}

#endif /* ESTAT_QA_UNIT_UNIT_H */
