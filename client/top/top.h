/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of estat top, and functions that draw the state. */
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
	bool by;   /* rows are told apart by this axis */
	bool must; /* `by` stays true: rows with different values here are parts of one another */
};

struct top {
	struct options *o; /* changed by keys: sort order, axes, filters */
	struct source *s;
	const struct module *module;
	struct history history;
	bool nested;
	unsigned int naxes;
	struct top_axis axes[MAX_AXES];

	enum view view;
	unsigned int at;   /* number of the interval in view */
	bool following;    /* follows the newest interval of a host, or plays an archive */
	double next;       /* when a played archive shows its next interval, by clock_time() */
	char message[256]; /* the answer to the last key, or "" */
	bool typing;       /* filters are being typed */
	char typed[512];
	char *filter_text; /* text that o->filters point into; NULL: the command line */

	struct rows rows;      /* of the interval in view */
	unsigned int selected; /* position of the selected row */
	unsigned int first;    /* position of the first row on the screen */
	struct row chosen;     /* copy of the selected row's name and axis; name NULL: no row */

	/*
	 * Numbers of rows: a frame has its figures by number. `drawing` changes when rows change;
	 * figures and numbers of an older drawing are invalid.
	 */
	unsigned int drawing, nnumbers;
	uint64_t *numbers; /* the hash of each row */
};

/* Set t->rows to the rows of the interval in view. */
void top_find_rows(struct top *t);

/* The number of a row; a new row gets the next number. */
unsigned int top_number(struct top *t, const struct row *row);

/* The p99 of a row in interval `at`, microseconds; NAN if unknown or not in memory. */
double top_p99(struct top *t, unsigned int at, unsigned int number);

/* Does a key of a series belong to the chosen row? */
bool top_is_chosen(const struct top *t, unsigned int series, const struct key *key);

/* The number of intervals in a line or map, and the number of rows that fit on the screen. */
unsigned int top_intervals(const struct top *t);
unsigned int top_lines(void);

/* The sort order of the column to the right (by 1) or left (by -1) of the current one. */
const char *top_sort_beside(const struct top *t, int by);

/* top_draw draws the whole screen. top_draw_table and top_draw_heat draw the middle of it. */
void top_draw(struct top *t);
void top_draw_table(struct top *t);
void top_draw_heat(struct top *t);

/* Lines above and below the table or map, and the width of a map's labels. */
#define TOP_ABOVE 3
#define TOP_BELOW 1
#define MAP_LABEL 9

/* Run `estat top` to its end. Returns the exit status. */
int run_top(struct options *o, struct source *s, const struct module *m);

#endif /* ESTAT_CLIENT_TOP_TOP_H */
