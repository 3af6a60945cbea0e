// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/escape.h"
#include "devices.h"
#include "texts.h"

static int compare_names(const void *a, const void *b)
{
	const struct device *x = a, *y = b;

	return strcmp(x->name, y->name);
}

struct device *devices_node(const struct devices *graph, const char *name)
{
	struct device like = { .name = (char *)name };
	struct device **found = tfind(&like, &graph->by_name, compare_names);

	return found ? *found : NULL;
}

static struct device *node_of(struct devices *graph, const char *name)
{
	struct device *device = devices_node(graph, name);

	if (device)
		return device;
	device = xalloc(calloc(1, sizeof(*device)));
	device->name = xalloc(strdup(name));
	device->kind = xalloc(strdup(""));
	xalloc(tsearch(device, &graph->by_name, compare_names));
	graph->devices = grow(graph->devices, graph->n, sizeof(*graph->devices));
	graph->devices[graph->n++] = device;
	return device;
}

static void take_kind(struct devices *graph, struct device *device, char *word)
{
	(void)graph;
	free(device->kind);
	device->kind = xalloc(strdup(word));
}

static void take_name(struct devices *graph, struct device *device, char *word)
{
	(void)graph;
	device->names = grow(device->names, device->nnames, sizeof(*device->names));
	device->names[device->nnames++] = unescape_name(xalloc(strdup(word)));
}

/* Add an edge from `device`. `word` is ROLE=NODE, such as data=sda1. */
static void take_below(struct devices *graph, struct device *device, char *word)
{
	char *name = strchr(word, '=');

	if (!name)
		return;
	*name++ = '\0';
	device->below = grow(device->below, device->nbelow, sizeof(*device->below));
	device->below[device->nbelow++] = (struct below){
		.role = xalloc(strdup(word)),
		.device = node_of(graph, unescape_name(name)),
	};
}

/* The metrics of the graph, and for each the function that takes a word of the metric's values. */
static const struct {
	const char *metric;
	void (*take)(struct devices *graph, struct device *device, char *word);
} metrics[] = {
	{ "estat.device.kind", take_kind },
	{ "estat.device.names", take_name },
	{ "estat.device.below", take_below },
};

/*
 * The values of the graph's metrics, in lines "NUMBER INSTANCE VALUE", where NUMBER is an index in
 * metrics[]. A value or instance with a newline is left out. The caller frees the text.
 */
static char *read_text(struct source *s)
{
	char *text = NULL;
	size_t size;
	FILE *f = xalloc(open_memstream(&text, &size));

	for (size_t m = 0; m < sizeof(metrics) / sizeof(metrics[0]); m++) {
		struct text *texts;
		unsigned int n = source_texts(s, metrics[m].metric, &texts);

		for (unsigned int i = 0; i < n; i++)
			if (!strchr(texts[i].instance, '\n') && !strchr(texts[i].value, '\n'))
				fprintf(f, "%zu %s %s\n", m, texts[i].instance, texts[i].value);
		texts_free(texts, n);
	}
	fclose(f);
	return xalloc(text);
}

void devices_read(struct devices *graph, struct source *s)
{
	char *copy, *rest, *line, *word;

	*graph = (struct devices){ .text = read_text(s) };
	rest = copy = xalloc(strdup(graph->text));
	while ((line = strsep(&rest, "\n")) && *line) {
		unsigned int m = strtoul(strsep(&line, " "), NULL, 10);
		struct device *device = node_of(graph, unescape_name(strsep(&line, " ")));

		while ((word = strsep(&line, " ")))
			if (*word)
				metrics[m].take(graph, device, word);
	}
	free(copy);
}

static void free_node(void *node)
{
	struct device *device = node;

	for (unsigned int i = 0; i < device->nnames; i++)
		free(device->names[i]);
	for (unsigned int i = 0; i < device->nbelow; i++)
		free(device->below[i].role);
	free(device->names);
	free(device->below);
	free(device->name);
	free(device->kind);
	free(device);
}

void devices_free(struct devices *graph)
{
	tdestroy(graph->by_name, free_node);
	free(graph->devices);
	free(graph->text);
	*graph = (struct devices){ 0 };
}

bool devices_changed(const struct devices *graph, struct source *s)
{
	char *text = read_text(s);
	/* the text is "" if the host does not answer */
	bool changed = *text && strcmp(text, graph->text);

	free(text);
	return changed;
}

static bool has_name(const struct device *device, const char *name)
{
	for (unsigned int i = 0; i < device->nnames; i++)
		if (!strcmp(device->names[i], name))
			return true;
	return false;
}

const struct device *devices_find(const struct devices *graph, const char *name)
{
	const struct device *found = devices_node(graph, name);

	for (unsigned int i = 0; !found && i < graph->n; i++)
		if (*graph->devices[i]->name != '/' && has_name(graph->devices[i], name))
			found = graph->devices[i];
	for (unsigned int i = 0; !found && i < graph->n; i++)
		if (has_name(graph->devices[i], name))
			found = graph->devices[i];
	return found;
}

/* The depth at which each search ends, so that a search ends even if the graph has a cycle. */
#define DEPTH 16

/* Does the device stand on a node for which is() is true, at most `depth` edges below? */
static bool stands_on(const struct device *device, unsigned int depth,
		      bool (*is)(const struct device *device, const void *context),
		      const void *context)
{
	for (unsigned int i = 0; depth && i < device->nbelow; i++)
		if (is(device->below[i].device, context) ||
		    stands_on(device->below[i].device, depth - 1, is, context))
			return true;
	return false;
}

static bool is_busy(const struct device *device, const void *context)
{
	(void)context;
	return device->busy;
}

bool device_on_busy(const struct device *device)
{
	return stands_on(device, DEPTH, is_busy, NULL);
}

static bool is_same(const struct device *device, const void *context)
{
	return device == context;
}

bool device_stands_on(const struct device *device, const struct device *below)
{
	return stands_on(device, DEPTH, is_same, below);
}

/* Is the node a disk or a partition? It is if the node has a name MAJ:MIN, and is no mount. */
static bool is_disk(const struct device *device, const void *context)
{
	bool number = false;

	(void)context;
	for (unsigned int i = 0; i < device->nnames; i++)
		number |= isdigit((unsigned char)*device->names[i]);
	return number && !device_is_mount(device);
}

bool devices_are_stacked(const struct devices *graph)
{
	for (unsigned int i = 0; i < graph->n; i++) {
		const struct device *device = graph->devices[i];

		if (device->nbelow && is_disk(device, NULL) &&
		    strcmp(device->below[0].role, "partition-of") &&
		    stands_on(device, DEPTH, is_disk, NULL))
			return true;
	}
	return false;
}

const struct device *devices_pool(const struct devices *graph, const char *name)
{
	char *pool = xalloc(strndup(name, strcspn(name, "/")));
	const struct device *device;

	if (strstr(pool, "::"))
		*strstr(pool, "::") = '\0';
	device = devices_node(graph, pool);

	free(pool);
	return device && device->nbelow && !strcmp(device->kind, "pool") ? device : NULL;
}

char *device_text(const struct device *device)
{
	char *text = NULL;
	size_t size;
	FILE *f = xalloc(open_memstream(&text, &size));

	fputs(*device->kind ? device->kind : "device", f);
	for (unsigned int i = 0; i < device->nbelow; i++)
		fprintf(f, "%s%s",
			i                                   ? ", "
			: strcmp(device->kind, "partition") ? " on "
							    : " of ",
			device->below[i].device->name);
	fclose(f);
	return xalloc(text);
}

bool device_is_mount(const struct device *device)
{
	/* the export of a server with CIFS is //server/share */
	return *device->name == '/' && device->name[1] != '/';
}

bool device_is_vdev(const struct device *device)
{
	/* an export's server can be an IPv6 address in brackets */
	return *device->name != '[' && strstr(device->name, "::");
}

bool device_is_at(const struct device *device, const char *place)
{
	size_t length = strlen(place);

	return !strncmp(device->name, place, length) &&
	       (!device->name[length] || !strncmp(device->name + length, "::", 2));
}
