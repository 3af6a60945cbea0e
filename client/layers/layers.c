// SPDX-License-Identifier: GPL-2.0-or-later
/* estat layers [TARGET]: the layers of a host or archive, interval by interval. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/signals.h"
#include "breakdown_text.h"
#include "fail.h"
#include "hang.h"
#include "judge.h"
#include "layers.h"
#include "resolve.h"
#include "source/filter.h"
#include "source/modules.h"
#include "stackprint.h"
#include "view/intervals.h"

/*
 * Default length of a host's interval in seconds. In a shorter interval fewer slow operations would
 * end.
 */
#define PERIOD 5

#define MAPPER "/dev/mapper/"

struct run {
	const struct options *o;
	struct source *s;
	struct layers layers;
	struct target target;
	struct graph graph;
	struct who who;
	struct waits waits;
	struct breakdowns breakdowns;
	/* source_add_missed(): each module's missed events and dropped operations; or NULL */
	const struct series *modules;
};

static void print_name(const char *name, const struct device *device)
{
	char *is = device_text(device);

	printf("  name %s: %s\n", name, is);
	free(is);
}

/* Is `name`, from device.names, that of a dataset, a volume or a backstore, such as tank/data? */
static bool is_inside(const char *name)
{
	return *name != '/' && strchr(name, '/');
}

static void print_containers(struct source *s)
{
	struct text *names;
	unsigned int n = source_texts(s, "containers.name", &names);

	for (unsigned int i = 0; i < n; i++)
		printf("  name %s: container\n", names[i].value);
	texts_free(names, n);
}

/*
 * Print names that a target can have: of disks, pools and the like, also names in /dev/mapper and
 * tags such as UUID=x; of datasets, volumes and backstores; of mounts that stand on something; if
 * the source is this host, of containers, too.
 */
static void print_names(struct source *s)
{
	struct devices graph;

	if (is_here(s))
		print_containers(s);
	devices_read(&graph, s);
	for (unsigned int i = 0; i < graph.n; i++) {
		const struct device *device = graph.devices[i];

		if (!device_is_mount(device) || device->nbelow)
			print_name(device->name, device);
		for (unsigned int j = 0; j < device->nnames; j++)
			if (!strncmp(device->names[j], MAPPER, strlen(MAPPER)))
				print_name(device->names[j] + strlen(MAPPER), device);
			else if (is_inside(device->names[j]) || resolve_tag(device->names[j]))
				print_name(device->names[j], device);
	}
}

/* Print those axes of a series that no layer has. */
static void print_other(const struct layers *layers, const struct text *series, struct source *s)
{
	char *prefix = xasprintf("estat.%s", series->instance), *axis;
	const char *rest = series->value;
	bool any = false;

	while ((axis = text_word(&rest))) {
		if (!layers_have(layers, axis)) {
			const struct series *keys = source_share(s, prefix, READ_BASIC);

			if (!any)
				puts(series->instance);
			any = true;
			printf("  axis %s: %s\n", axis,
			       keys ? values_seen(keys, axis) : "none so far");
		}
		free(axis);
	}
	free(prefix);
}

int help_layers(struct options *o, struct source *s)
{
	static struct layers layers;
	const char *none = NULL;

	refuse_options(o, "mMapclLzZqQyYtTPjJSBeFDIN", "it is help");
	check_agent(s);
	layers_find(&layers, s, true, false, &none, variants);
	for (unsigned int i = 0; i < layers.n; i++) {
		const struct layer *layer = &layers.layers[i];

		printf("%s%s%s\n", layer->name, *layer->above ? ", below " : "", layer->above);
		for (unsigned int a = 0; layer->keys && a < layer->keys->layout.naxes; a++)
			printf("  axis %s: %s\n", layer->keys->layout.axes[a],
			       values_seen(layer->keys, layer->keys->layout.axes[a]));
	}
	for (unsigned int i = 0; i < layers.nseries; i++)
		print_other(&layers, &layers.series[i], s);
	print_names(s);
	return EXIT_SUCCESS;
}

static void find_disks(struct run *run)
{
	target_find_disks(&run->target, &run->layers, run->s);
	run->graph = (struct graph){ 0 };
	graph_read(&run->graph, &run->target.graph, run->s);
}

/*
 * If the host's graph of devices has changed, read the graph and look up the target again. If the
 * target's name now stands for another thing, as a mount's directory does after umount(2), the old
 * target and graph stay, but with the new graph's `text`, so that devices_changed() is false until
 * the graph changes once more.
 */
static void renew_graph(struct run *run)
{
	struct target now, old = run->target;

	if (run->s->archive || !devices_changed(&old.graph, run->s))
		return;
	target_find(&now, run->o->target, run->o, run->s);
	if (!target_is_same(&now, &old)) {
		run->target.graph.text = now.graph.text;
		now.graph.text = old.graph.text;
		target_free(&now);
		return;
	}
	run->target = now;
	run->target.o = &run->target.options;
	target_free(&old);
	find_disks(run);
}

static void print_interval(void *context, const struct interval *interval)
{
	static struct stack stack;
	struct verdict verdict;
	struct run *run = context;

	renew_graph(run);
	stack_read(&stack, &run->layers, &run->target, interval->seconds);
	hang_find(&stack, &run->layers, &run->graph);
	fail_find(&stack, &run->graph);
	judge(&verdict, &stack, &run->layers, &run->graph);
	breakdowns_read(&run->breakdowns, &stack, interval->seconds);
	if (run->o->form == FORM_JSON)
		stack_print_json(&stack, &verdict, &run->who, &run->waits, &run->breakdowns, run->s,
				 interval);
	else
		stack_print_table(&stack, &verdict, &run->who, &run->waits, &run->breakdowns,
				  run->s, interval);
	note_missed(run->s, run->modules);
	if (!stack.hang.key)
		note_walks(run->s, run->modules);
}

int run_layers(struct options *o, struct source *s)
{
	static struct run run;

	run.o = o;
	run.s = s;
	refuse_options(o, "aplLzZqQyYtTPjS", "its table is the same always");
	if (o->nby > 1)
		die(EXIT_USAGE, "layers takes one axis after --by");
	check_agent(s);
	note_broken(s);
	target_find(&run.target, o->target, o, s);
	layers_find(&run.layers, s, o->nby || target_restricts(&run.target),
		    devices_are_stacked(&run.target.graph), run.target.axes, variants);
	find_disks(&run);
	breakdowns_find(&run.breakdowns, &run.layers, o, s);
	breakdowns_explain(&run.breakdowns, s);
	who_read(&run.who, s);
	waits_read(&run.waits, &run.layers, s);
	run.modules = source_add_missed(s);
	target_check(&run.target, &run.layers, s);
	breakdowns_check(&run.breakdowns, s);
	if (!o->seconds && s->archive && o->monitor)
		o->seconds = EACH_RECORD;
	if (!o->seconds && !s->archive)
		o->seconds = PERIOD;
	catch_signals(NULL);
	if (!source_begin(s))
		source_has_nothing(s->where, "its layers");
	if (!s->archive && o->form == FORM_TABLES)
		puts("Tracing enabled... Hit Ctrl-C to end.");
	if (flush_output() && !print_intervals(o, s, print_interval, &run) && flush_output())
		die(EXIT_NO_DATA, "there is no interval to show");
	return EXIT_SUCCESS;
}
