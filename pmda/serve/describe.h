/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Help texts and labels of metrics, domains and instances. All functions return PCP's status. */
#ifndef ESTAT_PMDA_SERVE_DESCRIBE_H
#define ESTAT_PMDA_SERVE_DESCRIBE_H

#include "agent.h"

/* *buffer: a help text, which stays the agent's; libpcp_pmda copies it. */
int describe_metric(const struct agent *a, pmID pmid, int type, char **buffer);
int describe_indom(const struct agent *a, pmInDom indom, char **buffer);

/* Add an instance's labels: the key's axes, and the upper bound of a bucket. */
int describe_instance(const struct agent *a, pmInDom indom, unsigned int inst, pmLabelSet **set);

#endif /* ESTAT_PMDA_SERVE_DESCRIBE_H */
