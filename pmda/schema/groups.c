// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads from BTF which fields a value struct has, and in which groups. */
#include <stdlib.h>
#include <string.h>

#include "lib/xalloc.h"
#include "reader.h"

/*
 * The most value members of a module. The limit is needed because a struct in damaged BTF may
 * contain itself.
 */
#define MAX_MEMBERS 1024

/* Set kind and unit of a field by its typedef. Returns false if `name` is no typedef of a field. */
static bool field_kind(const char *name, struct field *f)
{
	static const char *const counters[] = {
		[FIELD_COUNT] = "estat_count_t",   [FIELD_BYTES] = "estat_bytes_t",
		[FIELD_NSEC] = "estat_nsec_t",     [FIELD_SUMSQ] = "estat_sumsq_t",
		[FIELD_MAX] = "estat_max_t",       [FIELD_LATENCY] = "estat_latency_t",
		[FIELD_SIZE] = "estat_size_t",     [FIELD_UNDER_WAY] = "estat_under_way_t",
		[FIELD_OLDEST] = "estat_oldest_t", [FIELD_AGES] = "estat_ages_t",
	};
	static const char *const gauges[] = {
		[UNIT_COUNT] = "estat_gauge_t",
		[UNIT_BYTES] = "estat_gauge_bytes_t",
		[UNIT_NSEC] = "estat_gauge_nsec_t",
		[UNIT_SHARE] = "estat_gauge_share_t",
	};
	int kind = FIND_NAME(counters, name), unit = FIND_NAME(gauges, name);

	f->kind = kind < 0 ? FIELD_GAUGE : kind;
	f->unit = unit < 0 ? UNIT_COUNT : unit;
	if (kind == FIELD_OLDEST)
		f->unit = UNIT_USEC;
	return kind >= 0 || unit >= 0;
}

static uint32_t field_words(enum field_kind kind)
{
	switch (kind) {
	case FIELD_SUMSQ:
	case FIELD_GAUGE:
	case FIELD_UNDER_WAY:
	case FIELD_OLDEST:
	case FIELD_AGES:
		return 2;
	case FIELD_LATENCY:
		return ESTAT_FINE_BUCKETS;
	case FIELD_SIZE:
		return ESTAT_SIZE_BUCKETS;
	default:
		return 1;
	}
}

/* The pointer that struct group has for a field of this kind and name; NULL: no pointer. */
static const struct field **well_known(struct group *g, const struct field *f)
{
	switch (f->kind) {
	case FIELD_COUNT:
		return strcmp(f->name, "ops") ? NULL : &g->ops;
	case FIELD_BYTES:
		return strcmp(f->name, "bytes") ? NULL : &g->bytes;
	case FIELD_NSEC:
		return strcmp(f->name, "latency_sum") ? NULL : &g->sum;
	case FIELD_SUMSQ:
		return &g->sumsq;
	case FIELD_MAX:
		return &g->max;
	case FIELD_LATENCY:
		return &g->latency;
	case FIELD_SIZE:
		return &g->size;
	case FIELD_AGES:
		return &g->ages;
	default:
		return NULL;
	}
}

/*
 * Numbers of struct estat_io's fields in their group, which are part of PMID items. Archives
 * contain the numbers, so never change one. metrics.c has the numbers of other metrics of the same
 * group.
 */
static const struct {
	const char *name;
	unsigned int item;
} fixed_items[] = {
	{ "ops", 0 },  { "errors", 1 },      { "bytes", 2 },         { "latency", 3 },
	{ "size", 4 }, { "latency_sum", 6 }, { "latency_sumsq", 7 },
};

/*
 * Names, or parts of names, of metrics that the agent itself adds below a module or series. No
 * field, group or exported series may have a name of this list, except the series with the module's
 * name.
 */
static const char *const reserved[] = {
	"total",
	"latency_by_size",
	"iops",
	"avg_latency",
	"stddev",
	"p50",
	"p90",
	"p99",
	"p999",
	"max",
	"throughput",
	"event",
	"events",
	"latency_fine",
	"latency_seconds",
};

int check_name(struct reader *r, const char *name)
{
	if (name[0] == '_')
		return refuse(r, "the name %s does not begin with a letter", name);
	for (unsigned int i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (!strcmp(name, reserved[i]))
			return refuse(r, "the name %s is reserved for the agent", name);
	if (r->has_last && !strcmp(name, "last"))
		return refuse(r, "the name last is reserved for the last records");
	return 0;
}

/*
 * Set f->item if the field's name fixes the PMID item. Returns true if the name fixes the item, or
 * if the field is a FIELD_MAX, which has no item. Returns false if the module must give the item by
 * ESTAT_NUMBER.
 */
static bool fixed_item(struct field *f)
{
	for (unsigned int i = 0; i < sizeof(fixed_items) / sizeof(fixed_items[0]); i++) {
		if (strcmp(f->name, fixed_items[i].name))
			continue;
		f->item = fixed_items[i].item;
		return true;
	}
	return f->kind == FIELD_MAX;
}

static int read_item(struct reader *r, struct group *g, const struct tags *tags)
{
	struct field *f = &g->fields[g->nfields - 1];

	if (fixed_item(f))
		return tags->number ? refuse(r,
					     "value member %s takes no number: do not use "
					     "ESTAT_NUMBER",
					     f->name)
				    : 0;
	if (read_number(r, tags, "value", f->name, SCHEMA_FIRST_ITEM, SCHEMA_LAST_ITEM, &f->item))
		return -1;
	for (const struct field *other = g->fields; other < f; other++)
		if (other->item == f->item)
			return refuse(r, "value members %s and %s have the same number, %u",
				      other->name, f->name, f->item);
	return 0;
}

/* Add to `g` a field of the name and kind of `known`, at an offset of `bits` bits in the value. */
static int add_field(struct reader *r, struct series_schema *s, struct group *g,
		     const struct field *known, uint32_t bits, const struct tags *tags)
{
	uint32_t word = bits / 64, words = field_words(known->kind);
	const struct field **role;
	struct field *f;

	if (bits % 64 || words > s->value_words || word > s->value_words - words)
		return refuse(r, "value member %s is not at a multiple of 8 bytes within the value",
			      known->name);
	if (g->nfields == SCHEMA_MAX_FIELDS)
		return refuse(r, "more than %u fields in a group", SCHEMA_MAX_FIELDS);
	f = &g->fields[g->nfields++];
	*f = *known;
	f->word = word;
	f->help = tags->help;
	if (check_name(r, f->name) || read_item(r, g, tags))
		return -1;
	role = well_known(g, f);
	if (role && *role)
		return refuse(r, "value members %s and %s have the same kind", (*role)->name,
			      f->name);
	if (role)
		*role = f;
	return 0;
}

/* Add a group to the series. Returns the group's index, or -1 after refuse(). */
static int add_group(struct reader *r, struct series_schema *s, const char *name,
		     const struct tags *tags)
{
	struct group *group;

	if (check_name(r, name))
		return -1;
	if (s->ngroups == SCHEMA_MAX_GROUPS)
		return refuse(r, "more than %u groups", SCHEMA_MAX_GROUPS);
	group = &s->groups[s->ngroups];
	group->name = name;
	group->help = tags->help;
	if (read_number(r, tags, "value", name, 1, SCHEMA_MAX_GROUPS - 1, &group->number))
		return -1;
	for (unsigned int g = 1; g < s->ngroups; g++)
		if (s->groups[g].number == group->number)
			return refuse(r, "value members %s and %s have the same number, %u",
				      s->groups[g].name, name, group->number);
	return s->ngroups++;
}

/*
 * Read the members of struct `id`, at an offset of `base` bits in the value, into groups[g]. A
 * member whose typedef is that of a field is a field, even if the type is a struct. Any other
 * member is refused if it is no struct. If a member has no name, what is in the member goes into
 * groups[g], too. A member with a name makes a group of its own if `g` is 0, else is refused.
 */
static int read_group(struct reader *r, struct series_schema *s, unsigned int g, uint32_t id,
		      uint32_t base)
{
	const struct btf_type *value = resolve(r, id);

	id = btf__resolve_type(r->btf, id);
	for (unsigned int i = 0; i < btf_vlen(value); i++) {
		const struct btf_member *m = &btf_members(value)[i];
		const char *declared = typedef_name(r, btf_type(r->btf, m->type));
		const struct btf_type *t = resolve(r, m->type);
		const char *name = btf_string(r->btf, m->name_off);
		uint32_t bits = base + btf_member_bit_offset(value, i);
		struct tags tags = read_tags(r, id, i);
		struct field f = { .name = name };
		int into = g;

		if (++r->nmembers > MAX_MEMBERS)
			return refuse(r, "more than %u value members", MAX_MEMBERS);
		if (field_kind(declared, &f)) {
			if (add_field(r, s, &s->groups[g], &f, bits, &tags))
				return -1;
			continue;
		}
		if (!btf_is_struct(t) || (*name && g))
			return refuse(r,
				      "value member %s has a type that the agent does not know: it "
				      "must be a field type of bpf/abi.h or, outside a group, a "
				      "struct of them",
				      name);
		if (*name)
			into = add_group(r, s, name, &tags);
		if (into < 0 || read_group(r, s, into, m->type, bits))
			return -1;
	}
	return 0;
}

/* Shrink s->groups to the memory that the series' groups need. */
static void shrink(struct series_schema *s)
{
	struct group *all = s->groups;
	size_t size = s->ngroups * sizeof(*all);

	s->groups = memcpy(xalloc(malloc(size)), all, size);
	free(all);
	for (struct group *g = s->groups; g < s->groups + s->ngroups; g++)
		for (struct field *f = g->fields; f < g->fields + g->nfields; f++)
			if (well_known(g, f))
				*well_known(g, f) = f;
}

int read_groups(struct reader *r, struct series_schema *s, uint32_t id)
{
	s->groups = xalloc(calloc(SCHEMA_MAX_GROUPS, sizeof(*s->groups)));
	s->ngroups = 1;
	s->groups[0].name = s->groups[0].help = "";
	if (read_group(r, s, 0, id, 0))
		return -1;
	for (unsigned int i = 0; i < s->ngroups; i++)
		if (!s->groups[i].nfields)
			return refuse(r, "a group without a field");
	shrink(s);
	return 0;
}
