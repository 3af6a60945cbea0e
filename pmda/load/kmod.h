/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel modules that modules probe: whether each is loaded and in use, and has known types. */
#ifndef ESTAT_PMDA_LOAD_KMOD_H
#define ESTAT_PMDA_LOAD_KMOD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/param.h>

#include "abi.h"

struct kmod {
	struct estat_needs needs;
	uint64_t loaded; /* a number that changes with each load; 0: not loaded, or still loading */
	bool built_in;   /* a file system that is compiled into the kernel */
	/* a file system that is compiled in; or loaded, and a file matches needs.in_use */
	bool in_use;
	/*
	 * if not `built_in`: until when kmods_look() can leave this kernel module out,
	 * CLOCK_MONOTONIC ns; 0: kmods_look() never leaves it out
	 */
	uint64_t search;
	char *used; /* the file that matched needs.in_use last; owned, or NULL */
	bool ready; /* loaded, with known types */
	/*
	 * while loaded: the path of a file of the kernel module's types, which exists if `ready`;
	 * "": sysfs has the types
	 */
	char btf[MAXPATHLEN];
};

/* The kernel module named in `needs`. kmod.c owns it; modules with the same `needs` share it. */
const struct kmod *kmod_find(const struct estat_needs *needs);

/*
 * Update the states of the kernel modules that modules probe; kmod.c says which of them a call
 * leaves out. Returns whether any state has changed.
 */
bool kmods_look(void);

/*
 * Note that a kernel module was loaded or unloaded: the next kmods_look() leaves out no kernel
 * module whose state can change.
 */
void kmods_changed(void);

/*
 * Can the kernel module's state change without an event of kmod_events.h? A kernel module that is
 * being loaded can become ready; a loaded kernel module can come into use.
 */
bool kmod_changes_alone(const struct kmod *k);

/* Write to `text` why a kernel module is not ready. */
void kmod_explain(const struct kmod *k, char *text, size_t size);

void kmods_free(void);

#endif /* ESTAT_PMDA_LOAD_KMOD_H */
