/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The metrics that the command reads, and the key and field that each value is added to. */
#ifndef ESTAT_CLIENT_SOURCE_METRICS_H
#define ESTAT_CLIENT_SOURCE_METRICS_H

#include "domains.h"

enum {
	NO_REF = -2,     /* values of this instance are not read */
	UNKNOWN_REF = -1 /* the instance has not been looked up yet */
};

struct metric {
	pmDesc desc;
	enum field field;
	struct series *series;
	struct domain *domain;
	unsigned int nrefs;
	int *refs;       /* by inst.index: an index in source.refs, or NO_REF or UNKNOWN_REF */
	bool seen;       /* the current moment of an archive has the metric; of a pmcd: unused */
	uint64_t taken;  /* number of the last moment that had the metric */
	bool ahead;      /* a record that may belong to the current moment has the metric */
	double time;     /* date of the last record that had the metric */
	bool has_values; /* the metric has values in the current moment */
	bool had_values; /* the metric had values in the previous moment that had the series */
};

/* A value reference: the key and the field that a value of a metric is added to. */
struct value_ref {
	enum field field;
	const struct series *series;
	struct key *key;
	uint64_t *counter; /* points into key->values; NULL for FIELD_SUMSQ, _MAX and _TOLD */
	uint64_t taken;    /* number of the last moment that had the value */
	bool returns;      /* the metric's record before the value's newest one lacked the value */
};

/* The metric with this PMID, or NULL. */
struct metric *find_metric(const struct source *s, pmID pmid);

/* The index in s->refs of the value reference of instance `number`; negative: not read. */
int ref_of(struct source *s, struct metric *m, int number);

/* The s->modules[].start of the module that is instance `number` of `m`; NULL: no such module. */
uint64_t *module_start(struct source *s, struct metric *m, int number);

#endif /* ESTAT_CLIENT_SOURCE_METRICS_H */
