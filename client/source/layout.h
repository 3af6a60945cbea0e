/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of a series: its axes, and how its rows are named. The help text of the instance
 * domain, which archives keep, has the layout: "Keys of estat.zio: pool::op::priority; rows {op},
 * {priority}". ESTAT_SHOWN in bpf/ declares a layout and describes its syntax.
 */
#ifndef ESTAT_CLIENT_SOURCE_LAYOUT_H
#define ESTAT_CLIENT_SOURCE_LAYOUT_H

#include <stdbool.h>
#include <pcp/pmapi.h>

#define MAX_AXES 8

struct layout {
	unsigned int naxes;
	char *axes[MAX_AXES];
	char *name, *axis; /* templates of a row's name and axis; NULL: the default */
	bool nested;       /* a row can include another row, so there is no total */
	double every;      /* default length of an interval in seconds; 0: none */
};

/*
 * Read the layout of the metrics `prefix.*` from the help text of this instance domain, or else
 * take the layout that the module had when this command was built.
 */
struct layout layout_read(const char *prefix, pmInDom indom);

/* The layout of lines for event records of the metric `name`, estat.MODULE.events; or NULL. */
const char *layout_events(const char *name, pmID events);

#endif /* ESTAT_CLIENT_SOURCE_LAYOUT_H */
