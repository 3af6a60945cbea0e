/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the agent says of how a series is to be shown, in the help text of its domain, which
 * archives keep: "Keys of estat.zio: pool::op::priority; rows {op}, {priority}". bpf/declare.bpf.h,
 * ESTAT_SHOWN, has what there can be.
 */
#ifndef ESTAT_CLIENT_SOURCE_LAYOUT_H
#define ESTAT_CLIENT_SOURCE_LAYOUT_H

#include <stdbool.h>
#include <pcp/pmapi.h>

#define MAX_AXES 8

struct layout {
	unsigned int naxes;
	char *axes[MAX_AXES];
	char *name, *axis; /* of rows; NULL: by all axes */
	bool nested;       /* rows are parts of one another */
	double every;      /* seconds; 0: not said */
};

/* Read it for the metrics `prefix.*`, which have this domain. */
struct layout layout_read(const char *prefix, pmInDom indom);

/* The declaration of event records, estat.MODULE.events, or NULL. */
const char *layout_events(const char *name, pmID events);

#endif /* ESTAT_CLIENT_SOURCE_LAYOUT_H */
