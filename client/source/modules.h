/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What estat runs is called a module here: a module of the agent, a series or a group.
 */
#ifndef ESTAT_CLIENT_SOURCE_MODULES_H
#define ESTAT_CLIENT_SOURCE_MODULES_H

#include "base/options.h"
#include "source.h"

/* Groups that make up a module, and series of further counters, at most. */
#define MAX_SERIES 8
#define MAX_COUNTS 8

struct module {
	unsigned int nseries;
	struct {
		char *prefix; /* of the metrics */
		char *title;  /* of its one row; NULL: rows are keys */
	} series[MAX_SERIES];

	/* further counters, which are no operations */
	unsigned int ncounts;
	struct {
		char *prefix;
		const char *names[MAX_COUNTERS + 1]; /* NULL ends them */
		char *titles[MAX_COUNTERS];
	} counts[MAX_COUNTS];

	const char *events; /* how event records are shown, if it is those that are */
};

/* What there is of the module that options name. Exits if there is nothing. */
struct module find_module(const struct options *o, struct source *s);

/* The names of all modules, sorted; `modules` has those that may have no metrics yet. */
unsigned int list_modules(const struct text *modules, unsigned int n, char ***found);

/* The name of the agent's module that owns `name`; `name` where the source does not tell. */
const char *owner_of(struct source *s, const char *name);

/* Exit if there is nothing of estat. */
void check_agent(struct source *s);

#endif /* ESTAT_CLIENT_SOURCE_MODULES_H */
