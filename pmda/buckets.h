/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instance domains whose instances are buckets: of each key the range of those
 * that were ever hit, or all if estat.conf says so.
 */
#ifndef ESTAT_BUCKETS_H
#define ESTAT_BUCKETS_H

#include "series.h"

/* Buckets of one key in an instance number: key number x this + bucket. */
#define BUCKETS_PER_KEY 128
/* The same for fine buckets of latency. */
#define FINE_PER_KEY 256
/* The same for latency by size: size bucket x BUCKETS_PER_KEY + latency bucket. */
#define CELLS_PER_KEY (32 * BUCKETS_PER_KEY)

struct bucket_indom {
	enum bucket_indom_kind {
		BUCKETS_LATENCY,
		BUCKETS_SIZE,
		BUCKETS_BY_SIZE,
		BUCKETS_FINE,
	} kind;
	unsigned int group_index; /* in the series */
	bool total;
	pmdaIndom indom;   /* its instances, in order */
	char *names;       /* theirs */
	uint64_t built;    /* of the series' changes */
	pmdaIndom *served; /* the copy that libpcp_pmda has of it */
};

/* Make the domains of a series. */
void buckets_begin(struct series *s);
void buckets_free(struct series *s);

/* The domain of a group's histogram, or NULL if there is none. */
struct bucket_indom *buckets_find(const struct series *s, unsigned int group, bool total,
				  enum bucket_indom_kind kind);

/* Bring a domain's instances up to date with the last fold, also where they are served. */
void buckets_refresh(const struct series *s, struct bucket_indom *b);

/* Between two requests: let go of the instances of domains that have to be built anew. */
void buckets_forget_stale(struct series *s);

/* How many instance numbers one key has in a domain. */
unsigned int buckets_per_key(const struct bucket_indom *b);

/* le="500", and size_le="4096" where there are two. Returns PCP's status. */
int buckets_labels(const struct bucket_indom *b, unsigned int number, pmLabelSet **set);

#endif /* ESTAT_BUCKETS_H */
