// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "cache.h"
#include "lib/clock.h"
#include "lib/xalloc.h"
#include "load/kept.h"
#include "packed.h"
#include "series.h"
#include "values.h"

struct series *series_new(const struct module *module, unsigned int index, int domain)
{
	struct series *s = xalloc(calloc(1, sizeof(*s)));

	s->module = module;
	s->schema = &module->edition->schema->series[index];
	s->table = &module->edition->schema->series[s->schema->table];
	s->memory = &module->now.memory;
	s->maps = &s->memory->maps[s->schema->table];
	s->first = s;
	s->keys = pmInDom_build(domain, module->edition->schema->cluster << 10 |
						s->schema->first_group << 4);
	s->words = s->schema->value_words +
		   (module->edition->settings.latency_by_size ? MATRIX_WORDS : 0);
	s->snapshots = xalloc(calloc(s->schema->ngroups * PARTS * 2, sizeof(*s->snapshots)));
	s->baseline = xalloc(calloc(s->schema->ngroups * PARTS * 2, sizeof(*s->baseline)));
	cache_load(s->keys);
	/* hide the instances that the old object's series left in PCP's cache */
	pmdaCacheOp(s->keys, PMDA_CACHE_INACTIVE);
	rows_begin(s);
	buckets_begin(s);
	return s;
}

void series_share(struct series *first, struct series *s)
{
	struct series *last = first;

	while (last->next)
		last = last->next;
	last->next = s;
	s->first = first;
}

void series_free(struct series *s)
{
	if (s->unsaved)
		cache_save(s->keys);
	baseline_free(s);
	snapshots_end(s);
	free(s->snapshots);
	buckets_free(s);
	rows_free(s);
	free(s->slots);
	free(s);
}

static uint64_t *values_of(struct series *s, unsigned int row)
{
	return s->values + (size_t)row * s->words;
}

/* Begin to fold a row: set its values to `kept`, the counts of the row's former slots. */
static void begin_row(struct series *s, unsigned int row)
{
	packed_unpack(s->rows[row].kept, values_of(s, row), s->words);
}

/* Finish a row to which all its slots have been added: add the row to the total. */
static void end_row(struct series *s, unsigned int row)
{
	row_add(s, values_of(s, SERIES_TOTAL), series_values(s, row));
	row_widen(s, row);
}

/*
 * Add each row to the total as soon as the row's slots are added, while the row is in the CPU's
 * cache: with tens of thousands of rows most time goes to reading memory.
 */
void series_add_up(struct series *s)
{
	begin_row(s, SERIES_TOTAL);
	for (unsigned int row = 0; row < s->nrows; row++) {
		s->rows[row].awaited = s->rows[row].slots;
		if (row == SERIES_TOTAL || !s->rows[row].name || s->rows[row].slots)
			continue;
		begin_row(s, row);
		end_row(s, row);
	}
	for (uint32_t i = 0; s->slots && i < s->maps->nslots; i++) {
		int row = s->slots[i].row;

		if (row < 0)
			continue;
		if (s->rows[row].awaited == s->rows[row].slots)
			begin_row(s, row);
		slot_fold(s, i, values_of(s, row));
		if (--s->rows[row].awaited == 0)
			end_row(s, row);
	}
	row_widen(s, SERIES_TOTAL);
}

/*
 * Is a sum of squares lower than at the previous fold? Then one of the two folds read the sum's two
 * halves while a BPF program wrote them, and this fold is repeated. This happens once in many
 * years, because the upper half changes only when the sum has grown by 2^64 nanoseconds squared.
 */
static bool sums_fell(struct series *s)
{
	bool fell = false;

	for (unsigned int row = 0; row < s->nrows; row++) {
		for (unsigned int g = 0; g < s->schema->ngroups; g++) {
			const struct field *f = s->schema->groups[g].sumsq;
			unsigned __int128 now;

			if (!f || !s->rows[row].sumsqs)
				continue;
			now = values_sumsq(series_values(s, row), f);
			fell |= now < s->rows[row].sumsqs[g];
			s->rows[row].sumsqs[g] = now;
		}
	}
	return fell;
}

void series_fold(struct series *s)
{
	unsigned int tries = 0;

	s->folded = clock_now();
	s->clock = module_attached(s->module);
	snapshots_end(s);
	if (!module_runs(s->module))
		return;
	if (loaded_is_there(&s->module->now)) {
		slots_find_new(s);
		slots_check(s->first, s->folded);
	}
	do
		series_add_up(s);
	while (sums_fell(s) && ++tries < 3);
	s->nfolds++;
	s->elapsed = clock_now() - s->folded;
}

/* Add words[], the values of a row of `from`, to the values that a row of `s` keeps. */
static void carry_words(struct series *s, unsigned int row, const struct series *from,
			const uint64_t *words)
{
	uint64_t *kept = row_kept(s, row);

	/* the numbers of words differ if latency_by_size was changed */
	if (s->words == from->words)
		row_add(s, kept, words);
	else
		values_add(s->schema, kept, words);
	row_keep(s, row, kept);
}

void series_carry(struct series *s, const struct series *from)
{
	for (unsigned int i = 0; i < from->nrows; i++) {
		const struct row *r = &from->rows[i];
		unsigned int row = SERIES_TOTAL;
		if (i != SERIES_TOTAL && !r->name)
			continue;
		if (!r->gone && i != SERIES_TOTAL)
			row = row_copy(s, r);
		if (row || i == SERIES_TOTAL)
			memcpy(s->rows[row].under_way, r->under_way,
			       s->schema->ngroups * sizeof(*r->under_way));
		if (i != SERIES_TOTAL) {
			carry_words(s, row, from, series_values(from, i));
		} else if (r->kept) {
			uint64_t *words = row_kept(from, i);

			carry_words(s, row, from, words);
			free(words);
		}
	}
}

unsigned int series_keys(const struct series *s)
{
	unsigned int n = 0;

	if (!module_runs(s->module))
		return 0;
	if (s->module->now.kept)
		return s->module->now.kept->tables[s->schema->table].n;
	for (uint32_t i = 0; s->slots && i < s->maps->nslots; i++)
		n += s->slots[i].row >= 0 && i != s->maps->overflow;
	/* add the keys whose slots have no row yet */
	return n + (s->maps->state->taken - s->taken);
}

/*
 * PCP asks for instances in the order of their numbers, so the next instance is often of the same
 * row or of the next row. Look there first, because a look-up in PCP's cache goes over all domains.
 */
int series_row(struct series *s, int inst)
{
	void *row;

	for (unsigned int i = s->guess; i < s->guess + 2 && i < s->nrows; i++)
		if (s->rows[i].inst == inst && s->rows[i].name && !s->rows[i].gone)
			return s->guess = i;
	if (pmdaCacheLookup(s->keys, inst, NULL, &row) != PMDA_CACHE_ACTIVE)
		return -1;
	return s->guess = (uintptr_t)row;
}
