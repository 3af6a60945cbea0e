/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The verdict of `estat layers`: for which kind of operation processes wait longest, and which
 * layer and device takes most of that time.
 */
#ifndef ESTAT_CLIENT_LAYERS_JUDGE_H
#define ESTAT_CLIENT_LAYERS_JUDGE_H

#include "selection.h"

#define MAX_STEPS 16

/* Why the last step of a verdict has no step below. */
enum end {
	END_LOWEST, /* there is no layer below */
	END_OWN,    /* the layers below take less than half of the time */
	END_HIDDEN, /* a layer below is not measured */
	END_PARTLY, /* operations below are longer and fewer: how many wait for them is not known */
};

struct verdict {
	enum kind kind;
	bool slow;   /* above the floors: FLOOR_WAITING, FLOOR_TYPICAL, FLOOR_MEAN */
	bool waited; /* a process or client waits for the operations of steps[0] */
	enum end end;
	bool heard; /* a layer that processes call is measured, with the axes of the filters */
	const char *role,
		*role_of; /* the last step's place is the log, member, ... of this; or NULL */
	double below;     /* the part of the last step's time that layers below can have: 0 to 1 */
	const char *lacking; /* an axis of a filter that layers below do not have; NULL: none */
	bool unplaced;       /* on which devices the first step's place stands is not known */
	bool swap;           /* the first step's place has swap */
	bool requests;       /* layers below count operations of the last step's disk */
	bool stacked;        /* the last step's place stands on other disks */
	const char *hidden;  /* END_HIDDEN: the name of the layer */
	const char *beside;  /* what a pool does more of than of the steps, as scrub; or NULL */
	double share;        /* the part of the time of steps[0] that is of the last step: 0 to 1 */
	unsigned int nsteps;
	struct step steps[MAX_STEPS]; /* [0]: operations that wait; each next step is below */
};

/* Waits below these are said, and not marked: s a second, and us of step.typical. */
#define FLOOR_WAITING 0.01
#define FLOOR_TYPICAL 2000.0
/* So are operations that wait for nothing below files, if their mean is below this: us. */
#define FLOOR_MEAN 200.0

/*
 * Judge an interval. The kind and place with the largest sum of squared latencies is steps[0]: a
 * rare long wait counts more than many short ones. A step goes to the layer or device below that
 * has at least half of the time. verdict->nsteps is 0 if no operation ended.
 */
void judge(struct verdict *verdict, const struct stack *stack, const struct layers *layers,
	   const struct graph *graph);

#endif /* ESTAT_CLIENT_LAYERS_JUDGE_H */
