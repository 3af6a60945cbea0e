// SPDX-License-Identifier: GPL-2.0-or-later
/* Compares the schemas of two objects. */
#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "btf.h"
#include "btf_copy.h"
#include "lib/xalloc.h"
#include "schema.h"

bool schema_matches(const struct schema *schema, const struct bpf_object *object)
{
	const struct btf *btf = bpf_object__btf(object);
	struct btf *variables = btf ? btf_copy_variables(btf, NULL) : NULL;
	uint32_t had, has;
	const void *before = btf__raw_data(schema->btf, &had);
	const void *now = variables ? btf__raw_data(variables, &has) : NULL;
	bool same = before && now && had == has && !memcmp(before, now, has);

	btf__free(variables);
	return same;
}

static void write_axis(FILE *f, const struct btf *btf, const struct axis *a)
{
	const struct btf_type *t = a->type;

	fprintf(f, "axis %s %d %u+%u, type %u %u", a->name, a->kind, a->offset, a->size,
		btf_kind(t), t->size);
	for (unsigned int i = 0; btf_is_enum(t) && i < btf_vlen(t); i++)
		fprintf(f, " %s=%d", btf_string(btf, btf_enum(t)[i].name_off), btf_enum(t)[i].val);
	fputc('\n', f);
}

static void write_series(FILE *f, const struct btf *btf, const struct series_schema *s)
{
	fprintf(f, "series %s %u, %u words, table %u, hidden %d, keys %u %s=%s\n", s->name,
		s->first_group, s->value_words, s->table, s->hidden, s->key_size,
		*s->only.values ? s->only.axis.name : "", s->only.values);
	for (unsigned int i = 0; i < s->naxes; i++)
		write_axis(f, btf, &s->axes[i]);
	for (const struct group *g = s->groups; g < s->groups + s->ngroups; g++) {
		fprintf(f, "group %s %u\n", g->name, g->number);
		for (const struct field *d = g->fields; d < g->fields + g->nfields; d++)
			fprintf(f, "field %s %d %d at %u, %u\n", d->name, d->kind, d->unit, d->word,
				d->item);
	}
}

static void write_ring(FILE *f, const struct btf *btf, const struct ring_schema *e)
{
	fprintf(f, "ring %u x %u\n", e->records, e->record_size);
	for (unsigned int i = 0; i < e->nparameters; i++) {
		fprintf(f, "%u ", e->parameters[i].item);
		write_axis(f, btf, &e->parameters[i].axis);
	}
}

/*
 * Describes as a text, to be freed, what must stay the same for counters to go on in another
 * object: the cluster; the names, numbers and types of all series, keys, values and events; the
 * units of values; which series are hidden; which keys each view takes; and the sizes of the rings.
 */
static char *form(const struct schema *schema)
{
	char *text = NULL;
	size_t size;
	FILE *f = xalloc(open_memstream(&text, &size));

	fprintf(f, "cluster %u, %u tables\n", schema->cluster, schema->ntables);
	for (unsigned int i = 0; i < schema->nseries; i++)
		write_series(f, schema->btf, &schema->series[i]);
	for (unsigned int i = 0; i < RINGS; i++)
		write_ring(f, schema->btf, &schema->rings[i]);
	fclose(f);
	return xalloc(text);
}

bool schema_counts_alike(const struct schema *a, const struct schema *b)
{
	char *x = form(a), *y = form(b);
	bool alike = !strcmp(x, y);

	free(x);
	free(y);
	return alike;
}
