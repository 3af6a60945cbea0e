// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads, in the BTF and .rodata of a module's object, what the module declares. */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "btf.h"
#include "lib/xalloc.h"
#include "rodata.h"
#include "schema.h"

/* How names of variables in .rodata begin: of views, ranks of layers, and layouts. */
#define VIEW_PREFIX   "estat_view_"
#define ONLY          " if "
#define LAYER_PREFIX  "estat_layer_"
#define LAYOUT_PREFIX "estat_shown_"

/* The most value members in a module: a struct in damaged BTF may contain itself. */
#define MAX_MEMBERS 1024

/* The state of schema_read(). */
struct reader {
	const struct btf *btf;
	const struct bpf_object *object;
	const char *series;    /* the series that is being read, for error messages, or NULL */
	unsigned int nmembers; /* members read so far, counting a struct once for each use */
	struct owner {
		const char *series, *group;
	} owners[SCHEMA_MAX_GROUPS]; /* the owner of each group number; .series is NULL: free */
	char *error;
	size_t size;
};

__attribute__((format(printf, 2, 3))) static int fail(struct reader *r, const char *format, ...)
{
	va_list args;
	int n = 0;

	if (r->series)
		n = snprintf(r->error, r->size, "series %.*s: ", ESTAT_NAME_LEN, r->series);
	va_start(args, format);
	vsnprintf(r->error + n, r->size - n, format, args);
	va_end(args);
	return -1;
}

static const struct btf_type *resolve(const struct reader *r, uint32_t id)
{
	return btf_type(r->btf, btf__resolve_type(r->btf, id));
}

/* The declaration tags on a type, a variable or a member. */
struct tags {
	const char *help;   /* the help text; "": no tag has a help text */
	const char *number; /* the number as text; NULL: no tag has a number */
};

/* Read the tags on member `index` of a type (-1: on the type itself). */
static struct tags read_tags(const struct reader *r, uint32_t id, int index)
{
	struct tags tags = { .help = "" };

	for (uint32_t i = 1; i < btf__type_cnt(r->btf); i++) {
		const struct btf_type *t = btf__type_by_id(r->btf, i);
		const char *text;

		if (!btf_is_decl_tag(t) || t->type != id || btf_decl_tag(t)->component_idx != index)
			continue;
		text = btf_string(r->btf, t->name_off);
		if (!strncmp(text, ESTAT_NUMBER_TAG, sizeof(ESTAT_NUMBER_TAG) - 1))
			tags.number = text + sizeof(ESTAT_NUMBER_TAG) - 1;
		else
			tags.help = text;
	}
	return tags;
}

static struct tags variable_tags(const struct reader *r, const char *name)
{
	int32_t id = btf__find_by_name_kind(r->btf, name, BTF_KIND_VAR);

	return id < 0 ? (struct tags){ .help = "" } : read_tags(r, id, -1);
}

/* The number in tags; -1: the text is not a number but, for example, an expression. */
static long number_of(const struct tags *tags)
{
	char *end;
	long n = strtol(tags->number, &end, 10);

	return end == tags->number || *end ? -1 : n;
}

/* Read the number, `low` to `high`, in the tags of the member `name` of the struct `owner`. */
static int read_number(struct reader *r, const struct tags *tags, const char *owner,
		       const char *name, unsigned int low, unsigned int high, unsigned int *number)
{
	long n;

	if (!tags->number)
		return fail(r, "%s member %s has no number, %u to %u: use ESTAT_NUMBER", owner,
			    name, low, high);
	n = number_of(tags);
	if (n < (long)low || n > (long)high)
		return fail(r, "%s member %s has the number %s, which is not %u to %u", owner, name,
			    tags->number, low, high);
	*number = n;
	return 0;
}

/* Note who owns the numbers of a series' groups: fails if a number has an owner already. */
static int take_numbers(struct reader *r, const struct series_schema *s)
{
	for (unsigned int g = 0; g < s->ngroups; g++) {
		unsigned int number = schema_group_number(s, g);
		struct owner *owner;

		if (number >= SCHEMA_MAX_GROUPS)
			return fail(r, "%s has the number %u + %u, which is not 0 to %u",
				    s->groups[g].name, s->first_group, s->groups[g].number,
				    SCHEMA_MAX_GROUPS - 1);
		owner = &r->owners[number];
		if (owner->series)
			return fail(r, "its number %u belongs to %s%s%s already", number,
				    owner->series, *owner->group ? "." : "", owner->group);
		*owner = (struct owner){ .series = s->name, .group = s->groups[g].name };
	}
	return 0;
}

static bool is_char(const struct btf_type *t)
{
	return btf_is_int(t) && t->size == 1;
}

/* Is the type an integer or enum of a size that axis.c can read? */
static bool is_number(const struct btf_type *t)
{
	return (btf_is_int(t) || btf_is_any_enum(t)) &&
	       (t->size == 1 || t->size == 2 || t->size == 4 || t->size == 8);
}

/* Has the object the map that bpf/name.bpf.h declares? */
static bool has_names(const struct reader *r)
{
	const struct bpf_map *names = bpf_object__find_map_by_name(r->object, "estat_names");

	return names && bpf_map__type(names) == BPF_MAP_TYPE_HASH &&
	       bpf_map__key_size(names) == sizeof(uint64_t) &&
	       bpf_map__value_size(names) == sizeof(struct estat_name);
}

static bool is_typedef(const struct reader *r, const struct btf_type *t, const char *name)
{
	return btf_is_typedef(t) && !strcmp(btf_string(r->btf, t->name_off), name);
}

/* Read member `i` of a struct as an axis. `owner` says what the struct is: "key" or "event". */
static int read_axis(struct reader *r, const struct btf_type *key, unsigned int i,
		     const char *owner, struct axis *axis)
{
	const struct btf_member *m = &btf_members(key)[i];
	const struct btf_type *declared = btf_type(r->btf, m->type);
	const struct btf_type *t = resolve(r, m->type);

	axis->name = btf_string(r->btf, m->name_off);
	axis->offset = btf_member_bit_offset(key, i) / 8;
	axis->type = t;
	axis->size = t->size;
	if (btf_member_bitfield_size(key, i))
		return fail(r, "%s member %s is a bit field, which no axis can be", owner,
			    axis->name);
	if (is_number(t) && is_typedef(r, declared, "estat_dev_t")) {
		axis->kind = AXIS_DEVICE;
	} else if (is_number(t) && is_typedef(r, declared, "estat_name_t")) {
		axis->kind = AXIS_NAME;
	} else if (is_number(t) && is_typedef(r, declared, "estat_cgroup_t")) {
		axis->kind = AXIS_CGROUP;
	} else if (is_typedef(r, declared, "estat_ip_t") && t->size == sizeof(estat_ip_t)) {
		axis->kind = AXIS_IP;
	} else if (is_number(t) && !btf_is_int(t)) {
		axis->kind = AXIS_ENUM;
	} else if (is_number(t)) {
		axis->kind = btf_int_encoding(t) & BTF_INT_SIGNED ? AXIS_SIGNED : AXIS_UNSIGNED;
	} else if (btf_is_array(t) && is_char(resolve(r, btf_array(t)->type))) {
		axis->kind = AXIS_TEXT;
		axis->size = btf_array(t)->nelems;
	} else {
		return fail(r,
			    "%s member %s has a type that the agent does not know: it must be "
			    "char[N], an enum, an integer or an axis type of bpf/abi.h",
			    owner, axis->name);
	}
	if ((axis->kind == AXIS_NAME || axis->kind == AXIS_CGROUP) && !has_names(r))
		return fail(
			r,
			"%s member %s is a name, but there is no map of names: use bpf/name.bpf.h",
			owner, axis->name);
	if (axis->offset > key->size || axis->size > key->size - axis->offset)
		return fail(r, "%s member %s is not within the %s", owner, axis->name, owner);
	return 0;
}

static int read_key(struct reader *r, uint32_t id, struct series_schema *s)
{
	const struct btf_type *key = resolve(r, id);

	if (!btf_is_struct(key))
		return fail(r, "the key is not a struct");
	if (btf_vlen(key) < 1 || btf_vlen(key) > SCHEMA_MAX_AXES)
		return fail(r, "the key has %u members, not 1 to %u", btf_vlen(key),
			    SCHEMA_MAX_AXES);
	s->key_size = key->size;
	for (s->naxes = 0; s->naxes < btf_vlen(key); s->naxes++)
		if (read_axis(r, key, s->naxes, "key", &s->axes[s->naxes]))
			return -1;
	return 0;
}

static int find_name(const char *const names[], unsigned int n, const char *name)
{
	for (unsigned int i = 0; i < n; i++)
		if (!strcmp(name, names[i]))
			return i;
	return -1;
}

#define FIND_NAME(names, name) find_name(names, sizeof(names) / sizeof((names)[0]), name)

/* Set kind and unit of a field by its typedef. Returns false: bpf/abi.h has no such typedef. */
static bool field_kind(const char *name, struct field *f)
{
	static const char *const counters[] = {
		[FIELD_COUNT] = "estat_count_t", [FIELD_BYTES] = "estat_bytes_t",
		[FIELD_NSEC] = "estat_nsec_t",   [FIELD_SUMSQ] = "estat_sumsq_t",
		[FIELD_MAX] = "estat_max_t",     [FIELD_LATENCY] = "estat_latency_t",
		[FIELD_SIZE] = "estat_size_t",
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
	return kind >= 0 || unit >= 0;
}

static uint32_t field_words(enum field_kind kind)
{
	switch (kind) {
	case FIELD_SUMSQ:
	case FIELD_GAUGE:
		return 2;
	case FIELD_LATENCY:
		return ESTAT_FINE_BUCKETS;
	case FIELD_SIZE:
		return ESTAT_SIZE_BUCKETS;
	default:
		return 1;
	}
}

/* The pointer in the group for a field of this kind and name; NULL: there is none. */
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
	default:
		return NULL;
	}
}

/* PMID items of struct estat_io's fields; archives contain them. metrics.c has items 8 to 16. */
static const struct {
	const char *name;
	unsigned int item;
} fixed_items[] = {
	{ "ops", 0 },  { "errors", 1 },      { "bytes", 2 },         { "latency", 3 },
	{ "size", 4 }, { "latency_sum", 6 }, { "latency_sumsq", 7 },
};

/* Names of the agent's own metrics, which a field, group or series must not have. */
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

static int check_name(struct reader *r, const char *name)
{
	if (name[0] == '_')
		return fail(r, "the name %s does not begin with a letter", name);
	for (unsigned int i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (!strcmp(name, reserved[i]))
			return fail(r, "the name %s is reserved for the agent", name);
	return 0;
}

/* Has the field a PMID item that its name fixes (sets f->item) or, as a FIELD_MAX, no item? */
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

/* Read the PMID item of the group's last field. */
static int read_item(struct reader *r, struct group *g, const struct tags *tags)
{
	struct field *f = &g->fields[g->nfields - 1];

	if (fixed_item(f))
		return tags->number
			       ? fail(r,
				      "value member %s has a fixed number: do not use ESTAT_NUMBER",
				      f->name)
			       : 0;
	if (read_number(r, tags, "value", f->name, SCHEMA_FIRST_ITEM, SCHEMA_LAST_ITEM, &f->item))
		return -1;
	for (const struct field *other = g->fields; other < f; other++)
		if (other->item == f->item)
			return fail(r, "value members %s and %s have the same number, %u",
				    other->name, f->name, f->item);
	return 0;
}

/* Add to `g` a copy of the field `known`, which begins `bits` bits into the value. */
static int add_field(struct reader *r, struct series_schema *s, struct group *g,
		     const struct field *known, uint32_t bits, const struct tags *tags)
{
	uint32_t word = bits / 64, words = field_words(known->kind);
	const struct field **role;
	struct field *f;

	if (bits % 64 || words > s->value_words || word > s->value_words - words)
		return fail(r, "value member %s is not within the value", known->name);
	if (g->nfields == SCHEMA_MAX_FIELDS)
		return fail(r, "more than %u fields in a group", SCHEMA_MAX_FIELDS);
	f = &g->fields[g->nfields++];
	*f = *known;
	f->word = word;
	f->help = tags->help;
	if (check_name(r, f->name) || read_item(r, g, tags))
		return -1;
	role = well_known(g, f);
	if (role && *role)
		return fail(r, "value members %s and %s have the same kind", (*role)->name,
			    f->name);
	if (role)
		*role = f;
	return 0;
}

/* Add a group to the series. Returns the group's index, or -1 after fail(). */
static int add_group(struct reader *r, struct series_schema *s, const char *name,
		     const struct tags *tags)
{
	struct group *group;

	if (check_name(r, name))
		return -1;
	if (s->ngroups == SCHEMA_MAX_GROUPS)
		return fail(r, "more than %u groups", SCHEMA_MAX_GROUPS);
	group = &s->groups[s->ngroups];
	group->name = name;
	group->help = tags->help;
	if (read_number(r, tags, "value", name, 1, SCHEMA_MAX_GROUPS - 1, &group->number))
		return -1;
	for (unsigned int g = 1; g < s->ngroups; g++)
		if (s->groups[g].number == group->number)
			return fail(r, "value members %s and %s have the same number, %u",
				    s->groups[g].name, name, group->number);
	return s->ngroups++;
}

/* Read the members of struct `id` into groups[g]; a named struct among them is a new group. */
static int read_group(struct reader *r, struct series_schema *s, unsigned int g, uint32_t id,
		      uint32_t base)
{
	const struct btf_type *value = resolve(r, id);

	id = btf__resolve_type(r->btf, id);
	for (unsigned int i = 0; i < btf_vlen(value); i++) {
		const struct btf_member *m = &btf_members(value)[i];
		const struct btf_type *declared = btf_type(r->btf, m->type);
		const struct btf_type *t = resolve(r, m->type);
		const char *name = btf_string(r->btf, m->name_off);
		uint32_t bits = base + btf_member_bit_offset(value, i);
		struct tags tags = read_tags(r, id, i);
		struct field f = { .name = name };
		int into = g;

		if (++r->nmembers > MAX_MEMBERS)
			return fail(r, "more than %u value members", MAX_MEMBERS);
		if (btf_is_typedef(declared) &&
		    field_kind(btf_string(r->btf, declared->name_off), &f)) {
			if (add_field(r, s, &s->groups[g], &f, bits, &tags))
				return -1;
			continue;
		}
		if (!btf_is_struct(t) || (*name && g))
			return fail(r,
				    "value member %s has a type that the agent does not know: it "
				    "must be a field type of bpf/abi.h or a struct of them",
				    name);
		if (*name)
			into = add_group(r, s, name, &tags);
		if (into < 0 || read_group(r, s, into, m->type, bits))
			return -1;
	}
	return 0;
}

static int read_slot(struct reader *r, const struct bpf_map *slots, struct series_schema *s)
{
	const struct btf_type *slot = resolve(r, bpf_map__btf_value_type_id(slots)), *value;

	if (!btf_is_struct(slot) || btf_vlen(slot) != 3 || slot->size != bpf_map__value_size(slots))
		return fail(r, "map %s holds no slots: use ESTAT_SERIES", bpf_map__name(slots));
	value = resolve(r, btf_members(slot)[2].type);
	if (!btf_is_struct(value))
		return fail(r, "the value is not a struct");
	s->slot_size = slot->size;
	s->key_offset = btf_member_bit_offset(slot, 1) / 8;
	s->value_offset = btf_member_bit_offset(slot, 2) / 8;
	s->value_words = value->size / 8;
	if (s->value_offset % 8 || s->slot_size % 8)
		return fail(r, "the value is not aligned to 8 bytes");
	if (read_key(r, btf_members(slot)[1].type, s))
		return -1;
	if (s->key_offset < sizeof(uint32_t) || s->value_offset < s->key_offset ||
	    s->value_offset - s->key_offset < s->key_size || s->slot_size < s->value_offset ||
	    s->slot_size - s->value_offset < value->size)
		return fail(r, "map %s: key and value are not within the slot",
			    bpf_map__name(slots));
	s->groups = xalloc(calloc(SCHEMA_MAX_GROUPS, sizeof(*s->groups)));
	s->ngroups = 1;
	s->groups[0].name = "";
	s->groups[0].help = "";
	if (read_group(r, s, 0, btf_members(slot)[2].type, 0))
		return -1;
	for (unsigned int i = 0; i < s->ngroups; i++)
		if (!s->groups[i].nfields)
			return fail(r, "a group without a field");
	return 0;
}

/* The map of a series: its name with the suffix; NULL: there is none. */
static struct bpf_map *series_map(const struct reader *r, const char *name, const char *suffix)
{
	char full[ESTAT_NAME_LEN * 2];

	snprintf(full, sizeof(full), "%s%s", name, suffix);
	return bpf_object__find_map_by_name(r->object, full);
}

bool schema_is_own(const struct schema *schema, const struct series_schema *s)
{
	const char *name = schema->name, *own = s->name;

	while (*name && (*name == *own || (*name == '.' && *own == '_'))) {
		name++;
		own++;
	}
	return !*name && !*own;
}

/*
 * In the name space, the fields and groups of the series with the module's name are siblings of the
 * module's other series: all these names must differ.
 */
static int check_series(struct reader *r, const struct schema *schema)
{
	const struct series_schema *s, *own = NULL;

	for (s = schema->series; s < schema->series + schema->nseries; s++)
		if (schema_is_own(schema, s))
			own = s;
	for (s = schema->series; s < schema->series + schema->nseries; s++) {
		if (s == own || s->hidden)
			continue;
		if (check_name(r, s->name))
			return -1;
		for (unsigned int g = 0; own && g < own->ngroups; g++)
			if (!strcmp(own->groups[g].name, s->name))
				return fail(r, "a group has the name of series %s", s->name);
		for (unsigned int f = 0; own && f < own->groups[0].nfields; f++)
			if (!strcmp(own->groups[0].fields[f].name, s->name))
				return fail(r, "a field has the name of series %s", s->name);
	}
	return 0;
}

/* Are the series' maps of the types that ESTAT_SERIES makes? read_slot() checks the slots. */
static bool is_series(const struct reader *r, const struct bpf_map *keys)
{
	const struct bpf_map *slots = series_map(r, r->series, "_slots");
	const struct bpf_map *free_slots = series_map(r, r->series, "_free");
	const struct bpf_map *by_size = series_map(r, r->series, "_by_size");

	return bpf_map__type(keys) == BPF_MAP_TYPE_HASH &&
	       bpf_map__value_size(keys) == sizeof(uint32_t) &&
	       bpf_map__type(slots) == BPF_MAP_TYPE_ARRAY &&
	       bpf_map__type(free_slots) == BPF_MAP_TYPE_STACK &&
	       bpf_map__value_size(free_slots) == sizeof(uint32_t) &&
	       bpf_map__type(by_size) == BPF_MAP_TYPE_ARRAY &&
	       bpf_map__value_size(by_size) == sizeof(struct estat_matrix);
}

/* Read "AXIS=GLOB", at most 63 bytes: the view takes the table's keys that match. */
static int choose_keys(struct reader *r, const char *text, struct series_schema *s)
{
	size_t length = strcspn(text, "=");

	if (s->hidden || s->overflow)
		return fail(r, "\"if %s\" needs a table that is a series without ESTAT_OTHERS",
			    text);
	for (unsigned int i = 0; i < s->naxes; i++)
		if (s->axes[i].kind == AXIS_ENUM && !strncmp(s->axes[i].name, text, length) &&
		    !s->axes[i].name[length])
			s->only.axis = s->axes[i];
	if (!s->only.axis.name || !text[length] || !text[length + 1])
		return fail(r, "\"if %s\" must be AXIS=GLOB with an axis that is an enum", text);
	strcpy(s->only.values, text + length + 1);
	return 0;
}

/* Keep the table's axes that `names` lists: these are the axes of the view. */
static int choose_axes(struct reader *r, const char *names, struct series_schema *s)
{
	unsigned int all = s->naxes, named = 0;

	s->naxes = 0;
	for (unsigned int i = 0; i < all; i++) {
		size_t length = strlen(s->axes[i].name);

		for (const char *at = names; length && (at = strstr(at, s->axes[i].name));
		     at += length)
			if ((at == names || at[-1] == ' ') && strchr(" ", at[length])) {
				s->axes[s->naxes++] = s->axes[i];
				break;
			}
	}
	for (const char *at = names; *at; at += strcspn(at, " "), at += strspn(at, " "))
		named++;
	if (!named || named != s->naxes)
		return fail(r, "\"%s\" does not name axes of its table", names);
	return 0;
}

/* Mark the series as exported, and read the number that it must have. Hidden series have none. */
static int serve(struct reader *r, struct series_schema *s, const struct tags *tags)
{
	long n = tags->number ? number_of(tags) : -1;

	s->hidden = false;
	if (n < 0 || n >= SCHEMA_MAX_GROUPS)
		return fail(r, "it has no number, 0 to %u: use ESTAT_SERIES or ESTAT_VIEW",
			    SCHEMA_MAX_GROUPS - 1);
	s->first_group = n;
	return take_numbers(r, s);
}

static int read_view(struct reader *r, struct schema *schema, const char *variable)
{
	const struct estat_view *v = RODATA(r->object, variable, __typeof__(*v));
	const struct series_schema *table = schema->series;
	struct tags tags = variable_tags(r, variable);
	char axes[sizeof(v->axes)], *only;
	struct series_schema *s;

	r->series = variable + sizeof(VIEW_PREFIX) - 1;
	if (!v || !memchr(v->table, 0, sizeof(v->table)) || !memchr(v->axes, 0, sizeof(v->axes)))
		return fail(r, "it is not a view: use ESTAT_VIEW");
	if (strlen(r->series) >= ESTAT_NAME_LEN)
		return fail(r, "the name is longer than %u", ESTAT_NAME_LEN - 1);
	while (table < schema->series + schema->ntables && strcmp(table->name, v->table))
		table++;
	if (table == schema->series + schema->ntables)
		return fail(r, "there is no table %s", v->table);
	s = &schema->series[schema->nseries++];
	*s = *table;
	s->name = r->series;
	s->help = tags.help;
	strcpy(axes, v->axes);
	only = strstr(axes, ONLY);
	if (only) {
		*only = '\0';
		only += sizeof(ONLY) - 1;
	}
	return (only && choose_keys(r, only, s)) || choose_axes(r, axes, s) || serve(r, s, &tags)
		       ? -1
		       : 0;
}

static int read_views(struct reader *r, struct schema *schema)
{
	const char *name;

	for (unsigned int i = 0; (name = rodata_name(r->btf, VIEW_PREFIX, i)); i++) {
		schema->series = xalloc(
			realloc(schema->series, (schema->nseries + 1) * sizeof(*schema->series)));
		if (read_view(r, schema, name))
			return -1;
		r->series = NULL;
	}
	return 0;
}

static bool has_overflow(const struct reader *r, const struct series_schema *s)
{
	char name[ESTAT_NAME_LEN + 16];

	snprintf(name, sizeof(name), "estat_others_%s", s->name);
	return variable_offset(r->btf, ".rodata", name) >= 0 && rodata_overflow(r->object, s->name);
}

/* The position of the layer `name`: a series, or a group of the series with the module's name. */
static struct position *find_position(const struct schema *schema, const char *name)
{
	for (unsigned int i = 0; i < schema->nseries; i++)
		if (!schema->series[i].hidden && !strcmp(schema->series[i].name, name))
			return &schema->series[i].positions[0];
	for (unsigned int i = 0; i < schema->nseries; i++) {
		struct series_schema *s = &schema->series[i];

		for (unsigned int g = 0; g < s->ngroups && schema_is_own(schema, s); g++)
			if (!strcmp(s->groups[g].name, name))
				return &s->positions[g];
	}
	return NULL;
}

static int read_layer(struct reader *r, const struct schema *schema, const char *variable)
{
	const estat_rank_t *declared = RODATA(r->object, variable, estat_rank_t);
	const char *name = variable + sizeof(LAYER_PREFIX) - 1;
	struct position *position = find_position(schema, name);

	if (!position)
		return fail(r, "layer %s is neither a series nor a group of the module's series",
			    name);
	if (!declared || *declared < 1 || *declared > ESTAT_LAST_RANK)
		return fail(r, "layer %s has a rank that is not 1 to %u", name, ESTAT_LAST_RANK);
	*position = (struct position){ *declared, variable_tags(r, variable).help };
	return 0;
}

static int read_layers(struct reader *r, struct schema *schema)
{
	const char *name;

	for (unsigned int i = 0; (name = rodata_name(r->btf, LAYER_PREFIX, i)); i++)
		if (read_layer(r, schema, name))
			return -1;
	return 0;
}

/* How `estat` lays out rows of the series `name`, or of "events"; "": not declared. */
static const char *layout_of(const struct reader *r, const char *name)
{
	char variable[ESTAT_NAME_LEN + 16];

	snprintf(variable, sizeof(variable), LAYOUT_PREFIX "%s", name);
	return variable_tags(r, variable).help;
}

static int check_layouts(struct reader *r, const struct schema *schema)
{
	const char *name;

	for (unsigned int i = 0; (name = rodata_name(r->btf, LAYOUT_PREFIX, i)); i++) {
		bool known = false;

		name += sizeof(LAYOUT_PREFIX) - 1;
		for (unsigned int j = 0; j < schema->nseries; j++)
			known |= !strcmp(schema->series[j].name, name);
		if (!known && (strcmp(name, "events") || !schema->events.nparameters))
			return fail(r, "ESTAT_SHOWN names %s, which is neither a series nor events",
				    name);
	}
	return 0;
}

static int read_series(struct reader *r, struct schema *schema)
{
	const struct bpf_map *map;

	bpf_object__for_each_map (map, r->object) {
		const struct bpf_map *slots = series_map(r, bpf_map__name(map), "_slots");
		struct series_schema *s;
		struct tags tags;

		if (!slots)
			continue;
		r->series = bpf_map__name(map);
		if (strlen(r->series) >= ESTAT_NAME_LEN)
			return fail(r, "the name is longer than %u", ESTAT_NAME_LEN - 1);
		if (!series_map(r, r->series, "_free") || !series_map(r, r->series, "_by_size"))
			return fail(r, "maps are missing: use ESTAT_SERIES");
		schema->series =
			xalloc(realloc(schema->series, (schema->nseries + 1) * sizeof(*s)));
		s = &schema->series[schema->nseries++];
		memset(s, 0, sizeof(*s));
		s->table = schema->ntables++;
		s->name = btf__str_by_offset(r->btf, btf__find_str(schema->btf, r->series));
		s->keys = bpf_map__max_entries(map);
		if (!s->name)
			return fail(r, "its name is not in the BTF");
		if (read_slot(r, slots, s))
			return -1;
		if (s->key_size != bpf_map__key_size(map) || !is_series(r, map))
			return fail(r, "maps of another kind: use ESTAT_SERIES");
		tags = variable_tags(r, r->series);
		s->help = tags.help;
		s->hidden = !*s->help;
		s->overflow = has_overflow(r, s);
		if (!s->hidden && serve(r, s, &tags))
			return -1;
		r->series = NULL;
	}
	if (!schema->nseries)
		return fail(r, "the object declares no series");
	if (read_views(r, schema) || check_series(r, schema))
		return -1;
	for (unsigned int i = 0; i < schema->nseries; i++)
		schema->series[i].layout = layout_of(r, schema->series[i].name);
	return read_layers(r, schema);
}

/* The unit of an amount with this typedef; -1: bpf/abi.h has no such typedef. */
static int amount_unit(const char *name)
{
	static const char *const names[] = {
		[UNIT_COUNT] = "estat_count_t",
		[UNIT_BYTES] = "estat_bytes_t",
		[UNIT_NSEC] = "estat_nsec_t",
		[UNIT_SHARE] = "estat_share_t",
	};

	return FIND_NAME(names, name);
}

/* Read a parameter's PMID item, which no earlier parameter of the event, from `first`, may have. */
static int read_parameter_item(struct reader *r, struct parameter *p, const struct tags *tags,
			       const struct parameter *first)
{
	if (read_number(r, tags, "event", p->axis.name, 1, SCHEMA_LAST_PARAMETER, &p->item))
		return -1;
	for (const struct parameter *other = first; other < p; other++)
		if (other->item == p->item)
			return fail(r, "event members %s and %s have the same number, %u",
				    other->axis.name, p->axis.name, p->item);
	return 0;
}

static int read_parameter(struct reader *r, const struct btf_type *event, unsigned int i,
			  struct parameter *p)
{
	const struct btf_type *declared = btf_type(r->btf, btf_members(event)[i].type);
	int unit = btf_is_typedef(declared) ? amount_unit(btf_string(r->btf, declared->name_off))
					    : -1;

	if (read_axis(r, event, i, "event", &p->axis))
		return -1;
	p->text = unit < 0 || p->axis.size != sizeof(uint64_t);
	p->unit = unit < 0 ? UNIT_COUNT : unit;
	return 0;
}

static int read_event(struct reader *r, uint32_t id, struct event_schema *e)
{
	const struct btf_type *event = resolve(r, id);

	if (!btf_is_struct(event))
		return fail(r, "the event is not a struct");
	if (e->event_offset < sizeof(struct estat_event_head) || e->record_size < e->event_offset ||
	    e->record_size - e->event_offset < event->size)
		return fail(r, "the event is not within its record");
	if (btf_vlen(event) < 1 || btf_vlen(event) > SCHEMA_MAX_PARAMETERS)
		return fail(r, "the event has %u members, not 1 to %u", btf_vlen(event),
			    SCHEMA_MAX_PARAMETERS);
	for (unsigned int i = 0; i < btf_vlen(event); i++) {
		struct tags tags = read_tags(r, btf__resolve_type(r->btf, id), i);
		struct parameter *p = &e->parameters[i];

		if (read_parameter(r, event, i, p) ||
		    read_parameter_item(r, p, &tags, e->parameters))
			return -1;
		p->help = tags.help;
	}
	e->nparameters = btf_vlen(event);
	return 0;
}

static int read_events(struct reader *r, struct schema *schema)
{
	const struct bpf_map *map = bpf_object__find_map_by_name(r->object, "estat_events");
	struct event_schema *e = &schema->events;
	const struct btf_type *record;

	if (!map)
		return 0;
	record = resolve(r, bpf_map__btf_value_type_id(map));
	if (bpf_map__type(map) != BPF_MAP_TYPE_ARRAY || !btf_is_struct(record) ||
	    btf_vlen(record) != 2 || record->size != bpf_map__value_size(map) ||
	    variable_offset(r->btf, ".bss", "estat_events_begun") < 0)
		return fail(r, "map estat_events holds no events: use ESTAT_EVENTS");
	e->help = variable_tags(r, "estat_events").help;
	e->layout = layout_of(r, "events");
	e->records = bpf_map__max_entries(map);
	e->record_size = record->size;
	e->event_offset = btf_member_bit_offset(record, 1) / 8;
	return read_event(r, btf_members(record)[1].type, e);
}

/* Read the kernel module that the variable names, if the object has the variable. */
static int read_kernel_module(struct reader *r, const char *variable, struct estat_needs *needs)
{
	const struct estat_needs *n = RODATA(r->object, variable, __typeof__(*n));

	if (!n)
		return 0;
	if (!memchr(n->module, 0, sizeof(n->module)) || !memchr(n->in_use, 0, sizeof(n->in_use)) ||
	    strchr(n->module, '/'))
		return fail(r, "%s does not name a kernel module: use ESTAT_NEEDS or ESTAT_ALSO",
			    variable);
	*needs = *n;
	return 0;
}

static int read_evidence(struct reader *r, struct schema *schema)
{
	const struct estat_evidence *e = RODATA(r->object, "estat_evidence", __typeof__(*e));

	if (!e)
		return 0;
	if (!memchr(e->files, 0, sizeof(e->files)) || !memchr(e->lines, 0, sizeof(e->lines)))
		return fail(r, "estat_evidence has a pattern without an end: use ESTAT_EVIDENCE");
	schema->evidence = *e;
	return 0;
}

/* Is the name a word, or two words with a . between, as a module's name must be? */
static bool is_module_name(const char *name)
{
	size_t n;

	for (int part = 0; part < 2; part++) {
		if (*name < 'a' || *name > 'z')
			return false;
		n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
		if (!name[n])
			return true;
		if (name[n] != '.')
			return false;
		name += n + 1;
	}
	return false;
}

/* Are the first `n` bytes of `name` equal to the whole `word`? */
static bool is_start(const char *name, size_t n, const char *word)
{
	return n == strlen(word) && !memcmp(name, word, n);
}

static int read_module(struct reader *r, struct schema *schema)
{
	const struct estat_module *m = rodata_module(r->object);
	size_t first;

	if (!m)
		return fail(r, "the object declares no module: use ESTAT_MODULE");
	if (m->abi != ESTAT_ABI_VERSION)
		return fail(r,
			    "built for version %u of bpf/abi.h, the agent has %u: build it again",
			    m->abi, ESTAT_ABI_VERSION);
	if (!memchr(m->name, 0, sizeof(m->name)) || !is_module_name(m->name))
		return fail(r,
			    "the module's name must be a letter and a-z, 0-9 and _, or two such"
			    " with a . between, up to %u in all",
			    ESTAT_NAME_LEN - 1);
	first = strcspn(m->name, ".");
	if (is_start(m->name, first, "agent") || is_start(m->name, first, "module") ||
	    is_start(m->name, first, "layer"))
		return fail(r, "the name %s is reserved for the agent", m->name);
	if (m->cluster > 1023)
		return fail(r, "cluster %u is not 0 to 1023", m->cluster);
	strcpy(schema->name, m->name);
	schema->cluster = m->cluster;
	schema->on_demand = RODATA(r->object, "estat_on_demand", __u8);
	return 0;
}

struct schema *schema_read(const struct bpf_object *object, char *error, size_t size)
{
	struct reader r = { .object = object, .error = error, .size = size };
	const struct btf *btf = bpf_object__btf(object);
	struct schema *schema;
	const void *data;
	uint32_t bytes;

	if (!btf) {
		fail(&r, "the object has no BTF: compile it with clang -g");
		return NULL;
	}
	schema = xalloc(calloc(1, sizeof(*schema)));
	data = btf__raw_data(btf, &bytes);
	/* copy the BTF, because the schema outlives the object */
	schema->btf = data ? btf__new(data, bytes) : NULL;
	if (!schema->btf) {
		fail(&r, "cannot read its BTF: %s", strerror(errno));
		schema_free(schema);
		return NULL;
	}
	r.btf = schema->btf;
	if (read_module(&r, schema) || read_kernel_module(&r, "estat_needs", &schema->needs) ||
	    read_kernel_module(&r, "estat_also", &schema->also) || read_evidence(&r, schema) ||
	    read_series(&r, schema) || read_events(&r, schema) || check_layouts(&r, schema)) {
		schema_free(schema);
		return NULL;
	}
	return schema;
}

void schema_free(struct schema *schema)
{
	if (!schema)
		return;
	for (unsigned int i = 0; i < schema->ntables; i++)
		free(schema->series[i].groups);
	free(schema->series);
	btf__free(schema->btf);
	free(schema);
}
