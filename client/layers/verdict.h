/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What judge() finds out. */
#ifndef ESTAT_CLIENT_LAYERS_VERDICT_H
#define ESTAT_CLIENT_LAYERS_VERDICT_H

#include "selection.h"

#define MAX_STEPS 16

/* Why no step follows the last step of a verdict. */
enum end {
	/*
	 * the last step's operations can wait for no measured layer below, or only for layers that
	 * lack an axis of the filters
	 */
	END_LOWEST,
	/* no single layer below, nor all disks below in sum, have half of the last step's time */
	END_OWN,
	END_HIDDEN, /* a layer below is not measured */
	/*
	 * the layer below has fewer, longer reads, as of read-ahead; how many reads of the last
	 * step wait for those is unknown
	 */
	END_PARTLY,
};

/* What part of a disk is swap. */
enum swap {
	SWAP_NONE,
	SWAP_PART, /* a partition, or a file in a file system */
	SWAP_ALL,
};

struct verdict {
	enum kind kind;
	bool slow;   /* the waits reach the floors of judge.h */
	bool waited; /* a process or client waits for the operations of steps[0]; false: unknown */
	enum end end;
	/* calls of processes, or requests of clients, are measured and judged: judging.heard */
	bool heard;
	/*
	 * the last step's place has the role `role`, such as log, for `role_of`, such as tank, md0
	 * or ext4; NULL: the place has no role to tell
	 */
	const char *role, *role_of;
	/*
	 * graph_mount() of the first step's place: a mount's directory, if the place is a number
	 * such as 0:37; or NULL
	 */
	const char *mount;
	/*
	 * the share (0 to 1) of the last step's time for which operations of that step can have
	 * waited for one layer below, or for the disks below; see part()
	 */
	double below;
	const char *lacking; /* a filter's axis that a layer below lacks; NULL: none */
	/*
	 * a layer of waits before requests begin (fact.before_requests). The waits may hold up the
	 * first step's operations, but the filters cannot select the layer's keys. NULL: none
	 */
	const struct layer *unfiltered;
	/*
	 * the last step is above pools and disks, and it is unknown on which devices the first
	 * step's place stands
	 */
	bool unplaced;
	enum swap swap; /* how much of the first step's place is swap, if the place is a disk */
	/*
	 * layers below count operations of the last step's disk or, if that step has no place,
	 * operations at any place
	 */
	bool requests;
	bool stacked; /* disks or exports below the last step's disk have operations */
	/*
	 * the direct operations of steps[0] wait before their requests exist; verdict_unknown()
	 * then returns the text fact.unsubmitted of the layer of steps[0]. False, too, if that
	 * layer has no such text, or if the verdict is not slow
	 */
	bool unsubmitted;
	const char *hidden; /* with END_HIDDEN: the layer below that is not measured; else NULL */
	/*
	 * other work, such as scrub, that a step's pool does beside the step. A key of that work
	 * has about as much waiting time as the step's `key`, or more. If several steps have such
	 * work, that of the last of these steps. NULL: none was found
	 */
	const char *beside;
	double share; /* the share of the time of steps[0] that the last step takes: 0 to 1 */
	unsigned int nsteps;
	/* [0]: the operations of the verdict; operations of [i] wait for those of [i + 1] */
	struct step steps[MAX_STEPS];
};

#endif /* ESTAT_CLIENT_LAYERS_VERDICT_H */
