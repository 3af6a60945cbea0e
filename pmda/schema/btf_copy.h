/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies types from one BTF to another, with the types to which the copied types refer. */
#ifndef ESTAT_PMDA_SCHEMA_BTF_COPY_H
#define ESTAT_PMDA_SCHEMA_BTF_COPY_H

#include <stdbool.h>
#include <stdint.h>

struct btf;

struct btf_copies {
	const struct btf *from;
	struct btf *to;
	/* the number of each type's copy in `to`, by the type's number in `from`; 0: no copy */
	uint32_t *numbers;
	/* how many levels the type being copied is below the type that was asked for */
	unsigned int depth;
	bool pointers; /* copy what pointers point to; false: all become pointers to void */
	int err;       /* the negative errno of a copy that failed; 0: none has failed */
};

/*
 * If type `id` has no copy yet, copy the type and the types to which it refers, such as the types
 * of a struct's members; a tag refers to the type or variable that has the tag. What a pointer
 * points to is copied only if c->pointers. Returns the number of the copy. Returns 0 (void) if the
 * type is void, a function or a function's prototype, or does not exist. If a type cannot be
 * copied, sets c->err, and returns 0 if that type is `id`.
 */
uint32_t btf_copy(struct btf_copies *c, uint32_t id);

/*
 * A new BTF with an object's variables, the types to which the variables refer, and the tags of
 * both; without the object's functions and all other types. Free with btf__free(). NULL: errno says
 * why not. Unless `numbers` is NULL, *numbers is set, also after an error, to an array that has the
 * number of each type's copy by the type's number in `btf`; 0: no copy. The caller frees the array
 * with free().
 */
struct btf *btf_copy_variables(const struct btf *btf, uint32_t **numbers);

#endif /* ESTAT_PMDA_SCHEMA_BTF_COPY_H */
