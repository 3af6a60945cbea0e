/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The intervals that are asked for, one after the other.
 */
#ifndef ESTAT_CLIENT_VIEW_INTERVALS_H
#define ESTAT_CLIENT_VIEW_INTERVALS_H

#include "base/options.h"
#include "source/source.h"

/*
 * Take intervals until they end, and print each in which something was measured, or all since
 * the begin, as the options have it. Returns how many were printed.
 */
int print_intervals(const struct options *o, struct source *s,
		    void (*print)(void *program, const struct interval *interval), void *program);

#endif /* ESTAT_CLIENT_VIEW_INTERVALS_H */
