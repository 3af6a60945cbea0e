// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "bucket.h"
#include "series.h"
#include "lib/xalloc.h"

/*
 * Bytes for the text that follows the key in an instance name, such as "::4096-8192::400-500", with
 * the NUL.
 */
#define SUFFIX_LEN (2 * BUCKET_NAME_LEN + 4)

static void add_indom(struct series *s, enum bucket_indom_kind kind, unsigned int group, bool total)
{
	/*
	 * the serial has, from its highest bits to its lowest: the cluster; 6 bits for the group's
	 * number; 4 bits that are 0 in a domain of keys, else 1 + 2 * kind, plus 1 if the buckets
	 * are those of the total
	 */
	unsigned int serial = s->module->edition->schema->cluster << 10 |
			      schema_group_number(s->schema, group) << 4 | (1 + 2 * kind + total);
	struct bucket_indom *b;

	s->indoms = grow(s->indoms, s->nindoms, sizeof(*s->indoms));
	b = &s->indoms[s->nindoms++];
	*b = (struct bucket_indom){
		.kind = kind,
		.group_index = group,
		.total = total,
		.indom.it_indom = pmInDom_build(pmInDom_domain(s->keys), serial),
		.built = UINT64_MAX,
	};
}

void buckets_begin(struct series *s)
{
	for (unsigned int g = 0; g < s->schema->ngroups; g++) {
		const struct group *group = &s->schema->groups[g];

		for (int total = 0; total < 2; total++) {
			if (group->latency)
				add_indom(s, BUCKETS_LATENCY, g, total);
			if (group->size)
				add_indom(s, BUCKETS_SIZE, g, total);
			if (group->latency && group->size && g == 0 &&
			    s->module->edition->settings.latency_by_size)
				add_indom(s, BUCKETS_BY_SIZE, g, total);
			if (group->latency && s->module->edition->settings.latency_fine)
				add_indom(s, BUCKETS_FINE, g, total);
			if (group->latency && s->module->edition->settings.prometheus)
				add_indom(s, BUCKETS_BELOW, g, total);
		}
	}
}

/*
 * Free a domain's instances. libpcp_pmda's copy of the domain still points to the freed memory, so
 * the caller must renew or drop that copy before the next request.
 */
static void forget(struct bucket_indom *b)
{
	free(b->names);
	free(b->indom.it_set);
	b->names = NULL;
	b->indom.it_set = NULL;
	b->indom.it_numinst = 0;
}

void buckets_free(struct series *s)
{
	for (unsigned int i = 0; i < s->nindoms; i++)
		forget(&s->indoms[i]);
	free(s->indoms);
}

struct bucket_indom *buckets_find(const struct series *s, unsigned int group, bool total,
				  enum bucket_indom_kind kind)
{
	for (unsigned int i = 0; i < s->nindoms; i++)
		if (s->indoms[i].group_index == group && s->indoms[i].total == total &&
		    s->indoms[i].kind == kind)
			return &s->indoms[i];
	return NULL;
}

unsigned int buckets_per_key(const struct bucket_indom *b)
{
	if (b->kind == BUCKETS_BY_SIZE)
		return CELLS_PER_KEY;
	return b->kind == BUCKETS_FINE ? FINE_PER_KEY : BUCKETS_PER_KEY;
}

static enum histogram histogram_of(const struct bucket_indom *b)
{
	static const enum histogram histograms[] = {
		HISTOGRAM_LATENCY, HISTOGRAM_SIZE,  HISTOGRAM_LATENCY,
		HISTOGRAM_FINE,    HISTOGRAM_BELOW,
	};

	return histograms[b->kind];
}

/*
 * Which buckets of a row are instances: those in the range `buckets`. In a domain of latency by
 * size, each pair of a size bucket in `sizes` and a latency bucket in `buckets` is an instance.
 */
struct extent {
	struct range sizes, buckets;
};

/*
 * The lowest and the highest bucket of a row that were ever hit: of size, of fine latency or, in
 * all other domains, of latency. A row keeps the range of latency only in fine buckets, so the
 * function converts that range for the other domains of latency.
 */
static struct range range_of(const struct row *r, const struct bucket_indom *b)
{
	const struct range *ranges = r->ranges[b->group_index];
	struct range range = ranges[HISTOGRAM_LATENCY];

	if (b->kind == BUCKETS_SIZE)
		return ranges[HISTOGRAM_SIZE];
	if (b->kind == BUCKETS_FINE || range.high < range.low)
		return range;
	return (struct range){
		estat_latency_bucket(range.low),
		estat_latency_bucket(range.high),
	};
}

static struct extent extent(const struct series *s, const struct bucket_indom *b, unsigned int row)
{
	const struct row *r = &s->rows[row];
	const struct range none = { 0, -1 }, one = { 0, 0 };

	if (r->gone || !r->ranges)
		return (struct extent){ none, none };
	if (b->kind == BUCKETS_BELOW ||
	    (s->module->edition->settings.all_buckets && b->kind != BUCKETS_BY_SIZE))
		return (struct extent){ one, { 0, histogram_buckets(histogram_of(b)) - 1 } };
	return (struct extent){
		.sizes = b->kind == BUCKETS_BY_SIZE ? r->ranges[b->group_index][HISTOGRAM_SIZE]
						    : one,
		.buckets = range_of(r, b),
	};
}

/*
 * What follows the key in an instance name, such as "::400-500". Instances of the total have no
 * key, so their names are such as "400-500".
 */
typedef char suffix_t[SUFFIX_LEN];

static void write_suffix(const struct bucket_indom *b, unsigned int number, char *suffix)
{
	char bucket[BUCKET_NAME_LEN], size[BUCKET_NAME_LEN] = "";

	if (b->kind == BUCKETS_BY_SIZE) {
		bucket_name(HISTOGRAM_SIZE, number / BUCKETS_PER_KEY, size);
		number %= BUCKETS_PER_KEY;
	}
	bucket_name(histogram_of(b), number, bucket);
	pmsprintf(suffix, SUFFIX_LEN, "%s%s%s%s", b->total ? "" : "::", size, *size ? "::" : "",
		  bucket);
}

/*
 * Builds a domain's instances in two passes: the first pass counts the instances and the bytes of
 * their names, the second pass writes both.
 */
struct builder {
	const struct series *series;
	const struct bucket_indom *indom;
	suffix_t *suffixes; /* the suffix of each bucket; "": not written yet */
	pmdaIndom *into;    /* the domain to fill; NULL in the first pass */
	size_t n;           /* instances so far */
	char *name;         /* the memory for names; NULL in the first pass */
	size_t size;        /* bytes of names so far */
};

static void add_instance(struct builder *to, unsigned int row, unsigned int number)
{
	const struct bucket_indom *b = to->indom;
	const struct row *r = &to->series->rows[row];
	const char *key = b->total ? "" : r->name;

	if (!*to->suffixes[number])
		write_suffix(b, number, to->suffixes[number]);
	if (to->into) {
		to->into->it_set[to->n] = (pmdaInstid){
			.i_inst = (b->total ? 0 : r->inst) * (int)buckets_per_key(b) + (int)number,
			.i_name = to->name + to->size,
		};
		strcpy(stpcpy(to->name + to->size, key), to->suffixes[number]);
	}
	to->size += strlen(key) + strlen(to->suffixes[number]) + 1;
	to->n++;
}

/*
 * Do the instance numbers of a key's buckets fit into an int? A domain multiplies the key's
 * instance number by buckets_per_key(), and no key gets the number of an earlier key. So the
 * numbers are too high for a domain of latency by size after half a million keys.
 */
static bool has_numbers(const struct bucket_indom *b, const struct series *s, const struct row *r)
{
	static bool logged;

	if (b->total || r->inst < INT_MAX / (int)buckets_per_key(b))
		return true;
	if (!logged)
		pmNotifyErr(LOG_WARNING,
			    "%s: keys from number %d on lack a histogram: the instance numbers of "
			    "its buckets, %u for each key, would be too high",
			    s->schema->name, r->inst, buckets_per_key(b));
	logged = true;
	return false;
}

static void add_instances(struct builder *to)
{
	const struct bucket_indom *b = to->indom;
	unsigned int first = b->total ? SERIES_TOTAL : SERIES_TOTAL + 1;
	unsigned int end = b->total ? SERIES_TOTAL + 1 : to->series->nrows;

	to->n = to->size = 0;
	for (unsigned int row = first; row < end; row++) {
		struct extent e = extent(to->series, b, row);

		if (!has_numbers(b, to->series, &to->series->rows[row]))
			continue;
		for (int size = e.sizes.low; size <= e.sizes.high; size++)
			for (int bucket = e.buckets.low; bucket <= e.buckets.high; bucket++)
				add_instance(to, row, size * BUCKETS_PER_KEY + bucket);
	}
}

static void build(const struct series *s, struct bucket_indom *b)
{
	struct builder to = {
		.series = s,
		.indom = b,
		.suffixes = xalloc(calloc(buckets_per_key(b), sizeof(suffix_t))),
	};

	add_instances(&to);
	forget(b);
	b->names = xalloc(malloc(to.size + 1));
	b->indom.it_set = xalloc(malloc((to.n + 1) * sizeof(pmdaInstid)));
	b->indom.it_numinst = to.n;
	to.name = b->names;
	to.into = &b->indom;
	add_instances(&to);
	free(to.suffixes);
}

void buckets_refresh(const struct series *s, struct bucket_indom *b)
{
	if (b->built == s->changes)
		return;
	build(s, b);
	b->built = s->changes;
	if (b->pmda_copy)
		*b->pmda_copy = b->indom;
}

void buckets_forget_stale(struct series *s)
{
	for (unsigned int i = 0; i < s->nindoms; i++) {
		struct bucket_indom *b = &s->indoms[i];

		if (b->built == s->changes)
			continue;
		forget(b);
		if (b->pmda_copy)
			*b->pmda_copy = b->indom;
	}
}

void buckets_edges(const struct bucket_indom *b, unsigned int number, char *le, char *size_le)
{
	*size_le = '\0';
	if (b->kind == BUCKETS_BY_SIZE)
		bucket_le(HISTOGRAM_SIZE, number / BUCKETS_PER_KEY, size_le);
	bucket_le(histogram_of(b), b->kind == BUCKETS_BY_SIZE ? number % BUCKETS_PER_KEY : number,
		  le);
}
