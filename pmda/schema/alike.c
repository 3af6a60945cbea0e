// SPDX-License-Identifier: GPL-2.0-or-later
/* Compares the schemas of two objects. */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <string.h>

#include "btf.h"
#include "schema.h"

bool schema_matches(const struct schema *schema, const struct bpf_object *object)
{
	const struct btf *btf = bpf_object__btf(object);
	uint32_t had, has;
	const void *before = btf__raw_data(schema->btf, &had);
	const void *now = btf ? btf__raw_data(btf, &has) : NULL;

	return before && now && had == has && !memcmp(before, now, has);
}

/* Have two axes' types the same kind, size and, if the types are enums, enumerators? */
static bool types_alike(const struct btf *a, const struct btf_type *t, const struct btf *b,
			const struct btf_type *u)
{
	if (btf_kind(t) != btf_kind(u) || t->size != u->size)
		return false;
	if (!btf_is_enum(t))
		return true;
	if (btf_vlen(t) != btf_vlen(u))
		return false;
	for (unsigned int i = 0; i < btf_vlen(t); i++)
		if (btf_enum(t)[i].val != btf_enum(u)[i].val ||
		    strcmp(btf_string(a, btf_enum(t)[i].name_off),
			   btf_string(b, btf_enum(u)[i].name_off)))
			return false;
	return true;
}

static bool axes_alike(const struct schema *a, const struct series_schema *s,
		       const struct schema *b, const struct series_schema *t)
{
	if (s->naxes != t->naxes || s->key_size != t->key_size)
		return false;
	for (unsigned int i = 0; i < s->naxes; i++) {
		const struct axis *x = &s->axes[i], *y = &t->axes[i];

		if (strcmp(x->name, y->name) || x->kind != y->kind || x->offset != y->offset ||
		    x->size != y->size || !types_alike(a->btf, x->type, b->btf, y->type))
			return false;
	}
	return true;
}

static bool groups_alike(const struct group *a, const struct group *b)
{
	if (strcmp(a->name, b->name) || a->number != b->number || a->nfields != b->nfields)
		return false;
	for (unsigned int i = 0; i < a->nfields; i++) {
		const struct field *f = &a->fields[i], *g = &b->fields[i];

		if (strcmp(f->name, g->name) || f->kind != g->kind || f->unit != g->unit ||
		    f->word != g->word || f->item != g->item)
			return false;
	}
	return true;
}

/* Do two views take the same keys of their tables, by "if AXIS=GLOB"? */
static bool keys_alike(const struct series_schema *s, const struct series_schema *t)
{
	return !strcmp(s->only.values, t->only.values) &&
	       (!*s->only.values || !strcmp(s->only.axis.name, t->only.axis.name));
}

static bool series_alike(const struct schema *a, const struct series_schema *s,
			 const struct schema *b, const struct series_schema *t)
{
	if (strcmp(s->name, t->name) || s->ngroups != t->ngroups ||
	    s->first_group != t->first_group || s->value_words != t->value_words ||
	    s->hidden != t->hidden || s->table != t->table || !axes_alike(a, s, b, t) ||
	    !keys_alike(s, t))
		return false;
	for (unsigned int i = 0; i < s->ngroups; i++)
		if (!groups_alike(&s->groups[i], &t->groups[i]))
			return false;
	return true;
}

static bool events_alike(const struct schema *a, const struct event_schema *e,
			 const struct schema *b, const struct event_schema *f)
{
	if (e->nparameters != f->nparameters || e->records != f->records ||
	    e->record_size != f->record_size)
		return false;
	for (unsigned int i = 0; i < e->nparameters; i++) {
		const struct axis *x = &e->parameters[i].axis, *y = &f->parameters[i].axis;

		if (e->parameters[i].item != f->parameters[i].item || strcmp(x->name, y->name) ||
		    x->kind != y->kind || x->offset != y->offset ||
		    !types_alike(a->btf, x->type, b->btf, y->type))
			return false;
	}
	return true;
}

bool schema_counts_alike(const struct schema *a, const struct schema *b)
{
	if (a->cluster != b->cluster || a->ntables != b->ntables || a->nseries != b->nseries ||
	    !events_alike(a, &a->events, b, &b->events))
		return false;
	for (unsigned int i = 0; i < a->nseries; i++)
		if (!series_alike(a, &a->series[i], b, &b->series[i]))
			return false;
	return true;
}
