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
int run_diff(struct options *o);
int run_help(struct options *o, struct source *s, const struct program *p);
int run_layers(struct options *o, struct source *s);
int help_layers(struct options *o, struct source *s);
int run_list(struct options *o, struct source *s);

/*
 * Take intervals until they end, and print each in which something was measured, or all since
 * the begin, as the options have it. Returns how many were printed.
 */
int print_intervals(const struct options *o, struct source *s,
		    void (*print)(void *program, const struct interval *interval), void *program);

#endif /* ESTAT_RUNS_H */
