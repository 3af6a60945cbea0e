/* SPDX-License-Identifier: GPL-2.0-or-later */
/* estat layers: the layers that an I/O passes. */
#ifndef ESTAT_CLIENT_LAYERS_LAYERS_H
#define ESTAT_CLIENT_LAYERS_LAYERS_H

#include "source/source.h"
#include "base/options.h"

/* Run `estat layers`, or `estat help layers`, to the end. Returns the exit status. */
int run_layers(struct options *o, struct source *s);
int help_layers(struct options *o, struct source *s);

#endif /* ESTAT_CLIENT_LAYERS_LAYERS_H */
