/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Breakdowns: the rows below a layer, one for each value on an axis of --by or of a filter. The
 * rows are of the layer's own series, of a variant or, if these lack the axis, of another series of
 * the same part of the kernel, which counts other operations.
 */
#ifndef ESTAT_CLIENT_LAYERS_BREAKDOWN_H
#define ESTAT_CLIENT_LAYERS_BREAKDOWN_H

#include "by.h"
#include "who.h"

struct breakdown {
	unsigned int layer;  /* index of the layer below which the rows are shown */
	struct layer series; /* the series with the rows, as a layer */
	const char *axis;
	bool own;  /* the series is that of the layer's own row */
	bool same; /* the series has the same operations as the layer */
	/* the level of `series` in the interval, see breakdowns_read() */
	struct level level;
	unsigned int nrows;
	struct by_row *rows;
};

struct breakdowns {
	const struct layers *layers;
	const struct options *o; /* the command line's, without filters that select the target */
	bool archive;
	unsigned int nstatuses, nerrors;
	struct text *statuses, *errors; /* of the modules: estat.module.status and .error */
	unsigned int n;
	struct breakdown *breakdowns; /* in the order of the axes, then of the layers */
	unsigned int naxes;
	const char *axes[1 + MAX_FILTERS]; /* the axis of --by and those of the filters */
	/*
	 * of each axis without a breakdown: a sentence that says which modules have the axis; else
	 * NULL
	 */
	char *lines[1 + MAX_FILTERS];
};

/*
 * Find the breakdowns for the axes of --by and of filters, and read their series from now on. Exits
 * if no series of the source has the axis.
 */
void breakdowns_find(struct breakdowns *b, const struct layers *layers, const struct options *o,
		     struct source *s);

/* Exit if layers and breakdowns have values on the axis of a filter, and the filter matches none.
 */
void breakdowns_check(const struct breakdowns *b, struct source *s);

/* Set level and rows of each breakdown for an interval of `seconds`. */
void breakdowns_read(struct breakdowns *b, const struct stack *stack, double seconds);

/*
 * Do the rows need a heading? They do if their series is not the layer's own, and either counts
 * other operations or has keys that the filters cannot select.
 */
bool breakdown_is_apart(const struct breakdown *breakdown);

/* Does the module of the series run? If the source does not tell, the module counts as running. */
bool breakdowns_run(const struct breakdowns *b, const char *name);

/*
 * Does the source have the operations of the series `name`, such as journal.commit? A host has them
 * only of a module that runs, unless the module's estat.module.error says that they are not
 * counted.
 */
bool breakdowns_count(const struct breakdowns *b, const char *name);

/*
 * The index of the layer to which the series `name` belongs, which is no layer itself: fact_layer()
 * or else the layer whose name has the most leading words in common with `name`. Of several such
 * layers it is the layer with the fewest words. -1: the series belongs to no layer.
 */
int breakdowns_layer(const struct layers *layers, const char *name);

/* The functions below are in said.c. */

/* The sentence for axes[a] if there is no breakdown by that axis. The caller frees the text. */
char *breakdowns_line(const struct breakdowns *b, unsigned int a, struct source *s);

/*
 * What the rows by axes[a] are of, or which modules have the axis, as a sentence; NULL: the rows
 * need no sentence. The caller frees the text.
 */
char *breakdowns_said(const struct breakdowns *b, unsigned int a);

/*
 * If there are filters, and the verdict has no step: a sentence that says that no operation passes
 * the filters, or that no layer has their axes; else NULL. The caller frees the text.
 */
char *breakdowns_untold(const struct breakdowns *b, const struct stack *stack,
			const struct verdict *v);

/*
 * next_commands() or, if that finds none, command lines that show the series of rows that are
 * apart. The caller frees the texts.
 */
unsigned int breakdowns_or_next(const struct breakdowns *b, const struct who *who,
				const struct verdict *v, const struct stack *stack,
				char *commands[MAX_NEXT]);

#endif /* ESTAT_CLIENT_LAYERS_BREAKDOWN_H */
