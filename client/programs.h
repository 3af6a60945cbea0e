/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What estat runs: the programs.
 */
#ifndef ESTAT_PROGRAMS_H
#define ESTAT_PROGRAMS_H

#include "options.h"
#include "source.h"

/* A program with a table has up to so many parts, each of a series of metrics. */
#define MAX_PARTS 3

/*
 * What is special about a program. One that is not in the list is a module's, or a
 * series': a table of its keys.
 */
struct program {
	const char *name;
	double period; /* without a DURATION: print so often, seconds; 0: it needs one */
	struct {
		const char *prefix; /* of the metrics */
		const char *title;  /* of its one row; NULL: rows are keys */
	} parts[MAX_PARTS];
	const char *counts; /* prefix of further counters; NULL: none */
	const char *const *counters;
	const char *const *counter_titles;
};

/* The program that options name; one that only names the module if it is not special. */
const struct program *find_program(const struct options *o);

/* Must a live run of it be given a DURATION? */
bool program_needs_duration(const struct options *o);

/* Exit if there is nothing of estat, or with the reason why the module does not run there. */
void check_agent(struct source *s);
void check_module(const struct options *o, struct source *s);

#endif /* ESTAT_PROGRAMS_H */
