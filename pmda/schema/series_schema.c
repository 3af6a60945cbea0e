// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads what a module declares of its tables, views and layers, and how `estat` lays out rows. */
#include <bpf/libbpf.h>
#include <stdio.h>
#include <string.h>

#include "lib/xalloc.h"
#include "reader.h"
#include "rodata.h"

/*
 * Prefixes of names of variables in .rodata, for views, ranks of layers, and layouts. ONLY is what
 * separates the axes from AXIS=GLOB in the text of a view.
 */
#define VIEW_PREFIX   "estat_view_"
#define ONLY          " if "
#define LAYER_PREFIX  "estat_layer_"
#define LAYOUT_PREFIX "estat_layout_"

/*
 * Make the series' groups the owners of their numbers. Refuses a number that has an owner already,
 * or is too high.
 */
static int take_numbers(struct reader *r, const struct series_schema *s)
{
	for (unsigned int g = 0; g < s->ngroups; g++) {
		unsigned int number = schema_group_number(s, g);
		struct owner *owner;

		if (number >= SCHEMA_MAX_GROUPS)
			return refuse(r, "%s has the number %u + %u, which is not 0 to %u",
				      s->groups[g].name, s->first_group, s->groups[g].number,
				      SCHEMA_MAX_GROUPS - 1);
		owner = &r->owners[number];
		if (owner->series)
			return refuse(r, "its number %u belongs to %s%s%s already", number,
				      owner->series, *owner->group ? "." : "", owner->group);
		*owner = (struct owner){ .series = s->name, .group = s->groups[g].name };
	}
	return 0;
}

static int read_key(struct reader *r, uint32_t id, struct series_schema *s)
{
	const struct btf_type *key = resolve(r, id);

	if (!btf_is_struct(key))
		return refuse(r, "the key is not a struct");
	if (btf_vlen(key) < 1 || btf_vlen(key) > SCHEMA_MAX_AXES)
		return refuse(r, "the key has %u members, not 1 to %u", btf_vlen(key),
			      SCHEMA_MAX_AXES);
	s->key_size = key->size;
	for (s->naxes = 0; s->naxes < btf_vlen(key); s->naxes++)
		if (read_axis(r, key, s->naxes, "key", &s->axes[s->naxes]))
			return -1;
	return 0;
}

static int read_slot(struct reader *r, const struct bpf_map *slots, struct series_schema *s)
{
	const struct btf_type *slot = map_value(r, slots), *value;

	if (!btf_is_struct(slot) || btf_vlen(slot) != 3 || slot->size != bpf_map__value_size(slots))
		return refuse(r, "map %s holds no slots: use ESTAT_SERIES", bpf_map__name(slots));
	value = resolve(r, btf_members(slot)[2].type);
	if (!btf_is_struct(value))
		return refuse(r, "the value is not a struct");
	s->slot_size = slot->size;
	s->key_offset = btf_member_bit_offset(slot, 1) / 8;
	s->value_offset = btf_member_bit_offset(slot, 2) / 8;
	s->value_words = value->size / 8;
	if (s->value_offset % 8 || s->slot_size % 8)
		return refuse(r, "the value is not aligned to 8 bytes");
	if (read_key(r, btf_members(slot)[1].type, s))
		return -1;
	if (s->key_offset < sizeof(uint32_t) || s->value_offset < s->key_offset ||
	    s->value_offset - s->key_offset < s->key_size || s->slot_size < s->value_offset ||
	    s->slot_size - s->value_offset < value->size)
		return refuse(r, "map %s: key and value are not within the slot",
			      bpf_map__name(slots));
	return read_groups(r, s, btf_members(slot)[2].type);
}

/* The map whose name is the series' name and `suffix`; NULL: there is none. */
static struct bpf_map *series_map(const struct reader *r, const char *name, const char *suffix)
{
	char full[ESTAT_NAME_LEN * 2];

	snprintf(full, sizeof(full), "%s%s", name, suffix);
	return bpf_object__find_map_by_name(r->object, full);
}

/*
 * Check the names of the exported series, except the series with the module's name. In the name
 * space the named groups of that series, and its fields outside these groups, are siblings of the
 * other series, so all these names must differ.
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
				return refuse(r, "a group has the name of series %s", s->name);
		for (unsigned int f = 0; own && f < own->groups[0].nfields; f++)
			if (!strcmp(own->groups[0].fields[f].name, s->name))
				return refuse(r, "a field has the name of series %s", s->name);
	}
	return 0;
}

/*
 * Are the series' maps, except NAME_pages, of the types that ESTAT_SERIES makes? read_slot() checks
 * what a slot is made of.
 */
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

/* Read "AXIS=GLOB", at most 63 bytes, from `text`: the view takes the table's keys that match. */
static int choose_keys(struct reader *r, const char *text, struct series_schema *s)
{
	size_t length = strcspn(text, "=");

	if (s->hidden || s->overflow)
		return refuse(r, "\"if %s\" needs a table that is a series without ESTAT_OVERFLOW",
			      text);
	for (unsigned int i = 0; i < s->naxes; i++)
		if (s->axes[i].kind == AXIS_ENUM && !strncmp(s->axes[i].name, text, length) &&
		    !s->axes[i].name[length])
			s->only.axis = s->axes[i];
	if (!s->only.axis.name || !text[length] || !text[length + 1])
		return refuse(r, "\"if %s\" must be AXIS=GLOB with an axis that is an enum", text);
	strcpy(s->only.values, text + length + 1);
	return 0;
}

static bool has_word(const char *text, const char *name)
{
	for (size_t n; *text; text += n + strspn(text + n, " ")) {
		n = strcspn(text, " ");
		if (n && n == strlen(name) && !memcmp(text, name, n))
			return true;
	}
	return false;
}

/* Give the view the table's axes that `names` lists. */
static int choose_axes(struct reader *r, const char *names, struct series_schema *s)
{
	unsigned int all = s->naxes, named = 0;

	s->naxes = 0;
	for (unsigned int i = 0; i < all; i++)
		if (has_word(names, s->axes[i].name))
			s->axes[s->naxes++] = s->axes[i];
	for (const char *at = names; *at; at += strcspn(at, " "), at += strspn(at, " "))
		named++;
	if (!named || named != s->naxes)
		return refuse(r, "\"%s\" does not name axes of its table", names);
	return 0;
}

/* Mark the series as exported, and read its number. Refuses a series without a number. */
static int serve(struct reader *r, struct series_schema *s, const struct tags *tags)
{
	long n = number_of(tags);

	s->hidden = false;
	if (n < 0 || n >= SCHEMA_MAX_GROUPS)
		return refuse(r, "it has no number, 0 to %u: use ESTAT_SERIES or ESTAT_VIEW",
			      SCHEMA_MAX_GROUPS - 1);
	s->first_group = n;
	return take_numbers(r, s);
}

static struct series_schema *add_series(struct schema *schema)
{
	schema->series = grow(schema->series, schema->nseries, sizeof(*schema->series));
	return &schema->series[schema->nseries++];
}

static int read_view(struct reader *r, struct schema *schema, const char *variable)
{
	const struct estat_view *v = RODATA(r->object, variable, __typeof__(*v));
	struct tags tags = variable_tags(r, variable);
	char axes[sizeof(v->axes)], *only;
	struct series_schema *s;
	unsigned int table = 0;

	if (!v || !memchr(v->table, 0, sizeof(v->table)) || !memchr(v->axes, 0, sizeof(v->axes)))
		return refuse(r, "it is not a view: use ESTAT_VIEW");
	if (strlen(r->series) >= ESTAT_NAME_LEN)
		return refuse(r, "the name is longer than %u", ESTAT_NAME_LEN - 1);
	while (table < schema->ntables && strcmp(schema->series[table].name, v->table))
		table++;
	if (table == schema->ntables)
		return refuse(r, "there is no table %s", v->table);
	s = add_series(schema);
	*s = schema->series[table];
	s->name = r->series;
	s->help = tags.help;
	strcpy(axes, v->axes);
	only = strstr(axes, ONLY);
	if (only)
		*only = '\0';
	if (only && choose_keys(r, only + sizeof(ONLY) - 1, s))
		return -1;
	return choose_axes(r, axes, s) || serve(r, s, &tags) ? -1 : 0;
}

static int read_views(struct reader *r, struct schema *schema)
{
	const char *name;

	for (unsigned int i = 0; (name = rodata_name(r->btf, VIEW_PREFIX, i)); i++) {
		r->series = name + sizeof(VIEW_PREFIX) - 1;
		if (read_view(r, schema, name))
			return -1;
	}
	r->series = NULL;
	return 0;
}

static bool has_overflow(const struct reader *r, const struct series_schema *s)
{
	char name[ESTAT_NAME_LEN + 16];

	snprintf(name, sizeof(name), "estat_overflow_%s", s->name);
	return variable_offset(r->btf, ".rodata", name) >= 0 &&
	       rodata_overflow_slot(r->object, s->name);
}

/*
 * Where to store the position of the layer `name`, which is an exported series, or a group of the
 * series with the module's name. NULL: there is no such series or group.
 */
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
		return refuse(
			r,
			"layer %s is neither an exported series nor a group of the series with "
			"the module's name",
			name);
	if (!declared || *declared < 1 || *declared > ESTAT_LAST_RANK)
		return refuse(r, "layer %s has a rank that is not 1 to %u", name, ESTAT_LAST_RANK);
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

const char *layout_of(const struct reader *r, const char *name)
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
		if (!known && (strcmp(name, "events") || !schema->rings[RING_EVENTS].nparameters))
			return refuse(
				r,
				"ESTAT_LAYOUT names %s, but the module declares no such series "
				"or events",
				name);
	}
	return 0;
}

static int read_table(struct reader *r, struct schema *schema, const struct bpf_map *map)
{
	int32_t variable = btf__find_by_name_kind(r->btf, r->series, BTF_KIND_VAR);
	struct tags tags = variable_tags(r, r->series);
	struct series_schema *s;

	if (variable < 0)
		return refuse(r, "its name is not in the BTF");
	if (strlen(r->series) >= ESTAT_NAME_LEN)
		return refuse(r, "the name is longer than %u", ESTAT_NAME_LEN - 1);
	if (!series_map(r, r->series, "_free") || !series_map(r, r->series, "_by_size"))
		return refuse(r, "maps are missing: use ESTAT_SERIES");
	s = add_series(schema);
	*s = (struct series_schema){
		.table = schema->ntables++,
		.name = btf_string(r->btf, btf_type(r->btf, variable)->name_off),
		.keys = bpf_map__max_entries(map),
		.help = tags.help,
		.hidden = !*tags.help,
	};
	if (read_slot(r, series_map(r, r->series, "_slots"), s))
		return -1;
	if (s->key_size != bpf_map__key_size(map) || !is_series(r, map))
		return refuse(r, "maps of another kind: use ESTAT_SERIES");
	s->overflow = has_overflow(r, s);
	return s->hidden ? 0 : serve(r, s, &tags);
}

int read_series(struct reader *r, struct schema *schema)
{
	const struct bpf_map *map;

	bpf_object__for_each_map (map, r->object) {
		r->series = bpf_map__name(map);
		if (series_map(r, r->series, "_slots") && read_table(r, schema, map))
			return -1;
	}
	r->series = NULL;
	if (!schema->nseries)
		return refuse(r, "the object declares no series");
	if (read_views(r, schema) || check_series(r, schema))
		return -1;
	for (unsigned int i = 0; i < schema->nseries; i++)
		schema->series[i].layout = layout_of(r, schema->series[i].name);
	return read_layers(r, schema) || check_layouts(r, schema) ? -1 : 0;
}
