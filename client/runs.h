/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kinds of programs. Each is run to its end, and returns the exit status.
 */
#ifndef ESTAT_RUNS_H
#define ESTAT_RUNS_H

#include "programs.h"
#include "source.h"

int run_table(struct options *o, struct source *s, const struct program *p);
int run_events(struct options *o, struct source *s, const struct program *p);
int run_heat(struct options *o, struct source *s, const struct program *p);
int run_top(struct options *o, struct source *s, const struct program *p);
int run_help(struct options *o, struct source *s, const struct program *p);
int run_list(struct options *o, struct source *s);

#endif /* ESTAT_RUNS_H */
