// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "data/evict.h"
#include "data/series.h"
#include "data/slow.h"
#include "exports.h"
#include "lib/clock.h"
#include "lib/xalloc.h"
#include "load/host.h"

/* Link a new series to the first series with the same maps, if there is one. */
static void share_maps(const struct exports *exports, struct series *s)
{
	for (unsigned int i = 0; i < exports->nseries; i++)
		if (exports->series[i]->maps == s->maps) {
			series_share(exports->series[i]->first, s);
			return;
		}
}

static bool is_by_disk_and_operation(const struct series_schema *s)
{
	return s->naxes >= 2 && s->axes[0].kind == AXIS_DEVICE && !strcmp(s->axes[1].name, "op");
}

/*
 * Raise maps->expected, by which divide() in table.c chooses the first slots, to as many keys of
 * the series as PCP's cache has. The cache has keys of earlier runs of the agent. If the module was
 * started before in this run, as before a stop or a new file, the cache has keys of this run, too.
 * If the cache has none, and the series is by disk and operation, maps->expected is raised to as
 * many keys as host_disk_operations() says.
 */
static void expect_keys(const struct module *m, const struct series *s)
{
	struct series_maps *maps = &m->now.memory.maps[s->schema->table];
	int known = pmdaCacheOp(s->keys, PMDA_CACHE_SIZE);

	if (known <= 0 && is_by_disk_and_operation(s->table))
		known = host_disk_operations();
	if (known > 0 && (uint32_t)known > maps->expected)
		maps->expected = known;
}

static void add_series(struct exports *exports, int domain)
{
	const struct schema *schema = exports->module->edition->schema;

	exports->series = xalloc(calloc(schema->nseries, sizeof(*exports->series)));
	for (unsigned int i = 0; i < schema->nseries; i++) {
		struct series *s;

		if (schema->series[i].hidden)
			continue;
		s = series_new(exports->module, i, domain);
		expect_keys(exports->module, s);
		share_maps(exports, s);
		exports->series[exports->nseries++] = s;
		metrics_add_series(&exports->metrics, s);
	}
}

struct exports *exports_new(struct module *module, int domain)
{
	struct exports *exports = xalloc(calloc(1, sizeof(*exports)));

	exports->module = module;
	exports->stops = module->history.stops;
	exports->metrics.domain = domain;
	exports->metrics.exports = exports;
	exports->looked = clock_now();
	add_series(exports, domain);
	if (module->edition->schema->rings[RING_EVENTS].nparameters) {
		exports->events = events_new(module, domain);
		metrics_add_events(&exports->metrics, exports->events);
	}
	if (module->edition->schema->rings[RING_LAST].nparameters) {
		exports->last = last_new(module);
		metrics_add_last(&exports->metrics, exports->last);
	}
	return exports;
}

void exports_free(struct exports *exports)
{
	for (unsigned int i = 0; i < exports->nseries; i++)
		series_free(exports->series[i]);
	free(exports->series);
	if (exports->events)
		events_free(exports->events);
	if (exports->last)
		last_free(exports->last);
	metrics_free(&exports->metrics);
	free(exports);
}

void exports_gather(const struct exports *exports)
{
	for (unsigned int i = 0; i < exports->nseries; i++) {
		if (loaded_is_there(&exports->module->now))
			slots_find_all(exports->series[i]);
		series_fold(exports->series[i]);
	}
}

void exports_keep(const struct exports *exports)
{
	for (unsigned int i = 0; i < exports->nseries; i++)
		slots_keep(exports->series[i]);
}

void exports_begin(struct exports *exports)
{
	for (unsigned int i = 0; i < exports->nseries; i++) {
		slots_find_all(exports->series[i]);
		rows_hide_unused(exports->series[i]);
		series_fold(exports->series[i]);
		baseline_begin(exports->series[i]);
	}
	exports->looked = clock_now();
}

void exports_carry(struct exports *exports, const struct exports *from)
{
	for (unsigned int i = 0; i < exports->nseries; i++) {
		struct series *s = exports->series[i];

		series_carry(s, from->series[i]);
		series_fold(s);
		baseline_begin(s);
	}
	if (exports->events)
		events_carry(exports->events, from->events);
	exports->looked = clock_now();
}

/* The time at which a series next has work to do, CLOCK_MONOTONIC ns; UINT64_MAX: no work. */
static uint64_t series_due(const struct series *s)
{
	uint64_t due = evict_due(s);

	if (s->unsaved && s->found + FIND_PAUSE_NS < due)
		due = s->found + FIND_PAUSE_NS;
	if (s->nretired && s->checked + NAMES_CHECK_NS < due)
		due = s->checked + NAMES_CHECK_NS;
	return due;
}

uint64_t exports_due(const struct exports *exports)
{
	uint64_t due = UINT64_MAX;

	if (!loaded_is_there(&exports->module->now))
		return due;
	for (unsigned int i = 0; i < exports->nseries; i++) {
		uint64_t one = series_due(exports->series[i]);

		if (one < due)
			due = one;
	}
	return due;
}

void exports_go_on(struct exports *exports)
{
	uint64_t now = clock_now();

	for (unsigned int i = 0; i < exports->nseries; i++) {
		struct series *s = exports->series[i];

		if (s->unsaved)
			slots_find_new(s);
		if (s->nretired)
			slots_check(s, now);
		if (evict_due(s) <= now)
			evict_look(s);
	}
}

/* Write into each slot in use the threshold above which an operation of the slot's key is slow. */
static void set_slots(const struct exports *exports)
{
	for (unsigned int i = 0; i < exports->nseries; i++)
		if (exports->series[i]->first == exports->series[i])
			slow_set(exports->series[i]);
}

void exports_set_slow(struct module *m, uint64_t ns)
{
	m->slow = ns;
	if (m->now.memory.slow) {
		m->now.memory.slow->ns = ns;
		set_slots(m->exports);
	}
	pmNotifyErr(LOG_INFO, "module %s: slow = %llu us", m->edition->name,
		    (unsigned long long)ns / 1000);
}

bool exports_look(struct exports *exports)
{
	bool slow = exports->module->now.memory.slow && exports->module->slow;
	uint64_t now = clock_now();

	if (now - exports->looked < BASELINE_NS || !module_is_attached(exports->module))
		return false;
	for (unsigned int i = 0; i < exports->nseries; i++) {
		series_fold(exports->series[i]);
		if (slow)
			slow_look(exports->series[i]);
		baseline_look(exports->series[i]);
		buckets_forget_stale(exports->series[i]);
	}
	if (slow)
		set_slots(exports);
	exports->looked = now;
	return true;
}

struct series *exports_series(const struct exports *exports, pmInDom indom,
			      struct bucket_indom **buckets)
{
	*buckets = NULL;
	for (unsigned int i = 0; i < exports->nseries; i++) {
		struct series *s = exports->series[i];

		if (s->keys == indom)
			return s;
		for (unsigned int j = 0; j < s->nindoms; j++)
			if (s->indoms[j].indom.it_indom == indom) {
				*buckets = &s->indoms[j];
				return s;
			}
	}
	return NULL;
}
