/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ESTAT_CLIENT_COMPAT_H
#define ESTAT_CLIENT_COMPAT_H

#include "view/output.h"

/* Print an interval as `estat -j`: a JSON object a row. */
void print_lines(const struct options *o, const struct rows *rows, const struct counts *counts,
		 const struct interval *interval);

#endif /* ESTAT_CLIENT_COMPAT_H */
