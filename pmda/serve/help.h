/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Help texts of metrics. The agent makes them when a client asks, because the texts of all metrics
 * would take a megabyte.
 */
#ifndef ESTAT_PMDA_SERVE_HELP_H
#define ESTAT_PMDA_SERVE_HELP_H

#include "metrics.h"

/*
 * help_oneline(): a metric's help text in one line. help_text(): the long help text. The caller
 * frees the text.
 */
char *help_oneline(const struct metric *m);
char *help_text(const struct metric *m);

#endif /* ESTAT_PMDA_SERVE_HELP_H */
