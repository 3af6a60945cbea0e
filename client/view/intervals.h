/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loop over the intervals that the command line asks for. */
#ifndef ESTAT_CLIENT_VIEW_INTERVALS_H
#define ESTAT_CLIENT_VIEW_INTERVALS_H

#include "base/options.h"
#include "source/source.h"

/*
 * Read intervals from `s`: without -m one; with -m until the source ends, a signal stops the
 * command, the output cannot be written, or o->samples intervals are read (0: no limit). With
 * o->accumulate each interval begins where the first began. Call print() for each interval of which
 * some time was measured. Returns the number of print() calls.
 */
int print_intervals(const struct options *o, struct source *s,
		    void (*print)(void *context, const struct interval *interval), void *context);

#endif /* ESTAT_CLIENT_VIEW_INTERVALS_H */
