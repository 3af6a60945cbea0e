/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `estat NAME` shows is called a module here: a module of the agent (bio), one of its series
 * (zpl.dataset), or one of its groups (backend_io.queue).
 */
#ifndef ESTAT_CLIENT_SOURCE_MODULES_H
#define ESTAT_CLIENT_SOURCE_MODULES_H

#include "base/options.h"
#include "texts.h"

/* The most series of operations, and the most series with other counters, in struct module. */
#define MAX_SERIES 8
#define MAX_COUNTS 8

struct module {
	unsigned int nseries;
	struct {
		char *prefix; /* beginning of the metrics' names: estat.zio */
		/*
		 * not NULL: one row with this title, or with --by several rows with this title;
		 * NULL: the layout gives the rows their titles
		 */
		char *title;
	} series[MAX_SERIES];
	unsigned int ncounts; /* number of series with counters of other things than operations */
	struct {
		char *prefix;
		const char *names[MAX_COUNTERS + 1]; /* ends with NULL */
		char *titles[MAX_COUNTERS];
	} counts[MAX_COUNTS];
	/* the layout of event records; NULL: the module has none, or their layout is not known */
	const char *events;
};

/*
 * Find the series of module o->module. Exits if the module has neither series of operations nor
 * event records, if estat.module.error of a pmcd has "no estat.NAME: ..." for this NAME, or if
 * check_module() exits.
 */
struct module find_module(const struct options *o, struct source *s);

/*
 * Exit with the reason if the source has no module o->module, or if the source is a pmcd and the
 * module's estat.module.status is neither "running" nor "blind"; warn if that status is "blind".
 * Returns the module's estat.module.error, which can be ""; NULL: the source has no status of the
 * module.
 */
const char *check_module(const struct options *o, struct source *s);

/*
 * Set *found to a sorted list of the names of all modules of the source, and of all series and
 * groups with operations or event records. `modules` are n texts whose instances are the names of
 * the modules. Returns the number of names in the list. The caller must not free *found.
 */
unsigned int list_modules(const struct text *modules, unsigned int n, char ***found);

/* The module that owns the series `name`; `name` if the source does not tell. */
const char *owner_of(struct source *s, const char *name);

/* Exit with the reason if the source has no metrics of estat, or the agent is just starting. */
void check_agent(struct source *s);

/* Warn of modules whose estat.module.status is "failed" or "blind". */
void note_broken(struct source *s);

#endif /* ESTAT_CLIENT_SOURCE_MODULES_H */
