// SPDX-License-Identifier: GPL-2.0-or-later
#include "load/table.h"
#include "slow.h"

/* A key with fewer operations in the last minute has no p99.9. */
#define FEWEST 1000

static const struct group *own_group(const struct series *s)
{
	for (unsigned int g = 0; g < s->schema->ngroups; g++)
		if (!*s->schema->groups[g].name && s->schema->groups[g].latency &&
		    s->schema->groups[g].ops)
			return &s->schema->groups[g];
	return NULL;
}

/* The p99.9 of a row in the last minute, nanoseconds; 0: the row had too few operations. */
static uint64_t p999(const struct series *s, const struct group *g, unsigned int row)
{
	const struct snapshot *then = baseline_find(s, g - s->schema->groups, PART_LATENCY);
	const struct snapshot *had = baseline_find(s, g - s->schema->groups, PART_OPS);
	const uint64_t *now = series_values(s, row) + g->latency->word;
	uint64_t counts[ESTAT_FINE_BUCKETS];

	if (series_values(s, row)[g->ops->word] - snapshot_word(had, s, row, 0) < FEWEST)
		return 0;
	for (unsigned int b = 0; b < ESTAT_FINE_BUCKETS; b++)
		counts[b] = now[b] - snapshot_word(then, s, row, b);
	return 1000 * latency_percentile(HISTOGRAM_FINE, counts, 0.999,
					 latency_highest(HISTOGRAM_FINE, counts, 0, 0));
}

void slow_look(struct series *s)
{
	const struct group *g = own_group(s);

	for (unsigned int row = 1; g && row < s->nrows; row++)
		s->rows[row].p999 = s->rows[row].name ? p999(s, g, row) : 0;
}

/*
 * The threshold above which an operation of a row's key is slow, in units of 1 << ESTAT_SLOW_SHIFT
 * nanoseconds, as in the flag `used`. row < 0: the threshold of a key without a row.
 */
static uint32_t threshold(const struct series *s, int row)
{
	uint64_t ns = s->module->slow;

	if (!ns)
		return ESTAT_SLOW_NEVER;
	if (row >= 0 && s->rows[row].p999 > ns)
		ns = s->rows[row].p999;
	ns >>= ESTAT_SLOW_SHIFT;
	return ns >= ESTAT_SLOW_NEVER ? ESTAT_SLOW_NEVER - 1 : ns ? ns : 1;
}

/*
 * Set the flag `used` to `to`, unless the flag is 0. If the flag is 0, the slot is not in use in
 * this shard, and a BPF program sets the flag when it begins to use the slot.
 */
static void set_flag(uint32_t *used, uint32_t to)
{
	uint32_t had = __atomic_load_n(used, __ATOMIC_RELAXED);

	while (had && had != to &&
	       !__atomic_compare_exchange_n(used, &had, to, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED))
		;
}

void slow_set(struct series *s)
{
	for (uint32_t i = 0; s->slots && s->maps->slots && i < s->maps->there; i++)
		for (unsigned int shard = 0; shard < s->memory->shards; shard++)
			set_flag((uint32_t *)table_slot(s->memory, s->maps, s->schema->slot_size, i,
							shard),
				 threshold(s, s->slots[i].row));
}
