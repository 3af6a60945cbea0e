/* SPDX-License-Identifier: GPL-2.0-or-later */
/* estat flame MODULE: a flame graph of an interval, as folded lines or as a picture. */
#ifndef ESTAT_CLIENT_FLAME_FLAME_H
#define ESTAT_CLIENT_FLAME_FLAME_H

#include "source/modules.h"

int run_flame(struct options *o, struct source *s, const struct module *m);

#endif /* ESTAT_CLIENT_FLAME_FLAME_H */
