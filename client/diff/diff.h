/* SPDX-License-Identifier: GPL-2.0-or-later */
/* estat diff: compare two windows. */
#ifndef ESTAT_CLIENT_DIFF_DIFF_H
#define ESTAT_CLIENT_DIFF_DIFF_H

#include "base/options.h"

/* Run `estat diff` to its end. Returns the exit status. */
int run_diff(struct options *o);

#endif /* ESTAT_CLIENT_DIFF_DIFF_H */
