/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What estat runs: a program is a module, a series or a group, whatever of them there is.
 */
#ifndef ESTAT_CLIENT_SOURCE_PROGRAMS_H
#define ESTAT_CLIENT_SOURCE_PROGRAMS_H

#include "base/options.h"
#include "source.h"

/* Groups that make up a program, and series of further counters, at most. */
#define MAX_PARTS  8
#define MAX_COUNTS 8

struct program {
	unsigned int nparts;
	struct {
		char *prefix; /* of the metrics */
		char *title;  /* of its one row; NULL: rows are keys */
	} parts[MAX_PARTS];

	/* further counters, which are no operations */
	unsigned int ncounts;
	struct {
		char *prefix;
		const char *names[MAX_COUNTERS + 1]; /* NULL ends them */
		char *titles[MAX_COUNTERS];
	} counts[MAX_COUNTS];

	const char *events; /* how event records are shown, if it is those that are */
};

/* What there is of the program that options name. Exits if there is nothing. */
struct program find_program(const struct options *o, struct source *s);

/* The names of all programs, sorted; `modules` has those that may have no metrics yet. */
unsigned int list_programs(const struct text *modules, unsigned int n, char ***found);

/* The name of that module; the program's own where the source says nothing of modules. */
const char *module_of(struct source *s, const char *program);

/* Exit if there is nothing of estat. */
void check_agent(struct source *s);

#endif /* ESTAT_CLIENT_SOURCE_PROGRAMS_H */
