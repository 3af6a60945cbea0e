/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of a series: its axes, and how its rows are named. ESTAT_LAYOUT in bpf/ declares a
 * layout and describes its syntax. A layout is in the labels of the instances of estat.module.axes.
 * For archives without that metric, the help text of an instance domain has the axes or, of older
 * agents, the whole layout: "Keys of estat.zio: pool::op::priority; rows {op}, {priority}" is the
 * text of the domain of estat.zio.ops.
 */
#ifndef ESTAT_CLIENT_SOURCE_LAYOUT_H
#define ESTAT_CLIENT_SOURCE_LAYOUT_H

#include <stdbool.h>
#include <pcp/pmapi.h>

#define MAX_AXES 8

struct layout {
	unsigned int naxes;
	char *axes[MAX_AXES];
	/* templates of a row's name and axis; both NULL: title() makes both of the key's values */
	char *name, *axis;
	bool nested;  /* a row can include another row, so there is no total */
	double every; /* default length of an interval in seconds; 0: none */
};

/* The layout of the metrics estat.NAME.*; `indom`: the instance domain of one of the metrics. */
struct layout layout_read(const char *name, pmInDom indom);

/* Add axes from a text such as "pool::op::priority". */
void layout_axes(struct layout *layout, const char *axis);

/* The layout of lines for event records of estat.NAME, where NAME is MODULE.events; or NULL. */
char *layout_events(const char *name, pmID events);

/*
 * A label of the instance `name` of estat.module.axes, or NULL. The metric has instances for
 * modules that do not run, too. The caller frees the text.
 */
char *layout_label(const char *name, const char *label);

#endif /* ESTAT_CLIENT_SOURCE_LAYOUT_H */
