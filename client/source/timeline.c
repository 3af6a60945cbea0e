// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Intervals in order of time. If an archive has more than KEPT intervals, the intervals in each
 * unit of time are merged into one, and a column of the picture is a whole number of units.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"
#include "timeline.h"

#define KEPT         8192
#define KEPT_LIVE    2048

#define ROUNDING     0.003 /* round_step() changes a length by at most this share */
#define ROUND_LONGER 1.34  /* the most by which column_length() multiplies the least length */
#define GAP_SHARE    0.05  /* a gap is shown in a column of which it covers more than this share */

double round_time(double seconds)
{
	static const double times[] = { 0.1,  0.2,  0.5,  1,     2,     5,     10,   15,
					20,   30,   60,   120,   300,   600,   900,  1200,
					1800, 3600, 7200, 10800, 14400, 21600, 43200 };
	const double day = 86400;
	double days = 1;

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if (times[i] >= seconds * (1 - 1e-9))
			return times[i];
	while (days * day < seconds)
		days++;
	return days * day;
}

static bool is_multiple(double time, double unit)
{
	double n = time / unit;

	return fabs(n - round(n)) < 1e-6 && n > 0.5;
}

/*
 * Round a length to two significant digits, if that changes the length by at most ROUNDING:
 * pmlogger can be slightly late.
 */
static double round_step(double seconds)
{
	double digits = pow(10, floor(log10(seconds)) - 1);
	double near = round(seconds / digits) * digits;

	return fabs(near - seconds) <= ROUNDING * seconds ? near : seconds;
}

/* The median length of the intervals that were measured without time left out; 1 if none was. */
static double usual_step(const struct timeline *t)
{
	double *steps = xalloc(calloc(t->n + 1, sizeof(*steps))), usual = 1;
	unsigned int n = 0;

	for (unsigned int i = 0; i < t->n; i++)
		if (t->kept[i].measured > 0 && t->kept[i].left_out <= 0)
			steps[n++] = t->kept[i].end - t->kept[i].begin;
	if (n)
		usual = round_step(median(steps, n));
	free(steps);
	return usual;
}

static bool is_gap(const struct column *c)
{
	return c->measured <= 0;
}

static void merge(struct column *into, const struct column *from)
{
	into->end = from->end;
	into->measured += from->measured;
	into->left_out += from->left_out;
	into->why = from->why ? from->why : into->why;
	values_add(&into->values, &from->values);
}

/* Are both intervals in the same unit of time? False if one is a gap of a unit or longer. */
static bool in_same_unit(const struct timeline *t, const struct column *a, const struct column *b)
{
	double origin = t->kept[0].begin;

	if ((is_gap(a) && a->left_out >= t->unit) || (is_gap(b) && b->left_out >= t->unit))
		return false;
	return floor((a->at - origin) / t->unit) == floor((b->at - origin) / t->unit);
}

/* The next longer unit: a round time that is a multiple of the unit, or else twice the unit. */
static double next_unit(double unit)
{
	for (double time = round_time(2 * unit); time <= 20 * unit; time = round_time(time * 1.01))
		if (is_multiple(time, unit))
			return time;
	return 2 * unit;
}

static void merge_all(struct timeline *t)
{
	unsigned int n = 1;

	t->unit = next_unit(t->unit > 0 ? t->unit : usual_step(t));
	for (unsigned int i = 1; i < t->n; i++) {
		if (in_same_unit(t, &t->kept[n - 1], &t->kept[i]))
			merge(&t->kept[n - 1], &t->kept[i]);
		else
			t->kept[n++] = t->kept[i];
	}
	t->n = n;
}

static void make_room(struct timeline *t, bool live)
{
	if (live && t->n == KEPT_LIVE) {
		t->n /= 2;
		memmove(t->kept, t->kept + t->n, t->n * sizeof(*t->kept));
	}
	while (!live && t->n >= KEPT)
		merge_all(t);
	if (t->n < t->room)
		return;
	t->room = t->room ? 2 * t->room : 64;
	t->kept = xalloc(realloc(t->kept, t->room * sizeof(*t->kept)));
}

void timeline_add(struct timeline *t, const struct column *c, bool live)
{
	struct column next = *c;

	next.at = (c->begin + c->end) / 2;
	if (t->unit > 0 && t->n && in_same_unit(t, &t->kept[t->n - 1], &next)) {
		merge(&t->kept[t->n - 1], &next);
		return;
	}
	make_room(t, live);
	t->kept[t->n++] = next;
}

struct columns timeline_newest(const struct timeline *t, double seconds, unsigned int most)
{
	struct columns made = { .columns = xalloc(calloc(most, sizeof(*made.columns))) };
	unsigned int left = most;

	for (unsigned int i = t->n; i > 0 && left > 0; i--) {
		const struct column *c = &t->kept[i - 1];
		unsigned int n = is_gap(c) ? fmax(round(c->left_out / seconds), 1) : 1;

		while (n-- > 0 && left > 0)
			made.columns[--left] = *c;
	}
	made.n = most - left;
	memmove(made.columns, made.columns + left, made.n * sizeof(*made.columns));
	return made;
}

/*
 * The length that columns must have so that `most` columns hold `span`. `least` is the shortest
 * such multiple of `step`. The result is the first round time from `least` to ROUND_LONGER *
 * `least` that is a multiple of `step`, or `least` if there is no such time.
 */
static double column_length(double step, double span, unsigned int most)
{
	double least = step * fmax(ceil((span / step - 0.5) / most), 1), nice;

	for (nice = round_time(least); nice <= least * ROUND_LONGER; nice = round_time(nice * 1.01))
		if (is_multiple(nice, step))
			return nice;
	return least;
}

/*
 * The index of the column to which a time belongs. A time before the first column, or after the
 * last column, belongs to that column.
 */
static unsigned int position(const struct columns *c, double time)
{
	double i = floor((time - c->begin) / c->seconds);

	return i < 0 ? 0 : i >= c->n ? c->n - 1 : i;
}

/* The share of column i that a span of time covers. */
static double share(const struct columns *c, unsigned int i, double begin, double end)
{
	double from = fmax(begin, c->begin + i * c->seconds);
	double to = fmin(end, c->begin + (i + 1) * c->seconds);

	return fmax(to - from, 0) / c->seconds;
}

static void put_gap(struct columns *c, const struct column *gap)
{
	for (unsigned int i = position(c, gap->begin); i <= position(c, gap->end); i++) {
		double part = share(c, i, gap->begin, gap->end);

		if (part <= GAP_SHARE)
			continue;
		c->columns[i].left_out += part * c->seconds;
		c->columns[i].why = gap->why;
	}
}

/*
 * Put an interval, moved by `shift` seconds, into the column to which its `at` then belongs. Set
 * `from` of each column that has no interval of its own, if this interval covers more than half of
 * the column.
 */
static void put_measured(struct columns *c, const struct column *interval, double shift)
{
	unsigned int at = position(c, interval->at + shift);
	struct column *column = &c->columns[at];

	double left_out = column->left_out;

	if (column->measured > 0) {
		merge(column, interval);
	} else {
		*column = *interval;
		column->left_out += left_out;
	}
	for (unsigned int i = position(c, interval->begin + shift);
	     i <= position(c, interval->end + shift); i++)
		if (c->columns[i].measured <= 0 &&
		    share(c, i, interval->begin + shift, interval->end + shift) > 0.5)
			c->columns[i].from = i < at ? 1 : -1;
}

/*
 * The seconds by which `begin` must move, forward or back, to be a multiple of `step` after the
 * begin of the first column. After a restart pmlogger's records come at other times; without the
 * shift, columns of a few intervals would get unequal numbers of intervals.
 */
static double middle_shift(const struct columns *c, double step, double begin)
{
	double since = begin - c->begin;

	return round(since / step) * step - since;
}

struct columns timeline_columns(const struct timeline *t, unsigned int most)
{
	double step = t->unit > 0 ? t->unit : usual_step(t), shift = 0;
	struct columns made = { .begin = t->kept[0].begin };
	double span = t->kept[t->n - 1].end - made.begin;

	made.seconds = column_length(step, span, most);
	made.n = fmin(fmax(ceil((span - step / 2) / made.seconds), 1), most);
	made.columns = xalloc(calloc(made.n, sizeof(*made.columns)));
	for (unsigned int i = 0; i < t->n; i++) {
		const struct column *c = &t->kept[i];

		if (is_gap(c)) {
			put_gap(&made, c);
			continue;
		}
		if (t->unit <= 0 && (i == 0 || is_gap(c - 1)))
			shift = middle_shift(&made, step, c->begin);
		put_measured(&made, c, shift);
	}
	for (unsigned int i = 0; i < made.n; i++) {
		struct column *c = &made.columns[i];

		if (c->measured > 0)
			continue;
		c->begin = made.begin + i * made.seconds;
		c->end = c->begin + made.seconds;
	}
	return made;
}

void columns_free(struct columns *c)
{
	free(c->columns);
}
