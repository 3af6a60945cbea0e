// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a module serves.
 */
#include <stdlib.h>

#include "data/series.h"
#include "data/series.h"
#include "data/evict.h"
#include "data/series.h"
#include "exports.h"
#include "lib/clock.h"
#include "lib/xalloc.h"

/* If one before it has the same maps, they see to them together. */
static void share_maps(const struct served *served, struct series *s)
{
	for (unsigned int i = 0; i < served->nseries; i++)
		if (served->series[i]->maps == s->maps) {
			series_share(served->series[i]->first, s);
			return;
		}
}

static void add_series(struct served *served, int domain)
{
	const struct schema *schema = served->module->schema;

	served->series = xalloc(calloc(schema->nseries, sizeof(*served->series)));
	for (unsigned int i = 0; i < schema->nseries; i++) {
		struct series *s;

		if (schema->series[i].hidden)
			continue;
		s = series_new(served->module, i, domain);
		share_maps(served, s);
		served->series[served->nseries++] = s;
		metrics_add_series(&served->metrics, s);
	}
}

struct served *served_new(struct module *module, int domain)
{
	struct served *served = xalloc(calloc(1, sizeof(*served)));

	served->module = module;
	served->stops = module->stops;
	served->metrics.domain = domain;
	served->metrics.served = served;
	served->looked = clock_now();
	add_series(served, domain);
	if (module->schema->events.nparameters) {
		served->events = events_new(module, domain);
		metrics_add_events(&served->metrics, served->events);
	}
	return served;
}

void served_free(struct served *served)
{
	for (unsigned int i = 0; i < served->nseries; i++)
		series_free(served->series[i]);
	free(served->series);
	if (served->events)
		events_free(served->events);
	metrics_free(&served->metrics);
	free(served);
}

void served_carry(struct served *served, const struct served *from)
{
	for (unsigned int i = 0; i < served->nseries; i++) {
		struct series *s = served->series[i];

		slots_find_all(from->series[i]);
		series_fold(from->series[i]);
		series_carry(s, from->series[i]);
		series_fold(s);
		baseline_begin(s);
	}
	if (served->events)
		events_carry(served->events, from->events);
	served->asked = from->asked;
	served->looked = clock_now();
}

/* When there is something to be done soon for a series, or UINT64_MAX. */
static uint64_t series_due(const struct series *s)
{
	uint64_t due = evict_due(s);

	if (s->unsaved && s->found + FIND_PAUSE_NS < due)
		due = s->found + FIND_PAUSE_NS;
	if (s->nretired && s->checked + NAMES_CHECK_NS < due)
		due = s->checked + NAMES_CHECK_NS;
	return due;
}

uint64_t served_due(const struct served *served)
{
	uint64_t due = UINT64_MAX;

	if (served->module->status != MODULE_RUNNING)
		return due;
	for (unsigned int i = 0; i < served->nseries; i++) {
		uint64_t one = series_due(served->series[i]);

		if (one < due)
			due = one;
	}
	return due;
}

void served_go_on(struct served *served)
{
	uint64_t now = clock_now();

	for (unsigned int i = 0; i < served->nseries; i++) {
		struct series *s = served->series[i];

		if (s->unsaved)
			slots_find_new(s);
		if (s->nretired)
			slots_check(s, now);
		if (evict_due(s) <= now)
			evict_look(s);
	}
}

bool served_look(struct served *served)
{
	uint64_t now = clock_now();

	if (now - served->looked < BASELINE_NS || !module_is_attached(served->module))
		return false;
	for (unsigned int i = 0; i < served->nseries; i++) {
		series_fold(served->series[i]);
		baseline_look(served->series[i]);
		buckets_forget_stale(served->series[i]);
	}
	served->looked = now;
	return true;
}

struct series *served_series(const struct served *served, pmInDom indom,
			     struct bucket_indom **buckets)
{
	*buckets = NULL;
	for (unsigned int i = 0; i < served->nseries; i++) {
		struct series *s = served->series[i];

		if (s->keys == indom)
			return s;
		for (unsigned int j = 0; j < s->nindoms; j++) {
			if (s->indoms[j].indom.it_indom != indom)
				continue;
			*buckets = &s->indoms[j];
			return s;
		}
	}
	return NULL;
}
