/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What estat runs: the programs.
 */
#ifndef ESTAT_PROGRAMS_H
#define ESTAT_PROGRAMS_H

#include "options.h"
#include "source.h"

/* Must a live run of it be given a DURATION? */
bool program_needs_duration(const struct options *o);

/* Run it, return the exit status. */
int program_run(struct options *o, struct source *s);

/* Exit with the reason if the module of the program does not run there. */
void check_module(const struct options *o, struct source *s);

/* The pool that -a or -p names becomes a filter. */
void select_pool(struct options *o);

/* Every module and what it does. */
int run_list(struct options *o, struct source *s);

/* Exit if there is nothing of estat. */
void check_agent(const struct source *s);

#endif /* ESTAT_PROGRAMS_H */
