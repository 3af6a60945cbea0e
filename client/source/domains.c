// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "domains.h"

void *grow(void *array, unsigned int n, size_t size)
{
	return xalloc(realloc(array, (n + 1) * size));
}

static int compare_insts(const void *a, const void *b, void *arg)
{
	const struct inst *insts = arg;
	int x = insts[*(const unsigned int *)a].number, y = insts[*(const unsigned int *)b].number;

	return x < y ? -1 : x > y;
}

/* The position of an instance's number among the first n of d->order, or -1. */
static int domain_find(const struct domain *d, unsigned int n, int number)
{
	unsigned int low = 0, high = n;

	while (low < high) {
		unsigned int middle = (low + high) / 2;
		const struct inst *inst = &d->insts[d->order[middle]];

		if (inst->number == number)
			return middle;
		if (inst->number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return -1;
}

static void domain_add(struct domain *d, int number, const char *name)
{
	d->insts = grow(d->insts, d->n, sizeof(*d->insts));
	d->order = grow(d->order, d->n, sizeof(*d->order));
	d->insts[d->n] = (struct inst){ number, xalloc(strdup(name)) };
	d->order[d->n] = d->n;
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
		if (domain_find(d, known, numbers[i]) < 0)
			domain_add(d, numbers[i], names[i]);
	qsort_r(d->order, d->n, sizeof(*d->order), compare_insts, d->insts);
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
		domain_add(d, PM_IN_NULL, "");
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

int domain_entry(const struct source *s, struct domain *d, int number)
{
	int at = d->next;

	/* a fetch has instances mostly in order */
	if (d->next >= d->n || d->insts[d->order[d->next]].number != number)
		at = domain_find(d, d->n, number);
	if (at < 0) {
		domain_refresh(s, d);
		at = domain_find(d, d->n, number);
	}
	if (at < 0)
		return -1;
	d->next = at + 1;
	return d->order[at];
}
