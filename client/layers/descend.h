/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The way down of a verdict: from operations to those below for which they wait most. */
#ifndef ESTAT_CLIENT_LAYERS_DESCEND_H
#define ESTAT_CLIENT_LAYERS_DESCEND_H

#include "verdict.h"

/*
 * How bad the waits of a step are: the sum of the squared latencies of the operations that end in a
 * second, in seconds times microseconds.
 */
double pain(const struct step *step);

/*
 * Add the step below the verdict's last step. `place`: of the first step that has a place or, if
 * there is one, of the last step about files of a pool; NULL: no step has a place yet. Returns
 * false if no step is added; v->end then tells why.
 */
bool descend(const struct judging *j, struct verdict *v, const struct place *place);

#endif /* ESTAT_CLIENT_LAYERS_DESCEND_H */
