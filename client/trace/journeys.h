/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The journeys that `estat trace` has read, and how they are shown. */
#ifndef ESTAT_CLIENT_TRACE_JOURNEYS_H
#define ESTAT_CLIENT_TRACE_JOURNEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "source/records.h"

/* A stage: it begins `since` ns after the operation's begin, and lasts `time` ns. */
struct stage {
	double since, time;
	unsigned int span;
	bool whole;       /* the stage is all of the span, not a part of it */
	const char *host; /* the server's host, if the stage is from its archive; else NULL */
	bool unserved;    /* a read, write or commit RPC that the server's archive lacks */
	struct record record;
};

struct journey {
	/* no two journeys have both the same number and the same begin, even of two agents */
	uint64_t number, began;
	double elapsed; /* ns from the operation's begin to the latest end of a stage */
	struct stage *operation;
	unsigned int n;
	struct stage *stages;
};

struct journeys {
	struct records records;
	unsigned int n;
	struct journey *journeys;
};

/* Add the stage that a record describes to the stage's journey. Copies the record's texts. */
void journeys_add(struct journeys *all, const struct record *r);

/* Sort a journey's stages by their begin, and set `elapsed` and `operation`. */
void journey_order(struct journey *j);

/*
 * Call journey_order() for each journey. Then remove the journeys of which no record of the whole
 * operation was read, and those that the options `o` do not select. `o` NULL: all are selected.
 */
void journeys_select(struct journeys *all, const struct options *o);

/* Sort the journeys, the longest first. */
void journeys_sort(struct journeys *all);

/*
 * Read the journeys in an archive of the NFS server's host. If the operation of such a journey was
 * done for an RPC of a journey in `all`, put the server's journey below that RPC.
 */
void journeys_join(struct journeys *all, const char *archive);

/* The text of a parameter of the stage's record, or "". */
const char *stage_text(const struct journeys *all, const struct stage *s, const char *name);

/* Is the stage an operation that is an RPC of the NFS client, and not a call of a process? */
bool is_rpc_itself(const struct journeys *all, const struct stage *s);

/*
 * A text that says what a stage is. Of a part: the parameter `stage`; of a whole span: the
 * operation, the RPC, the device or the parameter `stage`; of some stages also the place in the
 * file or on the disk, the parameter `note`, and the cause. The caller frees the text.
 */
char *stage_name(const struct journeys *all, const struct stage *s);

/*
 * "13ms  write of FILE (inode 9 of sda) by fio (25) of CGROUP, TIME"; if the operation is an RPC,
 * "write RPC of FILE". TIME is when the operation ended. The caller frees the text.
 */
char *journey_title(const struct journeys *all, const struct journey *j);

/*
 * Call show() for the operation and for all stages below it, depth first: each span is followed by
 * its parts and the spans directly below it, in order of time. A span whose number is not higher
 * than that of the span above is left out. `depth`: how many spans are above the stage.
 */
void journey_walk(const struct journeys *all, const struct journey *j,
		  void (*show)(void *context, const struct stage *s, int depth), void *context);

/* Draw the first `n` journeys into a file, as SVG. Exits if the file cannot be written. */
void journeys_svg(const struct journeys *all, unsigned int n, const char *title, const char *file);

#endif /* ESTAT_CLIENT_TRACE_JOURNEYS_H */
