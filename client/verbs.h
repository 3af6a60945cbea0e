/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands without a folder of their own. Each returns the exit status. */
#ifndef ESTAT_CLIENT_VERBS_H
#define ESTAT_CLIENT_VERBS_H

#include "source/modules.h"

int run_table(struct options *o, struct source *s, const struct module *m);
int run_events(struct options *o, struct source *s, const struct module *m);
int run_help(struct options *o, struct source *s, const struct module *m);
int run_stuck(struct options *o, struct source *s);
int run_slow(struct options *o, struct source *s);
int run_list(struct options *o, struct source *s);

#endif /* ESTAT_CLIENT_VERBS_H */
