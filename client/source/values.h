/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The values of keys in an interval. */
#ifndef ESTAT_CLIENT_SOURCE_VALUES_H
#define ESTAT_CLIENT_SOURCE_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "abi.h"

#define MAX_COUNTERS 8

/* A metric of a series. */
enum field {
	FIELD_OPS,
	FIELD_ERRORS,
	FIELD_BYTES,
	FIELD_SUM,
	FIELD_SUMSQ,
	FIELD_LATENCY,
	FIELD_SIZE,
	FIELD_BY_SIZE,
	FIELD_FINE,
	FIELD_MAX,
	FIELD_INFLIGHT,
	FIELD_OLDEST,
	FIELD_TOLD,    /* a text, in struct key */
	FIELD_COUNTER, /* the first of MAX_COUNTERS counters of source_add()'s list */
	FIELD_AGENT = FIELD_COUNTER + MAX_COUNTERS,
	FIELD_MODULE,
};

/* The values of one key, or the added values of several keys, in an interval. */
struct values {
	uint64_t ops, errors, bytes, sum_ns;
	double sumsq; /* microseconds squared */
	uint64_t latency[ESTAT_LATENCY_BUCKETS];
	uint64_t fine[ESTAT_FINE_BUCKETS]; /* fine histogram of latency, if the source has one */
	uint64_t size[ESTAT_SIZE_BUCKETS];
	uint64_t (*by_size)[ESTAT_LATENCY_BUCKETS]; /* counts by size and latency; NULL: not read */
	double max;                /* highest latency in microseconds; 0: not known, or none */
	uint64_t inflight, oldest; /* at the last moment: number under way; age of the oldest, us */
	struct {
		uint64_t inflight, oldest;
		double time; /* date */
	} peak;              /* the moment of the interval at which `oldest` was greatest */
	unsigned int lacks;  /* fields, one bit each, unknown for the interval or a part of it */
	uint64_t counters[MAX_COUNTERS]; /* the counters of source_add()'s list, in its order */
};

void values_add(struct values *into, const struct values *from);

/* Are all counts 0: of operations ended and under way, of errors, in the histogram of latency? */
bool values_idle(const struct values *v);

/* Set all values to 0. values.by_size stays allocated. */
void values_clear(struct values *v);

/* Is the field's metric a gauge? A gauge is the value at one moment, so no difference is taken. */
static inline bool is_gauge(enum field field)
{
	return field == FIELD_INFLIGHT || field == FIELD_OLDEST;
}

/* Is the value of this field unknown for the interval or a part of it? */
bool lacks(const struct values *v, enum field field);

#endif /* ESTAT_CLIENT_SOURCE_VALUES_H */
