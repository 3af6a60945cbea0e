// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layouts.h"
#include "lib/json.h"
#include "lib/xalloc.h"
#include "units.h"

/*
 * The PMID item of estat.module.axes, in cluster 0, see status.c. Archives contain the item, so
 * never change it.
 */
#define ITEM 48

/*
 * The number of an instance, from a module's cluster and the group's number in the module. For the
 * module's event records EVENTS stands in the place of the group's number.
 */
#define INSTANCE(cluster, number) ((cluster) << 5 | (number))
#define EVENTS                    31

void layouts_add_metric(struct metrics *metrics, int domain)
{
	static const struct agent_metric axes = {
		.item = ITEM,
		.name = "estat.module.axes",
		.type = PM_TYPE_STRING,
		.sem = PM_SEM_DISCRETE,
		.units = NONE,
		.oneline = "What the instances of a module's metrics are told apart by",
		.help = "The instance names of a metric estat.NAME.* are a value for each axis "
			"and, in a\nhistogram, a bucket, joined by ::. The labels of the instance "
			"NAME say how estat(1)\nlays out the values. Event records have no axes.",
	};

	metrics_add_status(metrics, METRIC_LAYOUT, pmInDom_build(domain, SERIAL_LAYOUTS), &axes);
}

char *layouts_axes(const struct series_schema *s)
{
	char *text;
	size_t size;
	FILE *f = xalloc(open_memstream(&text, &size));

	for (unsigned int i = 0; i < s->naxes; i++)
		fprintf(f, "%s%s", i ? "::" : "", s->axes[i].name);
	fclose(f);
	return xalloc(text);
}

/* Write ESTAT_LAYOUT's clauses as labels: "rows {op}; nested" is "rows":"{op}","nested":"true". */
static void put_clauses(struct json *j, const char *text)
{
	char *copy = xalloc(strdup(text)), *rest = copy, *clause, *end;

	for (clause = rest; *clause; clause = rest) {
		end = strstr(clause, "; ");
		rest = end ? end + 2 : strchr(clause, '\0');
		if (end)
			*end = '\0';
		end = strchrnul(clause, ' ');
		if (*end)
			*end++ = '\0';
		json_put_string(j, clause, *end ? end : "true");
	}
	free(copy);
}

/* Add an instance, which takes ownership of `name` and `axes`. */
static void add(struct layouts *l, int inst, char *name, char *axes, const char *clauses,
		const char *above, const char *record)
{
	struct layout_texts *texts;
	struct json j = {};
	size_t size;

	l->names = grow(l->names, l->n, sizeof(*l->names));
	l->texts = grow(l->texts, l->n, sizeof(*l->texts));
	l->names[l->n] = (pmdaInstid){ inst, name };
	texts = &l->texts[l->n++];
	texts->axes = axes;
	j.f = xalloc(open_memstream(&texts->labels, &size));
	json_begin(&j, NULL, '{');
	json_put_string(&j, "series", name);
	if (*axes)
		json_put_string(&j, "axes", axes);
	put_clauses(&j, clauses);
	if (*above)
		json_put_string(&j, "above", above);
	if (*record)
		json_put_string(&j, "record", record);
	json_end(&j, '}');
	fclose(j.f);
	xalloc(texts->labels);
}

static void add_series(struct layouts *l, const struct module *m, const struct series_schema *s)
{
	for (unsigned int i = 0; i < s->ngroups; i++)
		add(l, INSTANCE(m->edition->schema->cluster, schema_group_number(s, i)),
		    metrics_group_name(m, s, &s->groups[i]), layouts_axes(s), s->layout,
		    s->positions[i].rank ? s->positions[i].above : "", "");
}

static void add_events(struct layouts *l, const struct module *m)
{
	add(l, INSTANCE(m->edition->schema->cluster, EVENTS),
	    xasprintf("%s.events", m->edition->name), xalloc(strdup("")), "", "",
	    m->edition->schema->rings[RING_EVENTS].layout);
}

void layouts_build(struct layouts *l, struct module *const *module, unsigned int n,
		   pmdaIndom *indom)
{
	for (unsigned int i = 0; i < n; i++) {
		const struct schema *schema = module[i]->edition->schema;

		if (!module_owns_name(module[i]))
			continue;
		for (unsigned int j = 0; j < schema->nseries; j++)
			if (!schema->series[j].hidden)
				add_series(l, module[i], &schema->series[j]);
		if (schema->rings[RING_EVENTS].nparameters)
			add_events(l, module[i]);
	}
	indom->it_numinst = l->n;
	indom->it_set = l->names;
}

void layouts_free(struct layouts *l)
{
	for (unsigned int i = 0; i < l->n; i++) {
		free(l->names[i].i_name);
		free(l->texts[i].axes);
		free(l->texts[i].labels);
	}
	free(l->names);
	free(l->texts);
}

static const struct layout_texts *find(const struct layouts *l, int inst)
{
	for (unsigned int i = 0; i < l->n; i++)
		if (l->names[i].i_inst == inst)
			return &l->texts[i];
	return NULL;
}

int layouts_value(const struct layouts *l, unsigned int inst, pmAtomValue *atom)
{
	const struct layout_texts *texts = find(l, inst);

	if (!texts)
		return PM_ERR_INST;
	atom->cp = texts->axes;
	return PMDA_FETCH_STATIC;
}

int layouts_label(const struct layouts *l, unsigned int inst, pmLabelSet **set)
{
	const struct layout_texts *texts = find(l, inst);

	return texts ? pmdaAddLabels(set, "%s", texts->labels) : 0;
}
