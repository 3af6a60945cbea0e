/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Breakdowns: the rows below a layer, one for each value on the axis of --by, or on the axis of a
 * filter if the layer lacks that axis. The rows are of the layer's own series, of a variant (a
 * series with the same operations by other axes) or, if these lack the axis or the variant's module
 * does not run, of other series of the same part of the kernel, which count other operations.
 */
#ifndef ESTAT_CLIENT_LAYERS_BREAKDOWN_H
#define ESTAT_CLIENT_LAYERS_BREAKDOWN_H

#include "by.h"
#include "who.h"

struct breakdown {
	unsigned int layer;  /* index of the layer below which the rows are shown */
	struct layer series; /* the series that has the rows, in the form of a layer */
	const char *axis;
	bool own;  /* the series is that of the layer's own row */
	bool same; /* the series has the same operations as the layer */
	/* the figures of `series` in the interval, which breakdowns_read() sets */
	struct level level;
	unsigned int nrows;
	struct by_row *rows;
};

struct breakdowns {
	const struct layers *layers;
	/* the command line's options, without the filters that select the target */
	const struct options *o;
	bool archive;
	unsigned int nstatuses, nerrors, nprobes;
	/* of the modules: estat.module.status, .error and .probes */
	struct text *statuses, *errors, *probes;
	unsigned int n;
	struct breakdown *breakdowns; /* in the order of axes[], then of layers->layers[] */
	unsigned int naxes;
	const char *axes[1 + MAX_FILTERS]; /* the axis of --by and those of the filters */
	/* [a]: what breakdowns_explain() says of axes[a]; NULL: a layer or breakdown has axes[a] */
	char *lines[1 + MAX_FILTERS];
};

/*
 * Find the breakdowns for the axes of --by and of filters, and read their series from now on. Exits
 * if one of these axes is in no series of the source.
 */
void breakdowns_find(struct breakdowns *b, const struct layers *layers, const struct options *o,
		     struct source *s);

/*
 * Exit if layers and breakdowns have values on the axis of a filter, and the filter matches none.
 * Do not exit if a series with the axis has no keys because the series' module is not attached: a
 * value that matches may come.
 */
void breakdowns_check(const struct breakdowns *b, struct source *s);

/* Set level and rows of each breakdown for an interval of `seconds`. */
void breakdowns_read(struct breakdowns *b, const struct stack *stack, double seconds);

/*
 * Do the rows need a heading? They do if their series is not the layer's own, and either counts
 * other operations or cannot tell the operations of the target and the filters from others
 * (level.all).
 */
bool breakdown_is_apart(const struct breakdown *breakdown);

/* Does the module of the series run? If the source does not tell, the module counts as running. */
bool breakdowns_run(const struct breakdowns *b, const char *name);

/*
 * Does the source have the operations of the series `name`, such as journal.commit? The answer is
 * yes if three conditions hold: the source has the metric estat.NAME.ops; the source is an archive,
 * or the module of the series runs; the module's estat.module.error does not name the series as
 * missing.
 */
bool breakdowns_count(const struct breakdowns *b, const char *name);

/*
 * The index of the layer to which the series `name` belongs; -1: none. If fact_layer() names a
 * layer, only that layer counts. Else the result is the layer whose name has the most leading words
 * in common with `name`; of several such layers, the one whose name has the fewest words.
 */
int breakdowns_layer(const struct layers *layers, const char *name);

#endif /* ESTAT_CLIENT_LAYERS_BREAKDOWN_H */
