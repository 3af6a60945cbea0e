// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "data/series.h"
#include "data/values.h"
#include "told.h"
#include "value.h"

#define NS_PER_S 1e9

/* What an instant metric is computed from: a row at both ends of the client's interval. */
struct interval {
	const struct series *series;
	unsigned int row;
	const uint64_t *now;         /* the row's values at the interval's end */
	const struct snapshot *then; /* snapshot at the interval's begin; NULL: counters were 0 */
	double seconds;              /* how long the module was attached in the interval */
};

/*
 * How much a word of the row's values grew in the interval. `word`: the word's index in the row's
 * values; `part`: the same word's index in a snapshot of a part of the values, as for
 * snapshot_word().
 */
static uint64_t delta(const struct interval *i, uint32_t word, unsigned int part)
{
	return i->now[word] - snapshot_word(i->then, i->series, i->row, part);
}

/*
 * How much a sum of squares grew. It has two words, so the low word can borrow from the high word.
 */
static unsigned __int128 delta_sumsq(const struct interval *i, const struct field *f)
{
	uint64_t low = delta(i, f->word, SUMS_SUMSQ), high = delta(i, f->word + 1, SUMS_SUMSQ + 1);

	return ((unsigned __int128)(high - (low > i->now[f->word])) << 64) | low;
}

static int instant_value(const struct metric *m, unsigned int row, pmAtomValue *atom)
{
	const struct series *s = m->series;
	const struct interval i = {
		.series = s,
		.row = row,
		.now = series_values(s, row),
		.then = m->previous,
		.seconds = (s->clock - (m->previous ? m->previous->clock : 0)) / NS_PER_S,
	};
	uint64_t counts[ESTAT_FINE_BUCKETS], ops;
	const struct group *g = m->group;
	double highest;

	switch (m->kind) {
	case METRIC_RATE:
		atom->d = delta(&i, g->ops->word, 0) / i.seconds;
		return i.seconds > 0 ? PMDA_FETCH_STATIC : PMDA_FETCH_NOVALUES;
	case METRIC_THROUGHPUT:
		atom->d = delta(&i, g->bytes->word, 0) / 1024.0 / i.seconds;
		return i.seconds > 0 ? PMDA_FETCH_STATIC : PMDA_FETCH_NOVALUES;
	case METRIC_MEAN:
		ops = delta(&i, g->ops->word, SUMS_OPS);
		atom->d = latency_mean(ops, delta(&i, g->sum->word, SUMS_SUM));
		return ops ? PMDA_FETCH_STATIC : PMDA_FETCH_NOVALUES;
	case METRIC_DEVIATION:
		ops = delta(&i, g->ops->word, SUMS_OPS);
		atom->d = latency_deviation(ops, delta(&i, g->sum->word, SUMS_SUM),
					    delta_sumsq(&i, g->sumsq));
		return ops ? PMDA_FETCH_STATIC : PMDA_FETCH_NOVALUES;
	default:
		for (unsigned int b = 0; b < ESTAT_FINE_BUCKETS; b++)
			counts[b] = delta(&i, g->latency->word + b, b);
		highest = latency_highest(HISTOGRAM_FINE, counts, i.now[g->max->word],
					  g->sum ? delta(&i, g->sum->word, LATENCY_SUM) : 0);
		atom->d = m->kind == METRIC_PERCENTILE
				  ? latency_percentile(HISTOGRAM_FINE, counts, m->share, highest)
				  : highest;
		return highest > 0 ? PMDA_FETCH_STATIC : PMDA_FETCH_NOVALUES;
	}
}

/* The row of an instance number; -1: none. *bucket: the instance's bucket, if m->buckets. */
static int row_of(const struct metric *m, unsigned int inst, unsigned int *bucket)
{
	unsigned int per_key = m->buckets ? buckets_per_key(m->buckets) : 1;

	*bucket = inst % per_key;
	return m->total ? SERIES_TOTAL : series_row(m->series, inst / per_key);
}

static uint64_t count(const struct field *f, const uint64_t *values, unsigned int first,
		      unsigned int end)
{
	uint64_t n = 0;

	for (unsigned int i = first; i < end; i++)
		n += values[f->word + i];
	return n;
}

/*
 * How many operations an exported bucket has. An exported bucket of latency is made of fine
 * buckets.
 */
static uint64_t bucket_count(const struct field *f, const uint64_t *values, unsigned int bucket)
{
	if (f->kind == FIELD_SIZE)
		return values[f->word + bucket];
	return count(f, values, fine_first(bucket), fine_first(bucket + 1));
}

/*
 * Is a row too new for Prometheus? Prometheus' rate() ignores the first value of a counter. So in
 * latency_seconds.* a new key's counters are 0 until `new_until`, so that a scrape sees the 0. The
 * row of the total is never new, because its counters began at 0 with the module.
 */
static bool is_new(const struct series *s, unsigned int row)
{
	return row != SERIES_TOTAL && s->folded < s->rows[row].new_until;
}

/* The value of a metric of a kind from METRIC_WALKED to METRIC_TOLD. */
static int under_way_value(const struct metric *m, int row, const uint64_t *values,
			   pmAtomValue *atom)
{
	const struct series *s = m->series;
	uint64_t walk = s->module->now.programs.walk;

	switch (m->kind) {
	case METRIC_WALKED:
		/* the stamp of an earlier walk means that the key has no operation under way */
		atom->ull = values[m->field->word] == walk ? values[m->field->word + 1] : 0;
		if (m->field->kind == FIELD_OLDEST)
			atom->ull >>= ESTAT_TOLD_BITS;
		return walk && (values[m->field->word] || m->total) ? PMDA_FETCH_STATIC
								    : PMDA_FETCH_NOVALUES;
	case METRIC_WALKED_TIME:
		atom->ull = s->rows[row].under_way[m->group - s->schema->groups].shown;
		return PMDA_FETCH_STATIC;
	default:
		atom->cp = told_text(s, m->field, values);
		return atom->cp ? PMDA_FETCH_DYNAMIC : PMDA_FETCH_NOVALUES;
	}
}

int metric_value(const struct metric *m, unsigned int inst, pmAtomValue *atom)
{
	const struct series *s = m->series;
	const uint64_t *values;
	unsigned int bucket;
	int row;

	if (!module_runs(s->module))
		return PMDA_FETCH_NOVALUES;
	row = row_of(m, inst, &bucket);
	if (row < 0)
		return PM_ERR_INST;
	values = series_values(s, row);
	switch (m->kind) {
	case METRIC_FIELD:
		atom->ull = values[m->field->word];
		return PMDA_FETCH_STATIC;
	case METRIC_HISTOGRAM:
		atom->ull = bucket_count(m->field, values, bucket);
		return PMDA_FETCH_STATIC;
	case METRIC_FINE:
		atom->ull = values[m->field->word + bucket];
		return PMDA_FETCH_STATIC;
	case METRIC_BELOW:
		atom->ull = is_new(s, row) ? 0 : count(m->field, values, 0, fine_below(bucket));
		return PMDA_FETCH_STATIC;
	case METRIC_BELOW_COUNT:
		atom->ull = is_new(s, row) ? 0 : count(m->field, values, 0, ESTAT_FINE_BUCKETS);
		return PMDA_FETCH_STATIC;
	case METRIC_BELOW_SUM:
		atom->d = is_new(s, row) ? 0 : values[m->field->word] / NS_PER_S;
		return PMDA_FETCH_STATIC;
	case METRIC_BY_SIZE:
		atom->ull = values[s->schema->value_words +
				   bucket / BUCKETS_PER_KEY * ESTAT_LATENCY_BUCKETS +
				   bucket % BUCKETS_PER_KEY];
		return PMDA_FETCH_STATIC;
	case METRIC_GAUGE:
		if (m->field->unit == UNIT_SHARE)
			atom->d = share_percent(values[m->field->word + 1]);
		else
			atom->ull = values[m->field->word + 1];
		return values[m->field->word] ? PMDA_FETCH_STATIC : PMDA_FETCH_NOVALUES;
	case METRIC_WALKED:
	case METRIC_WALKED_TIME:
	case METRIC_TOLD:
		return under_way_value(m, row, values, atom);
	case METRIC_SUMSQ:
		atom->d = values_sumsq(values, m->field) / 1e6; /* convert ns^2 to us^2 */
		return PMDA_FETCH_STATIC;
	default:
		return instant_value(m, row, atom);
	}
}
