// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "reader.h"

int refuse(struct reader *r, const char *format, ...)
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

const struct btf_type *resolve(const struct reader *r, uint32_t id)
{
	return btf_type(r->btf, btf__resolve_type(r->btf, id));
}

const struct btf_type *map_value(const struct reader *r, const struct bpf_map *map)
{
	uint32_t id = bpf_map__btf_value_type_id(map);

	return resolve(r, id < btf__type_cnt(bpf_object__btf(r->object)) ? r->numbers[id] : 0);
}

const char *typedef_name(const struct reader *r, const struct btf_type *t)
{
	return btf_is_typedef(t) ? btf_string(r->btf, t->name_off) : "";
}

struct tags read_tags(const struct reader *r, uint32_t id, int index)
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

struct tags variable_tags(const struct reader *r, const char *name)
{
	int32_t id = btf__find_by_name_kind(r->btf, name, BTF_KIND_VAR);

	return id < 0 ? (struct tags){ .help = "" } : read_tags(r, id, -1);
}

long number_of(const struct tags *tags)
{
	char *end;
	long n = tags->number ? strtol(tags->number, &end, 10) : -1;

	return !tags->number || end == tags->number || *end ? -1 : n;
}

int read_number(struct reader *r, const struct tags *tags, const char *owner, const char *name,
		unsigned int low, unsigned int high, unsigned int *number)
{
	long n;

	if (!tags->number)
		return refuse(r, "%s member %s has no number, %u to %u: use ESTAT_NUMBER", owner,
			      name, low, high);
	n = number_of(tags);
	if (n < (long)low || n > (long)high)
		return refuse(r, "%s member %s has the number %s, which is not %u to %u", owner,
			      name, tags->number, low, high);
	*number = n;
	return 0;
}

/* Is the type an integer or enum of a size that axis.c can read? */
static bool is_number(const struct btf_type *t)
{
	return (btf_is_int(t) || btf_is_any_enum(t)) &&
	       (t->size == 1 || t->size == 2 || t->size == 4 || t->size == 8);
}

static bool has_names(const struct reader *r)
{
	const struct bpf_map *names = bpf_object__find_map_by_name(r->object, "estat_names");

	return names && bpf_map__type(names) == BPF_MAP_TYPE_HASH &&
	       bpf_map__key_size(names) == sizeof(uint64_t) &&
	       (bpf_map__value_size(names) == sizeof(struct estat_name) ||
		bpf_map__value_size(names) == sizeof(struct estat_short_name) ||
		bpf_map__value_size(names) == sizeof(struct estat_long_name));
}

/* The kind of an axis, by its typedef or its type; -1: the agent does not know the type. */
static int axis_kind(const struct reader *r, const char *declared, const struct btf_type *t)
{
	const struct btf_type *element = btf_is_array(t) ? resolve(r, btf_array(t)->type) : NULL;

	if (!strcmp(declared, "estat_ip_t") && t->size == sizeof(estat_ip_t))
		return AXIS_IP;
	if (element && btf_is_int(element) && element->size == 1)
		return AXIS_TEXT;
	if (!is_number(t))
		return -1;
	if (!strcmp(declared, "estat_dev_t"))
		return AXIS_DEVICE;
	if (!strcmp(declared, "estat_name_t"))
		return AXIS_NAME;
	if (!strcmp(declared, "estat_cgroup_t"))
		return AXIS_CGROUP;
	if (!strcmp(declared, "estat_charged_t"))
		return AXIS_CHARGED;
	if (!btf_is_int(t))
		return AXIS_ENUM;
	return btf_int_encoding(t) & BTF_INT_SIGNED ? AXIS_SIGNED : AXIS_UNSIGNED;
}

int read_axis(struct reader *r, const struct btf_type *key, unsigned int i, const char *owner,
	      struct axis *axis)
{
	const struct btf_member *m = &btf_members(key)[i];
	const struct btf_type *t = resolve(r, m->type);
	int kind = axis_kind(r, typedef_name(r, btf_type(r->btf, m->type)), t);

	*axis = (struct axis){
		.name = btf_string(r->btf, m->name_off),
		.kind = kind,
		.offset = btf_member_bit_offset(key, i) / 8,
		.size = kind == AXIS_TEXT ? btf_array(t)->nelems : t->size,
		.type = t,
	};
	if (btf_member_bitfield_size(key, i))
		return refuse(r, "%s member %s is a bit field, which no axis can be", owner,
			      axis->name);
	if (kind < 0)
		return refuse(r,
			      "%s member %s has a type that the agent does not know: it must be "
			      "char[N], an enum, an integer or an axis type of bpf/abi.h",
			      owner, axis->name);
	if (axis_is_named(kind) && !has_names(r))
		return refuse(
			r,
			"%s member %s is a name, but there is no map of names: use bpf/name.bpf.h",
			owner, axis->name);
	if (axis->offset > key->size || axis->size > key->size - axis->offset)
		return refuse(r, "%s member %s is not within the %s", owner, axis->name, owner);
	return 0;
}

int find_name(const char *const names[], unsigned int n, const char *name)
{
	for (unsigned int i = 0; i < n; i++)
		if (!strcmp(name, names[i]))
			return i;
	return -1;
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
