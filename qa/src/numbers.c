// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The numbers that the agent gives: of the metrics and instance domains of modules' objects
 * and, without any, of its own metrics. One a line, as in qa/numbers: numbers [OBJECT...]
 *
 * A module that leaves the choice of its cluster to the agent has none to be kept.
 */
#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema.h"
#include "status.h"

static void print_metrics(const struct metrics *m)
{
	for (unsigned int i = 0; i < m->n; i++)
		printf("pmid %u.%u %s\n", pmID_cluster(m->metrics[i].desc.pmid),
		       pmID_item(m->metrics[i].desc.pmid), m->metrics[i].name);
}

static void print_indom(pmInDom indom, const char *name)
{
	printf("indom %u %s\n", pmInDom_serial(indom), name);
}

/* The domains: of the keys by the series' name, of buckets by their histogram's. */
static void print_indoms(const struct metrics *m, const struct series *s)
{
	const char *module = s->module->name, *series = s->schema->name;
	char name[2 * ESTAT_NAME_LEN + 8];

	snprintf(name, sizeof(name), strcmp(module, series) ? "estat.%s.%s" : "estat.%s", module,
		 series);
	print_indom(s->keys, name);
	for (unsigned int i = 0; i < m->n; i++)
		if (m->metrics[i].series == s && m->metrics[i].buckets)
			print_indom(m->metrics[i].desc.indom, m->metrics[i].name);
}

static void print_module(struct schema *schema)
{
	struct module m = { .schema = schema, .settings.latency_by_size = true };
	struct served *served;

	strcpy(m.name, schema->name);
	m.maps = calloc(schema->ntables, sizeof(*m.maps));
	served = served_new(&m, 0);
	for (unsigned int i = 0; i < served->nseries; i++)
		print_indoms(&served->metrics, served->series[i]);
	print_metrics(&served->metrics);
}

static int print_object(const char *path)
{
	struct bpf_object *object = bpf_object__open(path);
	char error[512] = "cannot be opened";
	struct schema *schema = object ? schema_read(object, error, sizeof(error)) : NULL;

	if (!schema) {
		fprintf(stderr, "%s: %s\n", path, error);
		return -1;
	}
	if (schema->cluster)
		print_module(schema);
	return 0;
}

int main(int argc, char **argv)
{
	struct agent agent = { .module_indom = PM_INDOM_NULL };
	int status = 0;

	if (argc == 1) {
		status_add_metrics(&agent);
		print_metrics(&agent.metrics);
	}
	for (int i = 1; i < argc; i++)
		if (print_object(argv[i]) < 0)
			status = 1;
	return status;
}
