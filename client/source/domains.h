/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instance domains as the command has read them. */
#ifndef ESTAT_CLIENT_SOURCE_DOMAINS_H
#define ESTAT_CLIENT_SOURCE_DOMAINS_H

#include "source.h"

/* An instance domain. */
struct domain {
	pmInDom indom;
	unsigned int n;
	struct inst {
		int number;
		unsigned int index; /* never changes; instances have indexes 0 to n - 1 */
		char *name;
	} * insts;          /* sorted by `number` */
	unsigned int next;  /* position in `insts` after the last instance that was found */
	pmLabelSet *labels; /* labels of all instances */
	int nlabels;
	unsigned int nlabelled; /* the number of instances when `labels` was read */
};

/* The source's domain, whose instances are read at the first call. */
struct domain *domain_of(struct source *s, pmInDom indom);

/* An instance, whose domain is read again if it is new; NULL: none. Valid until the next call. */
const struct inst *domain_inst(const struct source *s, struct domain *d, int number);

/* The labels of an instance by its number, or NULL. */
const pmLabelSet *domain_labels(struct domain *d, int number);

#endif /* ESTAT_CLIENT_SOURCE_DOMAINS_H */
