/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What estat top shows, and how that is drawn.
 */
#ifndef ESTAT_CLIENT_TOP_TOP_H
#define ESTAT_CLIENT_TOP_TOP_H

#include "base/options.h"
#include "source/history.h"
#include "source/modules.h"
#include "source/rows.h"
#include "source/layout.h"

enum view {
	VIEW_TABLE,
	VIEW_HEAT,
	VIEW_HELP,
};

/* An axis of the module's keys. */
struct top_axis {
	char *name;
	bool by;   /* rows are told apart by it */
	bool must; /* and have to be, for they are parts of one another */
};

struct top {
	struct options *o; /* as they are now; by which axes rows are told apart, too */
	struct source *s;
	const struct module *p;
	struct history history;
	bool nested;
	unsigned int naxes;
	struct top_axis axes[MAX_AXES];

	enum view view;
	unsigned int at;   /* the interval that is in view */
	bool going;        /* on to the newest, or through an archive */
	double next;       /* when an archive's next interval comes into view, by clock_time() */
	char message[256]; /* what came of the last key */
	bool typing;       /* filters */
	char typed[512];
	char *filter_text; /* that filters are parts of; NULL: of the command line */

	struct rows rows;      /* of the interval in view */
	unsigned int selected; /* row */
	unsigned int first;    /* row that is drawn */
	struct row chosen;     /* what the selected one was: its name and axis; NULL: none */

	/* Rows have numbers, for their figures over time; they are given anew with each drawing. */
	unsigned int drawing, nnumbers;
	uint64_t *numbers; /* of each its hash */
};

/* Have the rows of the interval in view. */
void top_find_rows(struct top *t);

/* The number of a row, which may be new. */
unsigned int top_number(struct top *t, const struct row *row);

/* Its p99 in an interval; NAN if there is none, also if that is not in memory. */
double top_p99(struct top *t, unsigned int at, unsigned int number);

/* Is the key one of those of the row that was chosen? */
bool top_is_chosen(const struct top *t, unsigned int series, const struct key *key);

/* How many intervals are drawn beside one another, and how many rows below one another. */
unsigned int top_intervals(const struct top *t);
unsigned int top_lines(void);

/* What rows are sorted by beside what they are now, in the order of columns; by -1: to the left. */
const char *top_sort_beside(const struct top *t, int by);

/* Draw what is in view. */
void top_draw(struct top *t);
void top_draw_table(struct top *t);
void top_draw_heat(struct top *t);

/* Lines above and below the table or map, and what is left of a map's columns. */
#define TOP_ABOVE 3
#define TOP_BELOW 1
#define MAP_LABEL 9

/* Runs to its end; returns the exit status. */
int run_top(struct options *o, struct source *s, const struct module *p);

#endif /* ESTAT_CLIENT_TOP_TOP_H */
