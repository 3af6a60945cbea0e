// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/btf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/hash.h"
#include "lib/xalloc.h"
#include "schema/btf_copy.h"
#include "types.h"

static const char *name_of(const struct btf *btf, const struct btf_type *type)
{
	const char *name = btf__name_by_offset(btf, type->name_off);

	return name ? name : "";
}

void types_begin(struct types *t, struct btf *btf, uint32_t first)
{
	uint32_t end = btf__type_cnt(btf), size = 64;

	while (size < 2 * (end - first))
		size *= 2;
	*t = (struct types){ btf, xalloc(calloc(size, sizeof(*t->ids))), size - 1 };
	for (uint32_t id = first; id < end; id++) {
		const char *name = name_of(btf, btf__type_by_id(btf, id));
		uint32_t at = hash_bytes(name, strlen(name)) & t->mask;

		while (*name && t->ids[at])
			at = (at + 1) & t->mask;
		if (*name)
			t->ids[at] = id;
	}
}

void types_end(struct types *t)
{
	btf__free(t->btf);
	free(t->ids);
	*t = (struct types){};
}

/*
 * Find the next type with this name, from element *at of the hash table t->ids on, and set *at to
 * the element after that type. The caller begins with *at = hash_bytes(name). Returns the type's
 * number; 0: no more.
 */
static uint32_t next(const struct types *t, const char *name, size_t length, uint32_t *at)
{
	uint32_t id;

	while ((id = t->ids[*at & t->mask])) {
		const char *its = name_of(t->btf, btf__type_by_id(t->btf, id));

		++*at;
		if (!strncmp(its, name, length) && !its[length])
			return id;
	}
	return 0;
}

uint32_t types_find(const struct types *t, const char *name, uint32_t kind)
{
	size_t length = strlen(name);
	uint32_t at = hash_bytes(name, length), id;

	while ((id = next(t, name, length, &at)))
		if (btf_kind(btf__type_by_id(t->btf, id)) == kind)
			return id;
	return 0;
}

/* Can CO-RE ask for a type of this kind? */
static bool is_asked_for(const struct btf_type *type)
{
	return btf_is_composite(type) || btf_is_any_enum(type) || btf_is_typedef(type) ||
	       btf_is_int(type);
}

/* The length of the plain name: of `name` without ___ and what follows ___, as CO-RE compares. */
static size_t plain_length(const char *name)
{
	const char *flavor = strstr(name, "___");

	return flavor ? (size_t)(flavor - name) : strlen(name);
}

/* Copy the types that have the plain name of `name`, if CO-RE can ask for their kind. */
static void copy_named(struct btf_copies *c, const struct types *t, const char *name)
{
	size_t length = plain_length(name);
	uint32_t at = hash_bytes(name, length), id;

	while (length && (id = next(t, name, length, &at)))
		if (is_asked_for(btf__type_by_id(t->btf, id)))
			btf_copy(c, id);
}

static int write_all(const struct btf *btf, int fd)
{
	uint32_t size;
	const void *data = btf__raw_data(btf, &size);
	ssize_t n = data ? write(fd, data, size) : -1;

	return n == (ssize_t)size ? 0 : n < 0 ? -errno : -EIO;
}

/*
 * Does `t` have a type with the plain name of `name` for which CO-RE can ask? A mere declaration of
 * a struct and a function of that name do not count.
 */
static bool is_known(const struct types *t, const char *name)
{
	size_t length = plain_length(name);
	uint32_t at = hash_bytes(name, length), id;

	while ((id = next(t, name, length, &at)))
		if (is_asked_for(btf__type_by_id(t->btf, id)))
			return true;
	return false;
}

/*
 * Copy those types of `t`, the kernel or a kernel module, that have the plain name of a type in
 * `wanted`; except names for which is_known() is true in `known`, if `known` is not NULL.
 */
static void copy_wanted(struct btf_copies *c, const struct types *t, const struct btf *wanted,
			const struct types *known)
{
	for (uint32_t id = 1; wanted && id < btf__type_cnt(wanted); id++) {
		const struct btf_type *type = btf__type_by_id(wanted, id);

		if (is_asked_for(type) && !(known && is_known(known, name_of(wanted, type))))
			copy_named(c, t, name_of(wanted, type));
	}
}

int types_copy(const struct types *kernel, const struct types *const *modules, unsigned int n,
	       const struct btf *wanted, int fd)
{
	uint32_t shared = btf__type_cnt(kernel->btf), types = shared;
	struct btf_copies c = { .from = kernel->btf };

	for (unsigned int i = 0; i < n; i++)
		if (btf__type_cnt(modules[i]->btf) > types)
			types = btf__type_cnt(modules[i]->btf);
	c.to = xalloc(btf__new_empty());
	c.numbers = xalloc(calloc(types, sizeof(*c.numbers)));
	copy_wanted(&c, kernel, wanted, NULL);
	/*
	 * a kernel module's types have numbers after the kernel's; types of BTF without a base
	 * begin at 1
	 */
	for (unsigned int i = 0; i < n; i++) {
		bool alone = !btf__base_btf(modules[i]->btf);
		uint32_t first = alone ? 0 : shared;

		memset(c.numbers + first, 0, (types - first) * sizeof(*c.numbers));
		c.from = modules[i]->btf;
		copy_wanted(&c, modules[i], wanted, alone ? kernel : NULL);
	}
	if (!c.err)
		c.err = write_all(c.to, fd);
	btf__free(c.to);
	free(c.numbers);
	return c.err;
}
