/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of estat top, and functions that change or draw the state. */
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
	bool must; /* pressed keys cannot switch `by` off: rows would count operations twice */
};

struct top {
	struct options *o; /* the options; pressed keys change sort order, axes and filters */
	struct source *s;
	const struct module *module;
	struct history history;
	bool nested;
	unsigned int naxes;
	struct top_axis axes[MAX_AXES];

	enum view view;
	unsigned int at;   /* number of the interval in view */
	bool following;    /* the view moves on to a host's newest interval, or plays an archive */
	double next;       /* clock_time() at which a played archive shows its next interval */
	char message[256]; /* shown until the next pressed key; or "" */
	bool typing;       /* filters are being typed */
	char typed[512];
	/* the text that o->filters point into; NULL: they are still the filters of the start */
	char *filter_text;

	struct rows rows;      /* the rows of the interval in view */
	unsigned int selected; /* index in `rows` of the selected row */
	unsigned int first;    /* index in `rows` of the first row on the screen */
	struct row chosen;     /* copy of the row that the user selected last; name NULL: no row */

	/*
	 * Rows by hash: numbers[0 .. nnumbers - 1]. In a struct frame, which is an interval in
	 * memory, figures[i] is the p99 of the row with the hash numbers[i], if frame->drawing
	 * equals `drawing`. A change of axes or filters changes `drawing`.
	 */
	unsigned int drawing, nnumbers;
	uint64_t *numbers;
};

/* Set t->rows to the rows of the interval in view. */
void top_find_rows(struct top *t);

/* The index of a row in t->numbers. A new row is appended. */
unsigned int top_number(struct top *t, const struct row *row);

/*
 * The p99 (us) of a row, by its top_number(), in interval `at`. NAN: no operation has succeeded,
 * the p99 is unknown, or the interval is not in memory.
 */
double top_p99(struct top *t, unsigned int at, unsigned int number);

/* Does a key of t->module->series[series] belong to the row t->chosen? */
bool top_is_chosen(const struct top *t, unsigned int series, const struct key *key);

/*
 * top_intervals(): for how many intervals a row's line, or the heat map, has room. top_lines(): for
 * how many rows the table has room.
 */
unsigned int top_intervals(const struct top *t);
unsigned int top_lines(void);

/*
 * The name, for --sort, of the figure at the right (`by` 1) or at the left (`by` -1) of the sorting
 * column. "name" is at the left of the first figure.
 */
const char *top_sort_beside(const struct top *t, int by);

/* top_draw() draws the whole screen, top_draw_table() the table, top_draw_heat() the heat map. */
void top_draw(struct top *t);
void top_draw_table(struct top *t);
void top_draw_heat(struct top *t);

#define TOP_ABOVE 3 /* lines above the table or map */
#define TOP_BELOW 1 /* lines below the table or map */

/* Run `estat top` to its end. Returns the exit status. */
int run_top(struct options *o, struct source *s, const struct module *m);

#endif /* ESTAT_CLIENT_TOP_TOP_H */
