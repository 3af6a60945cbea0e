// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Intervals in memory. Of each key only the buckets with a count are kept. In an archive some
 * positions are marked, so that an interval that left memory can be read again from the mark before
 * it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/signals.h"
#include "history.h"

/* MEMORY: the most bytes of all intervals in memory. FRAMES: the most intervals in memory. */
#define MEMORY (64 << 20)
#define FRAMES 4096

/* The most marks. When all are used, every other mark is freed, and h->spacing doubles. */
#define MARKS 128

struct frame *history_frame(const struct history *h, unsigned int number)
{
	return number >= h->first && number - h->first < h->n ? h->frames[number - h->first] : NULL;
}

const struct sample *next_sample(const struct frame *frame, const struct sample *sample)
{
	const char *next = frame->samples;

	if (sample)
		next = (const char *)(sample->cells + sample->ncells);
	return next < frame->samples + frame->size ? (const struct sample *)next : NULL;
}

static unsigned int add_cells(struct cell *cells, unsigned int n, unsigned int first,
			      const uint64_t *counts, unsigned int buckets)
{
	for (unsigned int i = 0; i < buckets; i++)
		if (counts[i])
			cells[n++] = (struct cell){ .bucket = first + i, .n = counts[i] };
	return n;
}

/* Append the values of a key to an interval. `series` and `key` are indexes as in struct sample. */
static void add_sample(struct frame *frame, unsigned int series, unsigned int key,
		       const struct values *v)
{
	struct cell cells[ESTAT_LATENCY_BUCKETS + ESTAT_FINE_BUCKETS];
	unsigned int n = add_cells(cells, 0, 0, v->latency, ESTAT_LATENCY_BUCKETS);
	struct sample sample = {
		.series = series,
		.key = key,
		.ops = v->ops,
		.errors = v->errors,
		.bytes = v->bytes,
		.sum_ns = v->sum_ns,
		.sumsq = v->sumsq,
		.max = v->max,
		.inflight = v->inflight,
		.oldest = v->oldest,
	};

	n = add_cells(cells, n, ESTAT_LATENCY_BUCKETS, v->fine, ESTAT_FINE_BUCKETS);
	sample.ncells = n;
	frame->samples =
		xalloc(realloc(frame->samples, frame->size + sizeof(sample) + n * sizeof(*cells)));
	memcpy(frame->samples + frame->size, &sample, sizeof(sample));
	memcpy(frame->samples + frame->size + sizeof(sample), cells, n * sizeof(*cells));
	frame->size += sizeof(sample) + n * sizeof(*cells);
}

/* a + b; NAN counts as 0 unless both values are NAN. */
static double sum(double a, double b)
{
	return isnan(a) ? b : isnan(b) ? a : a + b;
}

/*
 * The number of events missed (`counter` 0) or operations dropped (`counter` 1) in the interval by
 * the module to which the series or module h->module belongs: of the modules for which owns() is
 * true, the one with the longest name. NAN: unknown.
 */
static double missed_events(const struct history *h, unsigned int counter)
{
	const struct key *owner = NULL;

	if (!h->modules || series_lacks(h->modules) & 1U << (FIELD_COUNTER + counter))
		return NAN;
	for (unsigned int k = 0; k < h->modules->nkeys; k++) {
		const struct key *key = h->modules->keys[k];

		if (owns(key->name, h->module) &&
		    (!owner || strlen(key->name) > strlen(owner->name)))
			owner = key;
	}
	return owner ? owner->values.counters[counter] : NAN;
}

static struct frame *make_frame(const struct history *h, const struct interval *interval)
{
	struct frame *frame = xalloc(calloc(1, sizeof(*frame)));

	frame->interval = *interval;
	if (interval->left_out > 0)
		frame->why = xalloc(strdup(h->s->why));
	frame->missed = frame->all_missed = missed_events(h, 0);
	frame->dropped = frame->all_dropped = missed_events(h, 1);
	for (unsigned int p = 0; p < h->nseries; p++) {
		frame->lacks[p] = series_lacks(h->series[p]);
		for (unsigned int k = 0; k < h->series[p]->nkeys; k++)
			if (!values_idle(&h->series[p]->keys[k]->values))
				add_sample(frame, p, k, &h->series[p]->keys[k]->values);
	}
	return frame;
}

void history_figures(struct history *h, struct frame *frame, unsigned int n)
{
	if (n <= frame->nfigures)
		return;
	frame->figures = xalloc(realloc(frame->figures, n * sizeof(*frame->figures)));
	for (unsigned int i = frame->nfigures; i < n; i++)
		frame->figures[i] = NAN;
	h->size += (n - frame->nfigures) * sizeof(*frame->figures);
	frame->nfigures = n;
}

static size_t size_of(const struct frame *frame)
{
	return sizeof(*frame) + frame->size + frame->nfigures * sizeof(*frame->figures);
}

static void free_frame(struct frame *frame)
{
	free(frame->why);
	free(frame->samples);
	free(frame->figures);
	free(frame);
}

static void free_first(struct history *h, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		h->size -= size_of(h->frames[i]);
		free_frame(h->frames[i]);
	}
	h->n -= n;
	h->first += n;
	memmove(h->frames, h->frames + n, h->n * sizeof(*h->frames));
}

static void add_frame(struct history *h, struct frame *frame)
{
	while (h->n && (h->n == FRAMES || h->size + size_of(frame) > MEMORY))
		free_first(h, 1);
	h->size += size_of(frame);
	h->frames[h->n++] = frame;
}

/*
 * Mark the position in an archive after the interval that was read last, if there is no mark yet,
 * or if the last mark is h->spacing or more intervals before that position. `missed` and `dropped`:
 * the sums up to that position.
 */
static void add_mark(struct history *h, double missed, double dropped)
{
	unsigned int next = h->first + h->n;

	if (!h->s->archive || (h->nmarks && next < h->marks[h->nmarks - 1].frame + h->spacing))
		return;
	if (h->nmarks == MARKS) {
		for (unsigned int i = 0; i < MARKS; i += 2) {
			h->marks[i / 2] = h->marks[i];
			free(h->marks[i + 1].mark);
		}
		h->nmarks = MARKS / 2;
		h->spacing *= 2;
	}
	h->marks[h->nmarks].frame = next;
	h->marks[h->nmarks].mark = source_mark(h->s);
	h->marks[h->nmarks].missed = missed;
	h->marks[h->nmarks++].dropped = dropped;
}

void history_begin(struct history *h)
{
	h->frames = xalloc(calloc(FRAMES, sizeof(*h->frames)));
	h->marks = xalloc(calloc(MARKS, sizeof(*h->marks)));
	h->spacing = 32;
	add_mark(h, NAN, NAN);
}

bool history_step(struct history *h)
{
	unsigned int number = h->first + h->n;
	const struct frame *last = h->n ? h->frames[h->n - 1] : NULL;
	double missed = last ? last->all_missed : NAN, dropped = last ? last->all_dropped : NAN;
	struct interval interval;
	struct frame *frame;

	for (unsigned int i = 0; !last && i < h->nmarks; i++)
		if (h->marks[i].frame == number) {
			missed = h->marks[i].missed;
			dropped = h->marks[i].dropped;
		}
	source_clear(h->s);
	if ((h->samples && number >= h->samples) ||
	    source_step(h->s, h->seconds, &interval) == INTERVAL_END) {
		h->ended = h->ended || !stopped;
		return false;
	}
	source_renew_graph(h->s);
	frame = make_frame(h, &interval);
	frame->all_missed = sum(missed, frame->missed);
	frame->all_dropped = sum(dropped, frame->dropped);
	add_frame(h, frame);
	if (number >= h->known)
		h->known = number + 1;
	add_mark(h, frame->all_missed, frame->all_dropped);
	return true;
}

/* Free all intervals, and return to the last mark at or before interval `number`. */
static void go_back(struct history *h, unsigned int number)
{
	unsigned int i = h->nmarks - 1;

	while (i > 0 && h->marks[i].frame > number)
		i--;
	free_first(h, h->n);
	h->first = h->marks[i].frame;
	source_return(h->s, h->marks[i].mark);
}

bool history_find(struct history *h, unsigned int number, unsigned int before)
{
	unsigned int begin = number > before ? number - before : 0;
	bool again = h->s->archive && (number < h->first || (begin < h->first && !h->full));

	if (again)
		go_back(h, number > 2 * before ? number - 2 * before : 0);
	while (!stopped && number >= h->first + h->n && (!h->ended || number < h->known))
		if (!history_step(h))
			break;
	if (again)
		h->full = begin < h->first;
	return history_frame(h, number);
}

static void show_sample(const struct history *h, const struct sample *sample)
{
	struct values *v = &h->series[sample->series]->keys[sample->key]->values;

	v->ops = sample->ops;
	v->errors = sample->errors;
	v->bytes = sample->bytes;
	v->sum_ns = sample->sum_ns;
	v->sumsq = sample->sumsq;
	v->max = sample->max;
	v->inflight = sample->inflight;
	v->oldest = sample->oldest;
	for (unsigned int i = 0; i < sample->ncells; i++) {
		unsigned int bucket = sample->cells[i].bucket;

		if (bucket < ESTAT_LATENCY_BUCKETS)
			v->latency[bucket] = sample->cells[i].n;
		else
			v->fine[bucket - ESTAT_LATENCY_BUCKETS] = sample->cells[i].n;
	}
}

void history_show(struct history *h, const struct frame *frame)
{
	source_clear(h->s);
	for (unsigned int p = 0; p < h->nseries; p++)
		h->series[p]->lacks = frame->lacks[p];
	for (const struct sample *s = next_sample(frame, NULL); s; s = next_sample(frame, s))
		show_sample(h, s);
}
