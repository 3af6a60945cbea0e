// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "domains.h"

static int compare_insts(const void *a, const void *b)
{
	int x = ((const struct inst *)a)->number, y = ((const struct inst *)b)->number;

	return x < y ? -1 : x > y;
}

/* Find instance `number` among the first n of d->insts. NULL: not found. */
static struct inst *find(const struct domain *d, unsigned int n, int number)
{
	return bsearch(&(struct inst){ .number = number }, d->insts, n, sizeof(*d->insts),
		       compare_insts);
}

static void add(struct domain *d, int number, const char *name)
{
	d->insts = grow(d->insts, d->n, sizeof(*d->insts));
	d->insts[d->n] = (struct inst){ number, d->n, xalloc(strdup(name)) };
	d->n++;
}

static void domain_refresh(const struct source *s, struct domain *d)
{
	int *numbers;
	char **names;
	int n = (s->archive ? pmGetInDomArchive : pmGetInDom)(d->indom, &numbers, &names);
	unsigned int known = d->n;

	if (n <= 0)
		return;
	for (int i = 0; i < n; i++)
		if (!find(d, known, numbers[i]))
			add(d, numbers[i], names[i]);
	qsort(d->insts, d->n, sizeof(*d->insts), compare_insts);
	free(numbers);
	free(names);
}

struct domain *domain_of(struct source *s, pmInDom indom)
{
	struct domain *d;

	for (unsigned int i = 0; i < s->ndomains; i++)
		if (s->domains[i]->indom == indom)
			return s->domains[i];
	d = xalloc(calloc(1, sizeof(*d)));
	d->indom = indom;
	s->domains = grow(s->domains, s->ndomains, sizeof(*s->domains));
	s->domains[s->ndomains++] = d;
	if (indom == PM_INDOM_NULL)
		add(d, PM_IN_NULL, "");
	else
		domain_refresh(s, d);
	return d;
}

const pmLabelSet *domain_labels(struct domain *d, int number)
{
	if (d->indom == PM_INDOM_NULL)
		return NULL;
	if (d->nlabelled != d->n) {
		if (d->nlabels > 0)
			pmFreeLabelSets(d->labels, d->nlabels);
		d->nlabels = pmGetInstancesLabels(d->indom, &d->labels);
		d->nlabelled = d->n;
	}
	for (int i = 0; i < d->nlabels; i++)
		if ((int)d->labels[i].inst == number)
			return &d->labels[i];
	return NULL;
}

const struct inst *domain_inst(const struct source *s, struct domain *d, int number)
{
	struct inst *inst = d->insts + d->next;

	/* most values of a fetch are in the order of the domain, so first try the next instance */
	if (d->next >= d->n || inst->number != number)
		inst = find(d, d->n, number);
	if (!inst) {
		domain_refresh(s, d);
		inst = find(d, d->n, number);
	}
	if (inst)
		d->next = inst + 1 - d->insts;
	return inst;
}
