// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds variables of a module's object. */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <string.h>

#include "btf.h"
#include "rodata.h"

long variable_offset(const struct btf *btf, const char *section, const char *name)
{
	int32_t id = btf__find_by_name_kind(btf, section, BTF_KIND_DATASEC);
	const struct btf_type *t = id < 0 ? NULL : btf__type_by_id(btf, id);

	for (unsigned int i = 0; t && i < btf_vlen(t); i++) {
		const struct btf_var_secinfo *v = &btf_var_secinfos(t)[i];

		if (!strcmp(btf_string(btf, btf_type(btf, v->type)->name_off), name))
			return v->offset;
	}
	return -1;
}

static bool name_ends(const char *name, const char *end)
{
	size_t length = strlen(name), of_end = strlen(end);

	return length >= of_end && !strcmp(name + length - of_end, end);
}

void *rodata_variable(const struct bpf_object *object, const char *name, size_t bytes,
		      size_t alignment)
{
	struct bpf_map *rodata = NULL, *map;
	long offset;
	size_t size;
	char *data;

	bpf_object__for_each_map (map, object)
		if (name_ends(bpf_map__name(map), ".rodata"))
			rodata = map;
	if (!rodata || !bpf_object__btf(object))
		return NULL;
	offset = variable_offset(bpf_object__btf(object), ".rodata", name);
	data = (char *)bpf_map__initial_value(rodata, &size);
	if (offset < 0 || !data || offset + bytes > size || (uintptr_t)(data + offset) % alignment)
		return NULL;
	return data + offset;
}

const char *rodata_name(const struct btf *btf, const char *prefix, unsigned int i)
{
	int32_t id = btf__find_by_name_kind(btf, ".rodata", BTF_KIND_DATASEC);
	const struct btf_type *t = id < 0 ? NULL : btf__type_by_id(btf, id);

	for (unsigned int j = 0; t && j < btf_vlen(t); j++) {
		const char *name =
			btf_string(btf, btf_type(btf, btf_var_secinfos(t)[j].type)->name_off);

		if (!strncmp(name, prefix, strlen(prefix)) && !i--)
			return name;
	}
	return NULL;
}

const struct estat_functions *rodata_functions(const struct bpf_object *object, const char *prefix,
					       unsigned int i)
{
	const struct btf *btf = bpf_object__btf(object);
	const char *name = btf ? rodata_name(btf, prefix, i) : NULL;
	const struct estat_functions *f = name ? RODATA(object, name, __typeof__(*f)) : NULL;

	for (unsigned int j = 0; f && j < ESTAT_FUNCTIONS; j++)
		if (!memchr(f->names[j], 0, sizeof(f->names[j])))
			return NULL;
	return f && memchr(f->lacks, 0, sizeof(f->lacks)) ? f : NULL;
}

uint32_t *rodata_overflow_slot(const struct bpf_object *object, const char *table)
{
	char name[ESTAT_NAME_LEN + 16];

	snprintf(name, sizeof(name), "%s_overflow_slot", table);
	return RODATA(object, name, uint32_t);
}

void *rodata_prefixed(const struct bpf_object *object, const char *prefix, unsigned int i,
		      size_t bytes, const char **rest)
{
	const struct btf *btf = bpf_object__btf(object);
	const char *name = btf ? rodata_name(btf, prefix, i) : NULL;

	if (!name)
		return NULL;
	*rest = name + strlen(prefix);
	return rodata_variable(object, name, bytes, bytes);
}
