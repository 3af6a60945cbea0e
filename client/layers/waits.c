// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/format.h"
#include "lib/xalloc.h"
#include "facts.h"
#include "waits.h"

#define LEAST 0.05 /* a reason with less than this share of the operations' time is not named */
#define MOST  3    /* the most reasons that are named */

/* Reasons, and what the sentence calls each. A reason that is not listed is called by its name. */
static const char *const nouns[][2] = {
	{ "on_cpu", "work on a CPU" },
	{ "run_queue", "the run queue" },
	{ "lock", "locks" },
	{ "folio", "pages of other threads" },
	{ "device", "the device" },
	{ "journal", "the journal" },
	{ "log", "the log" },
	{ "dirty_throttle", "the dirty throttle" },
	{ "io_max", "io.max" },
	{ "iocost", "io.cost" },
	{ "io_latency", "io.latency" },
	{ "tag", "the wait for a tag" },
	{ "network", "the network" },
	{ "zil", "the intent log" },
	{ "txg", "the transaction group" },
	{ "asynchronous", "after the call" },
	{ "other", "other waits" },
};

static const char *noun_of(const char *reason)
{
	for (unsigned int i = 0; i < sizeof(nouns) / sizeof(nouns[0]); i++)
		if (!strcmp(reason, nouns[i][0]))
			return nouns[i][1];
	return reason;
}

void waits_read(struct waits *waits, const struct layers *layers, struct source *s)
{
	*waits = (struct waits){ 0 };
	for (unsigned int i = 0; i < layers->n && !waits->reasons; i++) {
		const char *series = fact_of(layers->layers[i].name)->reasons;
		char *reasons = series ? xasprintf("estat.%s", series) : NULL;
		char *operations = series ? xasprintf("%s.operation", reasons) : NULL;

		if (series) {
			waits->reasons = source_share(s, reasons, READ_BASIC);
			waits->operations = source_share(s, operations, READ_BASIC);
		}
		free(operations);
		free(reasons);
	}
}

/* Do two keys have the same value on the axis, or do both lack the axis? */
static bool agree(const struct key *a, const struct key *b, const char *axis)
{
	const char *of_a = key_axis(a, axis), *of_b = key_axis(b, axis);

	return of_a && of_b ? !strcmp(of_a, of_b) : of_a == of_b;
}

/*
 * Has the key the op of the first step's key and, if that step has a place, the device and file
 * system of the first step's key?
 */
static bool belongs_to(const struct key *key, const struct step *first)
{
	return agree(key, first->key, "op") &&
	       (!first->place ||
		(agree(key, first->key, "device") && agree(key, first->key, "fs")));
}

struct reason {
	const char *name;
	uint64_t ns;
};

#define REASONS 32 /* the most reasons that are added up; others are left out */

static int compare_reasons(const void *a, const void *b)
{
	const struct reason *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* Set found[] to the reasons of the first step's time, the longest first. Returns their number. */
static unsigned int add_reasons(const struct series *reasons, const struct step *first,
				struct reason found[REASONS])
{
	unsigned int n = 0, r;

	for (unsigned int k = 0; k < reasons->nkeys; k++) {
		const struct key *key = reasons->keys[k];
		const char *name = key_axis(key, "reason");

		if (!name || !belongs_to(key, first))
			continue;
		for (r = 0; r < n && strcmp(found[r].name, name); r++)
			;
		if (r == REASONS)
			continue;
		if (r == n)
			found[n++] = (struct reason){ name, 0 };
		found[r].ns += key->values.sum_ns;
	}
	qsort(found, n, sizeof(found[0]), compare_reasons);
	return n;
}

char *waits_sentence(const struct waits *waits, const struct verdict *v, const struct stack *stack)
{
	const struct step *first = &v->steps[0];
	struct reason found[REASONS];
	struct values all = { 0 };
	char *text = NULL, time[FORMAT_LEN];
	unsigned int n;
	size_t size;
	FILE *f;

	if (!v->nsteps || !waits->reasons || !waits->operations ||
	    !fact_of(stack->levels[first->layer].layer->name)->reasons)
		return NULL;
	for (unsigned int k = 0; k < waits->operations->nkeys; k++)
		if (belongs_to(waits->operations->keys[k], first))
			values_add(&all, &waits->operations->keys[k]->values);
	n = add_reasons(waits->reasons, first, found);
	if (!all.ops || !n || !found[0].ns || found[0].ns < LEAST * all.sum_ns)
		return NULL;
	f = xalloc(open_memstream(&text, &size));
	format_latency(time, all.sum_ns / 1e3 / all.ops, 0);
	fprintf(f, "Of the %s of each %s", time, key_axis(first->key, "op"));
	for (unsigned int r = 0; r < n && r < MOST && found[r].ns >= LEAST * all.sum_ns; r++)
		fprintf(f, ", %s%s %s", format_latency(time, found[r].ns / 1e3 / all.ops, 0),
			r ? "" : " are", noun_of(found[r].name));
	fputc('.', f);
	fclose(f);
	return xalloc(text);
}
