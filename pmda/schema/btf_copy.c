// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/btf.h>
#include <errno.h>
#include <stdlib.h>

#include "btf_copy.h"
#include "lib/xalloc.h"

/*
 * How many levels btf_copy() goes down, from a type to the types to which the type refers. The
 * limit keeps a damaged file from using up the stack. Linux 6.18's deepest type has 33 levels, if
 * one does not follow pointers.
 */
#define MOST_DEPTH 256

/* Type `number` of c->to. The pointer is valid until a type is added to c->to. */
static struct btf_type *copy_of(const struct btf_copies *c, uint32_t number)
{
	return (struct btf_type *)btf__type_by_id(c->to, number);
}

static void copy_members(struct btf_copies *c, uint32_t number, const struct btf_type *from)
{
	for (int i = 0; i < btf_vlen(from); i++) {
		uint32_t type = btf_copy(c, btf_members(from)[i].type);

		btf_members(copy_of(c, number))[i].type = type;
	}
}

static void copy_array(struct btf_copies *c, uint32_t number, const struct btf_array *from)
{
	uint32_t type = btf_copy(c, from->type), index = btf_copy(c, from->index_type);
	struct btf_array *array = btf_array(copy_of(c, number));

	array->type = type;
	array->index_type = index;
}

static void copy_section(struct btf_copies *c, uint32_t number, const struct btf_type *from)
{
	for (int i = 0; i < btf_vlen(from); i++) {
		uint32_t type = btf_copy(c, btf_var_secinfos(from)[i].type);

		btf_var_secinfos(copy_of(c, number))[i].type = type;
	}
}

/*
 * Copy the types to which `from` refers, and have the copy of `from`, type `number` of c->to, refer
 * to the copies. Unless c->pointers is set, a copied pointer points to void.
 */
static void copy_parts(struct btf_copies *c, uint32_t number, const struct btf_type *from)
{
	if (btf_is_composite(from)) {
		copy_members(c, number, from);
	} else if (btf_is_array(from)) {
		copy_array(c, number, btf_array(from));
	} else if (btf_is_datasec(from)) {
		copy_section(c, number, from);
	} else if (btf_is_ptr(from) && !c->pointers) {
		copy_of(c, number)->type = 0;
	} else if (btf_is_ptr(from) || btf_is_mod(from) || btf_is_typedef(from) ||
		   btf_is_var(from) || btf_is_decl_tag(from)) {
		uint32_t type = btf_copy(c, from->type);

		copy_of(c, number)->type = type;
	}
}

uint32_t btf_copy(struct btf_copies *c, uint32_t id)
{
	const struct btf_type *from = btf__type_by_id(c->from, id);
	int number;

	if (!id || !from || btf_is_func(from) || btf_is_func_proto(from))
		return 0;
	if (c->numbers[id])
		return c->numbers[id];
	number = c->depth < MOST_DEPTH ? btf__add_type(c->to, c->from, from) : -ELOOP;
	if (number < 0) {
		c->err = number;
		return 0;
	}
	c->numbers[id] = number;
	c->depth++;
	copy_parts(c, number, from);
	c->depth--;
	return number;
}

/*
 * A copy of `btf` that needs less memory: libbpf needs several times the memory for a BTF to which
 * types have been added.
 */
static struct btf *compact(const struct btf *btf)
{
	uint32_t size;
	const void *data = btf__raw_data(btf, &size);

	return data ? btf__new(data, size) : NULL;
}

struct btf *btf_copy_variables(const struct btf *btf, uint32_t **numbers)
{
	uint32_t end = btf__type_cnt(btf);
	struct btf_copies c = {
		.from = btf,
		.to = xalloc(btf__new_empty()),
		.numbers = xalloc(calloc(end, sizeof(*c.numbers))),
		/* a map's declaration says by pointers which types its keys and values have */
		.pointers = true,
	};
	struct btf *variables;

	for (uint32_t id = 1; id < end; id++)
		if (btf_is_datasec(btf__type_by_id(btf, id)))
			btf_copy(&c, id);
	for (uint32_t id = 1; id < end; id++) {
		const struct btf_type *type = btf__type_by_id(btf, id);

		if (btf_is_decl_tag(type) && type->type < end && c.numbers[type->type])
			btf_copy(&c, id);
	}
	variables = c.err ? NULL : compact(c.to);
	if (c.err)
		errno = -c.err;
	btf__free(c.to);
	if (numbers)
		*numbers = c.numbers;
	else
		free(c.numbers);
	return variables;
}
