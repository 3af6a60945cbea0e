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
		/* never changes, unlike the position in `insts`; indexes are 0 to n - 1 */
		unsigned int index;
		char *name;
	} * insts;          /* sorted by `number` */
	unsigned int next;  /* position in `insts` of the instance that domain_inst() tries first */
	pmLabelSet *labels; /* labels of all instances */
	int nlabels;
	unsigned int nlabelled; /* the number of instances when `labels` was read */
};

/* What the source knows of an instance domain. The first call for a domain reads its instances. */
struct domain *domain_of(struct source *s, pmInDom indom);

/*
 * Returns instance `number`, or NULL. The pointer is valid until the next call of domain_inst(),
 * which may read the domain's instances again.
 */
const struct inst *domain_inst(const struct source *s, struct domain *d, int number);

/* The labels of the instance with this number, or NULL. */
const pmLabelSet *domain_labels(struct domain *d, int number);

#endif /* ESTAT_CLIENT_SOURCE_DOMAINS_H */
