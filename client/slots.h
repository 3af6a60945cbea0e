/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What source.c and slots.c share: metrics, and where their values go.
 */
#ifndef ESTAT_SLOTS_H
#define ESTAT_SLOTS_H

#include "source.h"

/* An instance domain. Instances keep their places in `insts`; `order` is by number. */
struct domain {
	pmInDom indom;
	unsigned int n;
	struct inst {
		int number;
		char *name;
	} * insts;
	unsigned int *order;
	unsigned int next;  /* in that order, after the one that was looked for last */
	pmLabelSet *labels; /* of instances */
	int nlabels;
	unsigned int nlabelled; /* how many instances there were then */
};

struct metric {
	pmDesc desc;
	enum field field;
	struct series *series;
	struct domain *domain;
	unsigned int nslots;
	int *slots;                  /* by the place of an instance; -1: none yet, -2: none ever */
	bool seen;                   /* in this moment */
	bool ahead;                  /* in a record that may be of this moment */
	double time;                 /* of the last record that had it */
	bool has_values, had_values; /* in this moment; in the one before that had the series */
};

/* Where a value goes. */
struct slot {
	enum field field;
	const struct series *series;
	struct key *key;
	unsigned int cell; /* a histogram's: its bucket, or size bucket x 65 + that of latency */
	uint64_t taken;    /* the number of the moment that had a value last */
};

/* The metric with this number, or NULL. */
struct metric *find_metric(const struct source *s, pmID pmid);

/* Where the value of an instance goes: a place in the source's slots, < 0: nowhere. */
int slot_of(struct source *s, struct metric *m, int number);

/* Of that instance of a metric of modules: where its start is kept; NULL if it is not read. */
uint64_t *module_start(struct source *s, struct metric *m, int number);

#endif /* ESTAT_SLOTS_H */
