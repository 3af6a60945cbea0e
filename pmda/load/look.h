/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looks at structures in the kernel's memory by a BPF program that the agent embeds and runs. A
 * look takes no lock of the kernel and waits for nothing.
 */
#ifndef ESTAT_PMDA_LOAD_LOOK_H
#define ESTAT_PMDA_LOAD_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi.h"

struct bpf_object;

/* A BPF program of type syscall, whose answer is in its map `answer`. */
struct look {
	const char *name;          /* the object's name, for libbpf and the log */
	const char *what;          /* for the log: what is not known if the load fails */
	struct estat_needs needs;  /* the kernel module that has the structures */
	const char *symbol;        /* the variable at which the structures begin */
	const char *begin, *end;   /* where the object lies in memory */
	struct bpf_object *object; /* NULL: not loaded */
	/* kmod->loaded at the last look_begin(); 0: the kernel module was not ready */
	uint64_t loaded;
	/*
	 * when to try again to load the object, CLOCK_MONOTONIC ns; 0: not before `loaded` changes
	 */
	uint64_t again;
	uint64_t address; /* the symbol's address */
	int program, answers;
};

/*
 * Load the BPF program if need be, and return the symbol's address. 0: the kernel module is not
 * loaded, its types or the address are not known, or the kernel refuses the BPF program. Must run
 * before look_ask().
 */
uint64_t look_begin(struct look *l);

/* Run the BPF program with `question` as context, and set *answer. False: there is no answer. */
bool look_ask(const struct look *l, const void *question, size_t size, void *answer);

/* Unload the BPF program. */
void look_end(struct look *l);

#endif /* ESTAT_PMDA_LOAD_LOOK_H */
