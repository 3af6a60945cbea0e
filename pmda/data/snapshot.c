// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "lib/xalloc.h"
#include "series.h"

/* The most words that a part has, not counting PART_LATENCY. */
#define MAX_WORDS 4

static size_t all; /* bytes of all snapshots */

/*
 * Set words[] to the index, in a row's values, of each word of a part. PART_LATENCY has so many
 * words that words[] gets only two indexes: of the first bucket, and of LATENCY_SUM. Returns the
 * number of words in the part; 0: part_is_there() is false.
 */
static unsigned int find_words(const struct group *g, enum part part, unsigned int *words)
{
	const struct field *firsts[] = { g->ops, g->bytes, g->sum ? g->ops : NULL, g->latency };

	if (!firsts[part] || (part == PART_LATENCY && !g->max))
		return 0;
	words[0] = firsts[part]->word;
	if (part == PART_LATENCY) {
		words[1] = g->sum ? g->sum->word : 0;
		return ESTAT_FINE_BUCKETS + (g->sum != NULL);
	}
	if (part != PART_SUMS)
		return 1;
	words[SUMS_SUM] = g->sum->word;
	if (!g->sumsq)
		return SUMS_SUMSQ;
	words[SUMS_SUMSQ] = g->sumsq->word;
	words[SUMS_SUMSQ + 1] = g->sumsq->word + 1;
	return SUMS_SUMSQ + 2;
}

bool part_is_there(const struct group *group, enum part part)
{
	unsigned int words[MAX_WORDS];

	return find_words(group, part, words);
}

/*
 * Returns which words of a part a snapshot has of a row: all words or, of a histogram, the words
 * from the lowest to the highest bucket ever hit. The caller sets the member `start` of the result.
 */
static struct snapshot_row span(const struct series *s, unsigned int row, unsigned int group,
				enum part part, unsigned int nwords)
{
	const struct row *r = &s->rows[row];
	const struct range *hit;

	if (!r->ranges)
		return (struct snapshot_row){};
	if (part != PART_LATENCY)
		return (struct snapshot_row){ .n = nwords };
	hit = &r->ranges[group][HISTOGRAM_LATENCY];
	if (hit->high < hit->low)
		return (struct snapshot_row){};
	/* the last bucket was hit, so take LATENCY_SUM, too, if the group has it */
	if (hit->high == ESTAT_FINE_LAST)
		return (struct snapshot_row){ .low = hit->low, .n = nwords - hit->low };
	return (struct snapshot_row){ .low = hit->low, .n = hit->high - hit->low + 1 };
}

static void fill(struct snapshot *snapshot, const struct series *s, enum part part,
		 const unsigned int *words)
{
	for (unsigned int row = 0; row < snapshot->nrows; row++) {
		const struct snapshot_row *r = &snapshot->rows[row];
		const uint64_t *values = series_values(s, row);

		for (unsigned int i = 0; i < r->n; i++)
			snapshot->words[r->start + i] =
				values[part != PART_LATENCY        ? words[i]
				       : r->low + i == LATENCY_SUM ? words[1]
								   : words[0] + r->low + i];
	}
}

static struct snapshot *take(const struct series *s, unsigned int group, enum part part, bool total)
{
	unsigned int words[MAX_WORDS], nwords = find_words(&s->schema->groups[group], part, words);
	unsigned int nrows = total ? 1 : s->nrows;
	size_t rows = sizeof(struct snapshot) + nrows * sizeof(struct snapshot_row);
	struct snapshot *snapshot = xalloc(malloc(rows));
	uint32_t n = 0;

	*snapshot = (struct snapshot){
		.refs = 1,
		.nrows = nrows,
		.fold = s->nfolds,
		.clock = s->clock,
	};
	for (unsigned int row = 0; row < nrows; row++) {
		snapshot->rows[row] = span(s, row, group, part, nwords);
		snapshot->rows[row].start = n;
		n += snapshot->rows[row].n;
	}
	snapshot->words = xalloc(malloc((n + 1) * sizeof(*snapshot->words)));
	fill(snapshot, s, part, words);
	snapshot->size = rows + (n + 1) * sizeof(*snapshot->words);
	all += snapshot->size;
	return snapshot;
}

struct snapshot *snapshot_take(struct series *s, unsigned int group, enum part part, bool total)
{
	struct snapshot **at = &s->snapshots[(group * PARTS + part) * 2 + total];

	if (!*at)
		*at = take(s, group, part, total);
	(*at)->refs++;
	return *at;
}

void snapshot_put(struct snapshot *snapshot)
{
	if (--snapshot->refs > 0)
		return;
	all -= snapshot->size;
	free(snapshot->words);
	free(snapshot);
}

void snapshots_end(struct series *s)
{
	for (unsigned int i = 0; i < s->schema->ngroups * PARTS * 2; i++) {
		if (s->snapshots[i])
			snapshot_put(s->snapshots[i]);
		s->snapshots[i] = NULL;
	}
}

uint64_t snapshot_word(const struct snapshot *snapshot, const struct series *s, unsigned int row,
		       unsigned int word)
{
	const struct snapshot_row *r;

	if (!snapshot || row >= snapshot->nrows || s->rows[row].first_fold > snapshot->fold)
		return 0;
	r = &snapshot->rows[row];
	if (word < r->low || word >= (unsigned int)r->low + r->n)
		return 0;
	return snapshot->words[r->start + word - r->low];
}

size_t snapshots_size(void)
{
	return all;
}
