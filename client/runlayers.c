// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * estat layers [POOL | DISK | MOUNT]: the stack of this host or archive, interval by interval.
 */
#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"
#include "runs.h"
#include "signals.h"
#include "stackprint.h"

/* Seconds, if the command line does not say: slow operations are to end in it. */
#define PERIOD 5

/* Warn of what the layers' modules did not count in the interval. */
static void warn_of_lost(const struct source *s, const struct series *modules)
{
	for (unsigned int k = 0; modules && k < modules->nkeys; k++) {
		const struct key *key = modules->keys[k];
		const uint64_t *lost = key->values.counters;
		unsigned int i = 0;

		while (i < s->nmodules && strcmp(s->modules[i].name, key->name))
			i++;
		if (i < s->nmodules && (lost[0] || lost[1]))
			note("WARNING: %s did not measure %" PRIu64 " events, and dropped %" PRIu64,
			     key->name, lost[0], lost[1]);
	}
}

/* The layers, what stands above them, and what tells their keys apart. */
int help_layers(struct options *o, struct source *s)
{
	static struct layers layers;

	refuse_options(o, "mMapclLzZqQyYtTPjJSBe", "it is help");
	check_agent(s);
	layers_find(&layers, s, true);
	for (unsigned int i = 0; i < layers.n; i++) {
		const struct layer *layer = &layers.layers[i];

		printf("%s%s%s\n", layer->name, *layer->above ? ", below " : "", layer->above);
		for (unsigned int a = 0; layer->keys && a < layer->keys->shown.naxes; a++)
			printf("  axis %s: %s\n", layer->keys->shown.axes[a],
			       values_seen(layer->keys, layer->keys->shown.axes[a]));
	}
	return EXIT_SUCCESS;
}

/* Print intervals until they end. Returns how many. */
static int print_intervals(const struct options *o, struct source *s, const struct layers *layers,
			   const struct place *place, const struct series *modules)
{
	static struct stack stack;
	struct interval sum = { .begin = s->time };
	int steps = 0, printed = 0;

	do {
		struct interval interval;
		enum outcome outcome;

		if (!o->accumulate) {
			source_clear(s);
			sum = (struct interval){ .begin = s->time };
		}
		outcome = source_step(s, o->seconds, &interval);
		if (outcome == INTERVAL_END)
			break;
		sum.seconds += interval.seconds;
		sum.left_out += interval.left_out;
		sum.end = interval.end;
		if (outcome == INTERVAL_OK && sum.seconds > 0) {
			stack_read(&stack, layers, place, sum.seconds);
			if (o->form == FORM_JSON)
				stack_print_json(&stack, s, &sum);
			else
				stack_print_table(&stack, s, &sum);
			warn_of_lost(s, modules);
			printed++;
		}
		steps++;
	} while (o->monitor && !stopped && flush_output() && (!o->samples || steps < o->samples));
	return printed;
}

int run_layers(struct options *o, struct source *s)
{
	static const char *const lost[] = { "missed", "dropped", NULL };
	static struct layers layers;
	struct place place;
	const struct series *modules;

	refuse_options(o, "aplLzZqQyYtTPjSBe", "its table is the same always");
	check_agent(s);
	setlocale(LC_CTYPE, "");
	place_find(&place, o->place, o, s);
	layers_find(&layers, s, place_restricts(&place));
	modules = source_add(s, "estat.module", 0, lost);
	place_check(&place, &layers);
	if (o->collect && !o->seconds)
		o->seconds = o->collect;
	if (!o->seconds && s->archive && o->monitor)
		o->seconds = EACH_RECORD;
	if (!o->seconds && !s->archive)
		o->seconds = PERIOD;
	catch_signals(NULL);
	if (!source_begin(s))
		die(EXIT_NO_DATA, "%s has nothing of its layers in this time", s->where);
	if (!s->archive && o->form == FORM_TABLES)
		puts("Tracing enabled... Hit Ctrl-C to end.");
	if (flush_output() && !print_intervals(o, s, &layers, &place, modules) && flush_output())
		die(EXIT_NO_DATA, "there is no interval to show");
	return EXIT_SUCCESS;
}
