/* SPDX-License-Identifier: GPL-2.0-or-later */
/* estat trace: the journeys of a few operations, as text, JSON or a picture. */
#ifndef ESTAT_CLIENT_TRACE_TRACE_H
#define ESTAT_CLIENT_TRACE_TRACE_H

#include "base/options.h"
#include "source/source.h"

int run_trace(struct options *o, struct source *s);

#endif /* ESTAT_CLIENT_TRACE_TRACE_H */
