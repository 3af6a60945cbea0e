/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BTF of the kernel or of a kernel module, with an index of names: a search by libbpf before 1.7
 * reads all of some 100,000 names, and modules need hundreds of searches. types_copy() writes a
 * small file with the few types that an object needs for CO-RE, because libbpf reads all types in a
 * file once for each object, and once more for each type that the object uses.
 */
#ifndef ESTAT_PMDA_LOAD_TYPES_H
#define ESTAT_PMDA_LOAD_TYPES_H

#include <stdbool.h>
#include <stdint.h>

struct btf;

struct types {
	struct btf *btf; /* owned */
	uint32_t *ids;   /* a hash table of the types' numbers by name; 0: free; owned */
	uint32_t mask;   /* the size of the hash table less 1 */
};

/*
 * Take over `btf` and index its named types from number `first` on: 1 or, for split BTF of a kernel
 * module, the first number after those of the kernel's BTF.
 */
void types_begin(struct types *t, struct btf *btf, uint32_t first);

void types_end(struct types *t);

/* The number of the type with this name and BTF_KIND_*; 0: none. */
uint32_t types_find(const struct types *t, const char *name, uint32_t kind);

/*
 * Write BTF to `fd`: those types of the kernel and of `n` kernel modules that have the name of a
 * type in `wanted`, and the types of their members. In the names of `wanted`, ___ and what follows
 * are ignored, as CO-RE does. Pointers become pointers to void. The BTF of the last kernel module
 * may have no base; of such BTF only types are copied that the kernel's BTF lacks by name, or has
 * only as declarations. Returns 0 or a negative errno.
 */
int types_copy(const struct types *kernel, const struct types *const *modules, unsigned int n,
	       const struct btf *wanted, int fd);

#endif /* ESTAT_PMDA_LOAD_TYPES_H */
