// SPDX-License-Identifier: GPL-2.0-or-later
#include "programs.h"
int run_heat(struct options *o, struct source *s)
{
	return run_table(o, s);
}
