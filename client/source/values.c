// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/histogram.h"
#include "lib/xalloc.h"
#include "values.h"

static void add_all(uint64_t *into, const uint64_t *from, unsigned int n)
{
	while (n-- > 0)
		into[n] += from[n];
}

void values_add(struct values *into, const struct values *from)
{
	into->ops += from->ops;
	into->errors += from->errors;
	into->bytes += from->bytes;
	into->sum_ns += from->sum_ns;
	into->sumsq += from->sumsq;
	add_all(into->latency, from->latency, ESTAT_LATENCY_BUCKETS);
	add_all(into->fine, from->fine, ESTAT_FINE_BUCKETS);
	add_all(into->size, from->size, ESTAT_SIZE_BUCKETS);
	into->max = fmax(into->max, from->max);
	into->inflight += from->inflight;
	into->oldest = into->oldest > from->oldest ? into->oldest : from->oldest;
	into->lacks |= from->lacks;
	add_all(into->counters, from->counters, MAX_COUNTERS);
	if (!from->by_size)
		return;
	if (!into->by_size)
		into->by_size = xalloc(calloc(ESTAT_SIZE_BUCKETS, sizeof(*into->by_size)));
	add_all(*into->by_size, *from->by_size, ESTAT_SIZE_BUCKETS * ESTAT_LATENCY_BUCKETS);
}

bool lacks(const struct values *v, enum field field)
{
	return v->lacks & 1U << field;
}

bool values_idle(const struct values *v)
{
	return !v->ops && !v->errors && !v->inflight &&
	       !histogram_sum(HISTOGRAM_LATENCY, v->latency);
}

void values_clear(struct values *v)
{
	void *by_size = v->by_size;

	memset(v, 0, sizeof(*v));
	v->by_size = by_size;
	if (by_size)
		memset(by_size, 0, ESTAT_SIZE_BUCKETS * sizeof(*v->by_size));
}
