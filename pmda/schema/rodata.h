/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds variables of an object: constants in .rodata, which the agent reads or sets before it loads
 * the object, and the offsets of other variables.
 */
#ifndef ESTAT_PMDA_SCHEMA_RODATA_H
#define ESTAT_PMDA_SCHEMA_RODATA_H

#include <stddef.h>
#include <stdint.h>

#include "abi.h"

struct bpf_object;
struct btf;

/*
 * The constant `name` of an object that is not loaded yet. NULL: .rodata has no such constant, the
 * constant is not aligned as `type`, or .rodata ends less than sizeof(type) bytes after the
 * constant's begin.
 */
#define RODATA(object, name, type) rodata_variable(object, name, sizeof(type), _Alignof(type))
void *rodata_variable(const struct bpf_object *object, const char *name, size_t bytes,
		      size_t alignment);

/*
 * The name of variable number `i`, from 0, of those in .rodata whose names begin with `prefix`.
 * NULL: there are no more than `i` such variables.
 */
const char *rodata_name(const struct btf *btf, const char *prefix, unsigned int i);

/*
 * The constant that the agent sets, before load, to the number of the slot of a table's overflow
 * key, if the table has an overflow key; NULL: the object lacks the constant.
 */
uint32_t *rodata_overflow_slot(const struct bpf_object *object, const char *table);

/*
 * Prefixes of the names of constants for the address of a kernel symbol (8 bytes), and for the
 * value of an enumerator (4 bytes).
 */
#define RODATA_ADDRESS    "estat_address_"
#define RODATA_ENUMERATOR "estat_enumerator_"

/*
 * Constant number `i`, from 0, of those whose names begin with `prefix`, to be set before load.
 * Sets *rest to what follows the prefix in the constant's name. NULL: there are no more than `i`
 * such constants, or RODATA() refuses a type of `bytes` bytes, aligned to `bytes`.
 */
void *rodata_prefixed(const struct bpf_object *object, const char *prefix, unsigned int i,
		      size_t bytes, const char **rest);

/* Prefixes of the variables that ESTAT_OPTIONAL and ESTAT_INSTEAD declare. */
#define RODATA_OPTIONAL "estat_optional_"
#define RODATA_INSTEAD  "estat_instead_"

/*
 * Variable number `i`, from 0, of those whose names begin with `prefix`. NULL: there are no more
 * than `i` such variables, RODATA() refuses the variable, or a text in the variable has no NUL.
 */
const struct estat_functions *rodata_functions(const struct bpf_object *object, const char *prefix,
					       unsigned int i);

/* The offset of a variable in a data section, for example ".bss"; -1: there is none. */
long variable_offset(const struct btf *btf, const char *section, const char *name);

#endif /* ESTAT_PMDA_SCHEMA_RODATA_H */
