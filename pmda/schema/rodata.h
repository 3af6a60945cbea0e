/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The variables of a module's object: constants in .rodata, which the agent reads and sets
 * before the object is loaded, and offsets in .bss.
 */
#ifndef ESTAT_PMDA_SCHEMA_RODATA_H
#define ESTAT_PMDA_SCHEMA_RODATA_H

#include <stddef.h>
#include <stdint.h>

#include "abi.h"

struct bpf_object;
struct btf;

/* A variable of a given type in .rodata, before load; NULL: not there, or not aligned. */
#define RODATA(object, name, type) rodata_variable(object, name, sizeof(type), _Alignof(type))
void *rodata_variable(const struct bpf_object *object, const char *name, size_t bytes,
		      size_t alignment);

/* The name of variable number `i` in .rodata that begins with `prefix`; NULL: there are fewer. */
const char *rodata_name(const struct btf *btf, const char *prefix, unsigned int i);

/* The struct estat_module in an object's .rodata, to be set before load; NULL: there is none. */
struct estat_module *rodata_module(const struct bpf_object *object);

/* The slot of a table's overflow key, set before load; NULL: the object was built without one. */
uint32_t *rodata_overflow(const struct bpf_object *object, const char *table);

/* Whether fentry takes wide functions, see bpf/probe.bpf.h; NULL: not there. */
uint8_t *rodata_wide(const struct bpf_object *object);

/* How large a page is, see modules/vfs/page.bpf.h; NULL: not there. */
uint8_t *rodata_page_shift(const struct bpf_object *object);

/*
 * The constant number `i` that is to hold a kernel address, to be set
 * before load. *symbol: whose address. NULL: the object has fewer.
 */
uint64_t *rodata_address(const struct bpf_object *object, unsigned int i, const char **symbol);

/*
 * The constant number `i` that is to hold an enumerator's value, see
 * ESTAT_ENUMERATOR. *name: which enumerator. NULL: the object has fewer.
 */
uint32_t *rodata_enumerator(const struct bpf_object *object, unsigned int i, const char **name);

/* What an object declares of a function that it probes; NULL: nothing. */
const struct estat_function *rodata_function(const struct bpf_object *object, const char *function);

/* The offset of a variable in a data section, for example ".bss"; -1: there is none. */
long variable_offset(const struct btf *btf, const char *section, const char *name);

#endif /* ESTAT_PMDA_SCHEMA_RODATA_H */
