/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel modules that modules probe: whether each is loaded, and in use, and
 * what tells how its structs are laid out.
 */
#ifndef ESTAT_PMDA_LOAD_KMOD_H
#define ESTAT_PMDA_LOAD_KMOD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/param.h>

#include "abi.h"

struct kmod {
	struct estat_needs needs;
	uint64_t loaded;      /* another number each time it is loaded; 0: it is not */
	bool in_use;          /* it has work to do */
	char *used;           /* the file that showed it, looked for first; or NULL */
	bool ready;           /* it is loaded, and its types are known */
	char btf[MAXPATHLEN]; /* the file that has them, if the kernel does not; else "" */
};

/* The one that a module needs, looked at; one for all that need the same. */
const struct kmod *kmod_find(const struct estat_needs *needs);

/* Look at all of them again. */
void kmods_look(void);

/* Why one is not ready. */
void kmod_explain(const struct kmod *k, char *text, size_t size);

void kmods_free(void);

#endif /* ESTAT_PMDA_LOAD_KMOD_H */
