/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the agent keeps of an object's maps, for the object that takes its place. */
#ifndef ESTAT_PMDA_LOAD_KEPT_H
#define ESTAT_PMDA_LOAD_KEPT_H

#include "abi.h"
#include "module.h"

struct kept {
	char *names; /* a copy of estat_names: `nnames` ids, each followed by its value; owned */
	uint32_t nnames;
	uint32_t name_size; /* the size of an id with its value, bytes */
	struct kept_ring {
		char *records; /* a copy of the records of a module's ring; owned; NULL: not kept */
		size_t size;
		uint64_t begun; /* copy of *ring.begun, the number of records begun */
	} rings[RINGS];
	struct kept_keys {
		uint32_t n;
		char *keys; /* the `n` keys that had slots; owned */
	} tables[];         /* one element for each table of the schema */
};

/*
 * Copy an object's keys and names, how many records each of its rings has had so far and, if
 * `records`, the records in the rings. The result is empty if the object is not in the kernel. Free
 * the result with kept_free().
 */
struct kept *kept_take(const struct loaded *l, bool records);
void kept_free(struct kept *kept, const struct schema *schema);

#endif /* ESTAT_PMDA_LOAD_KEPT_H */
