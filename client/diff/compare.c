// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A measure stands out if two conditions hold: Mann and Whitney's exact two-sided U test on the
 * splits of the windows A and B is significant at CHANCE in the direction in which the values of A
 * and B differ, and these values differ by at least MIN_CHANGE of the smaller value.
 */
#include <math.h>
#include <stdlib.h>

#include "compare.h"

#define CHANCE     0.01
#define MIN_CHANGE 0.05

const struct measure measures[MEASURES] = {
	{ IOPS, "iops", "ops/s" },         { THROUGHPUT, "throughput", "KB/s" },
	{ MEAN, "avg_latency", "avg us" }, { P50, "p50", "p50 us" },
	{ P99, "p99", "p99 us" },          { HIGHEST, "max", "max us" },
	{ ERRORS, "errors", "err/s" },
};

/* The number of orders of n values of A and m of B (all different) whose Mann-Whitney U is u. */
static double orders(int n, int m, int u)
{
	if (u < 0)
		return 0;
	if (n == 0 || m == 0)
		return u == 0;
	return orders(n - 1, m, u - m) + orders(n, m - 1, u);
}

/* Critical value of Mann and Whitney's U, two-sided, for n and m splits; -1: too few splits. */
static int critical_u(unsigned int n, unsigned int m)
{
	static int known[SPLITS + 1][SPLITS + 1]; /* critical_u() + 2; 0: not computed yet */
	double all = 0, tail = 0;
	int u = 0;

	if (known[n][m])
		return known[n][m] - 2;
	for (unsigned int i = 0; i <= n * m; i++)
		all += orders(n, m, i);
	while (n && m && 2 * (tail += orders(n, m, u)) <= CHANCE * all)
		u++;
	known[n][m] = u - 1 + 2;
	return u - 1;
}

bool can_stand_out(unsigned int a, unsigned int b)
{
	return critical_u(a, b) >= 0;
}

static bool stands_out(const struct comparison *c)
{
	/*
	 * the number of pairs of a split of A and a split of B in which B's value is lower, and in
	 * which B's value is higher; a pair of equal values counts half in both
	 */
	double lower = 0, higher = 0;

	for (unsigned int i = 0; i < c->n[0]; i++)
		for (unsigned int j = 0; j < c->n[1]; j++) {
			double a = c->splits[0][i], b = c->splits[1][j];

			lower += b < a ? 1 : b == a ? 0.5 : 0;
			higher += b > a ? 1 : b == a ? 0.5 : 0;
		}
	if (fabs(c->value[1] - c->value[0]) < MIN_CHANGE * fmin(c->value[0], c->value[1]) ||
	    isnan(c->value[0]) || isnan(c->value[1]))
		return false;
	return (c->value[1] > c->value[0] ? lower : higher) <= critical_u(c->n[0], c->n[1]);
}

/*
 * Compute a measure of a row. `row` NULL: the row had no operation, so its counters are 0; a
 * counter that `rows` lacks is unknown.
 */
static double measure_of(unsigned int which, const struct rows *rows, const struct row *row,
			 double seconds)
{
	struct values none = { .lacks = rows->total.values.lacks };
	enum figure f = measures[which].figure;

	return figure(row ? &row->values : &none, f, seconds) / (f == ERRORS ? seconds : 1);
}

static void compare_row(struct pair *pair, const struct side sides[2])
{
	const struct row *like = pair->rows[0] ? pair->rows[0] : pair->rows[1];

	for (unsigned int f = 0; f < MEASURES; f++) {
		struct comparison *c = &pair->measures[f];

		for (int s = 0; s < 2; s++) {
			c->value[s] = measure_of(f, &sides[s].all, pair->rows[s],
						 sides[s].measured.seconds);
			for (unsigned int p = 0; p < sides[s].nsplits; p++) {
				const struct rows *rows = &sides[s].splits[p].rows;
				double split = measure_of(f, rows, rows_find(rows, like),
							  sides[s].splits[p].seconds);

				if (!isnan(split))
					c->splits[s][c->n[s]++] = split;
			}
		}
		c->change = c->value[0] > 0 ? c->value[1] / c->value[0] - 1 : NAN;
		c->stands_out = stands_out(c);
	}
}

static int compare_titles(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	return compare_rows(x->rows[0] ? x->rows[0] : x->rows[1],
			    y->rows[0] ? y->rows[0] : y->rows[1]);
}

struct pairs compare(const struct side sides[2])
{
	const struct rows *a = &sides[0].all, *b = &sides[1].all;
	struct pairs pairs = { .pairs = xalloc(calloc(a->n + b->n + 1, sizeof(*pairs.pairs))) };

	for (unsigned int i = 0; i < a->n; i++)
		pairs.pairs[pairs.n++] =
			(struct pair){ .rows = { &a->rows[i], rows_find(b, &a->rows[i]) } };
	for (unsigned int i = 0; i < b->n; i++)
		if (!rows_find(a, &b->rows[i]))
			pairs.pairs[pairs.n++] = (struct pair){ .rows = { NULL, &b->rows[i] } };
	for (unsigned int i = 0; i < pairs.n; i++)
		compare_row(&pairs.pairs[i], sides);
	if (pairs.n)
		qsort(pairs.pairs, pairs.n, sizeof(*pairs.pairs), compare_titles);
	return pairs;
}

void pairs_free(struct pairs *pairs)
{
	free(pairs->pairs);
}
