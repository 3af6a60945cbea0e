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
#include "served.h"
#include "status.h"
#include "util.h"

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

/* A domain of keys has the series' name, one of buckets its histogram's. */
static void print_indoms(const struct metrics *m, const struct series *s)
{
	const char *module = s->module->name, *series = s->schema->name;
	char name[2 * ESTAT_NAME_LEN + 8];

	snprintf(name, sizeof(name), strcmp(module, series) ? "estat.%s.%s" : "estat.%s", module,
		 series);
	print_indom(s->keys, name);
	for (const struct metric *metric = m->metrics; metric < m->metrics + m->n; metric++)
		if (metric->series == s && metric->desc.indom != s->keys &&
		    metric->desc.indom != PM_INDOM_NULL)
			print_indom(metric->desc.indom, metric->name);
}

static void print_module(struct schema *schema)
{
	struct module m = {
		.schema = schema,
		.settings = { .latency_by_size = true, .latency_fine = true },
	};
	struct served *served;

	strcpy(m.name, schema->name);
	m.maps = or_die(calloc(schema->ntables, sizeof(*m.maps)));
	served = served_new(&m, 0);
	print_metrics(&served->metrics);
	for (unsigned int i = 0; i < served->nseries; i++)
		print_indoms(&served->metrics, served->series[i]);
	served_free(served);
	free(m.maps);
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
	schema_free(schema);
	bpf_object__close(object);
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
