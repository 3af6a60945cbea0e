// SPDX-License-Identifier: GPL-2.0-or-later
/* Computes the rows, shades, positions, times and worst columns of a heat map. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/histogram.h"
#include "map.h"
#include "source/stats.h"

uint64_t map_operations(const struct column *c)
{
	return histogram_sum(HISTOGRAM_LATENCY, c->values.latency);
}

uint64_t map_cell(const struct map *m, const struct column *c, int bucket)
{
	uint64_t n = 0;

	for (int i = bucket; i < bucket + m->per_row && i < ESTAT_LATENCY_BUCKETS; i++)
		n += c->values.latency[i];
	return n;
}

int map_top(const struct map *m)
{
	return m->low + (m->high - m->low) / m->per_row * m->per_row;
}

/* Find the lowest and highest bucket with operations, and the number of buckets in a row. */
static void find_buckets(struct map *m, unsigned int rows)
{
	m->low = ESTAT_LATENCY_BUCKETS;
	m->high = -1;
	for (unsigned int i = 0; i < m->c.n; i++)
		for (int b = 0; b < ESTAT_LATENCY_BUCKETS; b++) {
			if (!m->c.columns[i].values.latency[b])
				continue;
			m->low = b < m->low ? b : m->low;
			m->high = b > m->high ? b : m->high;
		}
	m->per_row = m->high < m->low ? 1 : (m->high - m->low) / (int)rows + 1;
}

static void find_levels(struct map *m)
{
	uint64_t most = 1;

	for (unsigned int i = 0; i < m->c.n; i++)
		for (int b = m->low; b <= m->high; b += m->per_row) {
			uint64_t n = map_cell(m, &m->c.columns[i], b);

			most = n > most ? n : most;
		}
	shades_find(m->thresholds, most);
}

static void find_percentiles(struct map *m)
{
	m->p99 = xalloc(calloc(m->c.n + 1, sizeof(*m->p99)));
	m->max = xalloc(calloc(m->c.n + 1, sizeof(*m->max)));
	m->least_p99 = m->most_max = NAN;
	for (unsigned int i = 0; i < m->c.n; i++) {
		m->p99[i] = figure(&m->c.columns[i].values, P99, 1);
		m->max[i] = figure(&m->c.columns[i].values, HIGHEST, 1);
		m->least_p99 = fmin(m->least_p99, m->p99[i]);
		m->most_max = fmax(m->most_max, m->max[i]);
	}
}

/* Is column i in m->worst, or next to a column in m->worst? */
static bool is_near(const struct map *m, unsigned int i)
{
	for (unsigned int w = 0; w < m->nworst; w++)
		if (i + 1 >= m->worst[w] && i <= m->worst[w] + 1)
			return true;
	return false;
}

/*
 * The column i with the highest first[i] (if equal, with the highest then[i]) among the columns
 * that are not is_near(); -1: none.
 */
static int find_highest(const struct map *m, const double *first, const double *then)
{
	int best = -1;

	for (unsigned int i = 0; i < m->c.n; i++) {
		if (isnan(first[i]) || is_near(m, i))
			continue;
		if (best < 0 || first[i] > first[best] ||
		    (first[i] == first[best] && then[i] > then[best]))
			best = i;
	}
	return best;
}

/*
 * Find the worst columns: the column with the slowest operation, and then those with the highest
 * p99.
 */
static void find_worst(struct map *m)
{
	int i = find_highest(m, m->max, m->p99);

	while (i >= 0 && m->nworst < WORST) {
		m->worst[m->nworst++] = i;
		i = find_highest(m, m->p99, m->max);
	}
}

struct map map_make(struct columns columns, unsigned int rows)
{
	struct map m = { .c = columns };

	find_buckets(&m, rows);
	find_percentiles(&m);
	if (m.low > m.high)
		return m;
	find_levels(&m);
	find_worst(&m);
	return m;
}

void map_free(struct map *m)
{
	columns_free(&m->c);
	free(m->p99);
	free(m->max);
}

/* The least latency of a position divided by the least latency of the position below. */
static double position_ratio(const struct map *m)
{
	return pow(m->most_max / m->least_p99, 1.0 / (LEVELS - 1));
}

int map_position(const struct map *m, double us)
{
	int position = 1;

	if (isnan(us))
		return 0;
	while (position < LEVELS && us >= map_position_from(m, position + 1) * (1 - 1e-9))
		position++;
	return position;
}

double map_position_from(const struct map *m, int position)
{
	return m->least_p99 * pow(position_ratio(m), position - 1);
}

double map_begin(const struct map *m, unsigned int i)
{
	return m->c.seconds > 0 ? m->c.begin + i * m->c.seconds : m->c.columns[i].begin;
}

/* The length of a column in seconds; the mean length if columns differ. */
static double step_of(const struct map *m)
{
	const struct column *last = &m->c.columns[m->c.n - 1];

	return m->c.seconds > 0 ? m->c.seconds : (last->end - m->c.columns[0].begin) / m->c.n;
}

double map_tick(const struct map *m, unsigned int needed)
{
	return round_time(step_of(m) * needed);
}

/*
 * Convert to local time, so that ticks stay on full hours when daylight saving time begins or ends.
 */
static double local(double seconds)
{
	time_t whole = floor(seconds);
	struct tm tm;

	pmLocaltime(&whole, &tm);
	return timegm(&tm) + (seconds - floor(seconds));
}

bool map_has_tick(const struct map *m, unsigned int i, double tick)
{
	double begin = local(map_begin(m, i)) - 1e-3, step = step_of(m);
	double before = i ? local(map_begin(m, i - 1)) - 1e-3 : begin - step;

	/* a tick in the first quarter of column i marks column i, a later tick column i + 1 */
	return floor((begin + step / 4) / tick) > floor((before + step / 4) / tick);
}

const char *map_format(const struct map *m)
{
	double span = m->c.columns[m->c.n - 1].end - m->c.columns[0].begin;

	return span > 86400 ? "%m/%d %H:%M" : "%H:%M:%S";
}

/* Write a time, with milliseconds if columns are shorter than a second. */
static void print_end(const struct map *m, char *text, size_t size, double seconds)
{
	size_t length;

	print_time(text, size, map_format(m), seconds);
	length = strlen(text);
	if (step_of(m) < 1)
		snprintf(text + length, size - length, ".%03d",
			 (int)((seconds - floor(seconds)) * 1000));
}

void map_times(const struct map *m, unsigned int i, char *text, size_t size)
{
	const struct column *c = &m->c.columns[i];
	char begin[40], end[40];

	print_end(m, begin, sizeof(begin), c->begin);
	print_end(m, end, sizeof(end), c->end);
	snprintf(text, size, "%s to %s", begin, end);
}

char *map_title(const struct options *o, const char *host, double seconds)
{
	static const struct {
		double seconds;
		const char *name;
	} units[] = { { 86400, "d" }, { 3600, "h" }, { 60, "min" }, { 1, "s" } };
	char *text = NULL;
	unsigned int u = 0;
	size_t size;
	FILE *f = xalloc(open_memstream(&text, &size));

	fprintf(f, "%s on %s", o->name, host);
	for (unsigned int i = 0; i < o->nfilters; i++)
		fprintf(f, ", %s=%s", o->filters[i].axis, o->filters[i].glob);
	while (u < 3 && fmod(seconds, units[u].seconds) != 0)
		u++;
	fprintf(f,
		seconds < 100 ? ": latency, a column is %.3g %s" : ": latency, a column is %.0f %s",
		seconds / units[u].seconds, units[u].name);
	fclose(f);
	return xalloc(text);
}
