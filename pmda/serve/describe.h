/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Help texts of metrics and domains, and labels of instances. Each function returns a negative
 * PM_ERR_* after an error.
 */
#ifndef ESTAT_PMDA_SERVE_DESCRIBE_H
#define ESTAT_PMDA_SERVE_DESCRIBE_H

#include "agent.h"

/* Set *buffer to a help text. The agent owns the text; libpcp_pmda copies it. */
int describe_metric(const struct agent *a, pmID pmid, int type, char **buffer);
int describe_indom(const struct agent *a, pmInDom indom, char **buffer);

/*
 * Add an instance's labels to *set. An instance of a series has the labels of the key's row. A
 * bucket also has the labels `le` and, in a domain of latency by size, `size_le`: the bucket's
 * upper edges. `s` and `buckets` are what agent_series() has found for the domain.
 */
int describe_instance(const struct agent *a, struct series *s, const struct bucket_indom *buckets,
		      pmInDom indom, unsigned int inst, pmLabelSet **set);

#endif /* ESTAT_PMDA_SERVE_DESCRIBE_H */
