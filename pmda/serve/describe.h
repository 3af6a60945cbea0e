/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is said of metrics, instance domains and instances: texts and labels. All return
 * PCP's status.
 */
#ifndef ESTAT_PMDA_SERVE_DESCRIBE_H
#define ESTAT_PMDA_SERVE_DESCRIBE_H

#include "agent.h"

/* A help text, of which libpcp_pmda makes a copy. */
int describe_metric(const struct agent *a, pmID pmid, int type, char **buffer);
int describe_indom(const struct agent *a, pmInDom indom, char **buffer);

/* An instance's labels: its axes, and a bucket's upper bound. */
int describe_instance(const struct agent *a, pmInDom indom, unsigned int inst, pmLabelSet **set);

#endif /* ESTAT_PMDA_SERVE_DESCRIBE_H */
