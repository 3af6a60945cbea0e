/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The verdict of `estat layers`: which kind of operation has the worst waits, and which layer and
 * device takes most of the time of these waits.
 */
#ifndef ESTAT_CLIENT_LAYERS_JUDGE_H
#define ESTAT_CLIENT_LAYERS_JUDGE_H

#include "verdict.h"

/*
 * If waits are below one of these floors, the sentence still names them, but no layer is marked
 * with ">".
 */
#define FLOOR_WAITING 0.01 /* least waiting time of the first step, s a second */
/*
 * replaces FLOOR_WAITING if calls of processes are measured, and no call waits for the operations
 */
#define FLOOR_UNWAITED 0.5
#define FLOOR_TYPICAL  2000.0 /* least step.typical, a mean that weights a latency by itself, us */
/*
 * us, least mean latency of the first step, if the last step is above pools and disks, and the end
 * of the verdict is END_OWN
 */
#define FLOOR_MEAN 200.0

/*
 * Judge an interval. find_first() chooses steps[0] by the sum of squared latencies of each kind and
 * place, so that a rare long wait can count more than many short ones. descend() finds the next
 * steps. verdict->nsteps is 0 if no operation that the target and the filters select is known to
 * have ended.
 */
void judge(struct verdict *verdict, const struct stack *stack, const struct layers *layers,
	   const struct graph *graph);

#endif /* ESTAT_CLIENT_LAYERS_JUDGE_H */
