/* SPDX-License-Identifier: GPL-2.0-or-later */
/* estat heat: a heat map of latencies over time. */
#ifndef ESTAT_CLIENT_HEAT_HEAT_H
#define ESTAT_CLIENT_HEAT_HEAT_H

#include "source/modules.h"

/* Run `estat heat` to its end. Returns the exit status. */
int run_heat(struct options *o, struct source *s, const struct module *m);

#endif /* ESTAT_CLIENT_HEAT_HEAT_H */
