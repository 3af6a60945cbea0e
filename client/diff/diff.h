/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * estat diff: two windows side by side.
 */
#ifndef ESTAT_CLIENT_DIFF_DIFF_H
#define ESTAT_CLIENT_DIFF_DIFF_H

#include "base/options.h"

/* Runs to its end; returns the exit status. */
int run_diff(struct options *o);

#endif /* ESTAT_CLIENT_DIFF_DIFF_H */
