// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A series alive: folded values, keys and instance domains.
 */
#include <bpf/bpf.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "axis.h"
#include "maps.h"
#include "series.h"
#include "util.h"

/* How many slots to map at a time. */
#define MAP_SLOTS    32

#define MATRIX_WORDS (sizeof(struct estat_matrix) / sizeof(uint64_t))

static void sumsq_add(uint64_t *into, const uint64_t *from)
{
	uint64_t lo = from[0];

	into[0] += lo;
	into[1] += from[1] + (into[0] < lo);
}

/* Take a gauge that was set later. Its stamp is read first, for it was written last. */
static void newer_gauge(uint64_t *into, const uint64_t *from)
{
	uint64_t stamp = __atomic_load_n(&from[0], __ATOMIC_ACQUIRE);

	if (stamp <= into[0])
		return;
	into[0] = stamp;
	into[1] = from[1];
}

static void words_add(uint64_t *into, const uint64_t *from, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		into[i] += from[i];
}

void values_add(const struct series_schema *schema, uint64_t *into, const uint64_t *from)
{
	for (unsigned int g = 0; g < schema->ngroups; g++) {
		const struct group *group = &schema->groups[g];

		for (const struct field *f = group->fields; f < group->fields + group->nfields;
		     f++) {
			uint64_t *to = into + f->word;
			const uint64_t *by = from + f->word;

			switch (f->kind) {
			case FIELD_COUNT:
			case FIELD_BYTES:
			case FIELD_NSEC:
				*to += *by;
				break;
			case FIELD_MAX:
				if (*by > *to)
					*to = *by;
				break;
			case FIELD_SUMSQ:
				sumsq_add(to, by);
				break;
			case FIELD_LATENCY:
				words_add(to, by, ESTAT_LATENCY_BUCKETS);
				break;
			case FIELD_SIZE:
				words_add(to, by, ESTAT_SIZE_BUCKETS);
				break;
			case FIELD_GAUGE:
				newer_gauge(to, by);
				break;
			}
		}
	}
}

static void add_indom(struct series *s, enum bucket_indom_kind kind, unsigned int group, bool total)
{
	/* 10 bits of cluster's own: 6 of group, 4 of kind; 0 is the keys' */
	unsigned int serial = s->module->schema->cluster << 10 |
			      (s->schema->first_group + group) << 4 | (1 + 2 * kind + total);
	struct bucket_indom *b;

	s->indoms = or_die(realloc(s->indoms, (s->nindoms + 1) * sizeof(*s->indoms)));
	b = &s->indoms[s->nindoms++];
	*b = (struct bucket_indom){
		.kind = kind,
		.group_index = group,
		.total = total,
		.indom.it_indom = pmInDom_build(pmInDom_domain(s->keys), serial),
	};
}

static void add_indoms(struct series *s)
{
	for (unsigned int g = 0; g < s->schema->ngroups; g++) {
		const struct group *group = &s->schema->groups[g];

		for (int total = 0; total < 2; total++) {
			if (group->latency)
				add_indom(s, BUCKETS_LATENCY, g, total);
			if (group->size)
				add_indom(s, BUCKETS_SIZE, g, total);
			if (group->latency && group->size && g == 0 && s->module->latency_by_size)
				add_indom(s, BUCKETS_BY_SIZE, g, total);
		}
	}
}

static void resize_rows(struct series *s, unsigned int n)
{
	size_t size = n * s->words * sizeof(uint64_t);

	s->rows = or_die(realloc(s->rows, n * sizeof(*s->rows)));
	s->values = or_die(realloc(s->values, size));
	s->retired = or_die(realloc(s->retired, size));
	s->nrows = n;
}

/* The lowest row that is free, or one more. */
static unsigned int find_free_row(struct series *s)
{
	unsigned int row = s->lowest_free;

	if (!s->nfree) {
		resize_rows(s, s->nrows + 1);
		return s->nrows - 1;
	}
	while (s->rows[row].name)
		row++;
	s->lowest_free = row + 1;
	s->nfree--;
	return row;
}

static unsigned int add_row(struct series *s, char *name, char *labels)
{
	unsigned int index = find_free_row(s);
	struct row *row = &s->rows[index];

	memset(s->values + (size_t)index * s->words, 0, s->words * sizeof(uint64_t));
	memset(s->retired + (size_t)index * s->words, 0, s->words * sizeof(uint64_t));
	*row = (struct row){
		.name = name,
		.labels = labels,
		.first_fold = s->nfolds + 1,
		.renamed = index < s->named_rows,
	};
	row->ranges = or_die(calloc(s->schema->ngroups, sizeof(*row->ranges)));
	row->sumsqs = or_die(calloc(s->schema->ngroups, sizeof(*row->sumsqs)));
	for (unsigned int g = 0; g < s->schema->ngroups; g++)
		for (int h = 0; h < 2; h++)
			row->ranges[g][h] = (struct range){ histogram_buckets(h), -1 };
	return index;
}

static void clear_row(struct row *row)
{
	free(row->name);
	free(row->labels);
	free(row->ranges);
	free(row->sumsqs);
	*row = (struct row){ .gone = true, .renamed = true };
}

static void values_and_matrix_add(const struct series *s, uint64_t *into, const uint64_t *from)
{
	values_add(s->schema, into, from);
	words_add(into + s->schema->value_words, from + s->schema->value_words,
		  s->words - s->schema->value_words);
}

/* What a row's key named has gone, and no slot is its any more: keep what it counted in the total.
 */
static void free_row(struct series *s, unsigned int row)
{
	values_and_matrix_add(s, s->retired, s->retired + (size_t)row * s->words);
	clear_row(&s->rows[row]);
	s->changed = true;
	if (row < s->lowest_free)
		s->lowest_free = row;
	s->nfree++;
}

/* Let go of free rows at the end. */
static void trim_rows(struct series *s)
{
	unsigned int n = s->nrows;

	while (n > 1 && !s->rows[n - 1].name)
		n--;
	if (n == s->nrows)
		return;
	s->nfree -= s->nrows - n;
	resize_rows(s, n);
}

struct series *series_new(const struct module *module, unsigned int index, int domain)
{
	struct series *s = or_die(calloc(1, sizeof(*s)));

	s->module = module;
	s->schema = &module->schema->series[index];
	s->table = &module->schema->series[s->schema->table];
	s->maps = &module->maps[s->schema->table];
	s->first = s;
	s->keys =
		pmInDom_build(domain, module->schema->cluster << 10 | s->schema->first_group << 4);
	s->words = s->schema->value_words + (module->latency_by_size ? MATRIX_WORDS : 0);
	s->lowest_free = 1;
	s->snapshots = or_die(calloc(s->schema->ngroups * PARTS * 2, sizeof(*s->snapshots)));
	pmdaCacheOp(s->keys, PMDA_CACHE_LOAD);
	add_row(s, NULL, NULL);
	add_indoms(s);
	return s;
}

void series_share(struct series *first, struct series *s)
{
	struct series *last = first;

	while (last->next)
		last = last->next;
	last->next = s;
	s->first = first;
}

void series_free(struct series *s)
{
	snapshots_end(s);
	free(s->snapshots);
	for (unsigned int i = 0; i < s->nrows; i++)
		clear_row(&s->rows[i]);
	for (unsigned int i = 0; i < s->nindoms; i++) {
		for (unsigned int j = 0; j < s->indoms[i].nnames; j++)
			free(s->indoms[i].names[j]);
		free(s->indoms[i].names);
		free(s->indoms[i].indom.it_set);
	}
	free(s->indoms);
	free(s->rows);
	free(s->values);
	free(s->retired);
	free(s->slots);
	free(s);
}

/* A slot in one shard. */
static const char *slot_at(const struct series *s, unsigned int slot, unsigned int shard)
{
	return s->maps->slots + ((size_t)slot * s->module->shards + shard) * s->schema->slot_size;
}

void cache_save(pmInDom indom)
{
	static bool told;
	int sts = pmdaCacheOp(indom, PMDA_CACHE_SAVE);

	if (sts < 0 && !told)
		pmNotifyErr(LOG_ERR,
			    "instance numbers cannot be saved and may change with a restart: %s",
			    pmErrStr(sts));
	told |= sts < 0;
}

/* The row of a key's name, as the cache has it, or 0. That keeps what was, too. */
static unsigned int known_row(const struct series *s, const char *name)
{
	void *row = NULL;
	int inst;

	if (pmdaCacheLookupName(s->keys, name, &inst, &row) < 0 || (uintptr_t)row >= s->nrows)
		return 0;
	if (!s->rows[(uintptr_t)row].name || strcmp(s->rows[(uintptr_t)row].name, name))
		return 0;
	return (uintptr_t)row;
}

/* Find the row of a key's name, or make one, and show it as an instance. */
static unsigned int find_row(struct series *s, const char *name, const void *key)
{
	unsigned int row = known_row(s, name);
	int inst;

	if (!row)
		row = add_row(s, or_die(strdup(name)),
			      key_labels(s->module->schema, s->schema, key, s->module->names_fd));
	inst = pmdaCacheStore(s->keys, PMDA_CACHE_ADD, name, (void *)(uintptr_t)row);
	if (inst < 0)
		pmNotifyErr(LOG_ERR, "series %s: instance %s: %s", s->schema->name, name,
			    pmErrStr(inst));
	s->rows[row].inst = inst;
	s->rows[row].gone = inst < 0;
	return row;
}

/* Give the slots that the kernel has taken since the last time their rows. */
static void find_new_keys(struct series *s)
{
	uint32_t taken = __atomic_load_n(&s->maps->state->taken, __ATOMIC_ACQUIRE);
	char name[INSTANCE_NAME_LEN];
	bool found = false;

	if (!s->slots) {
		s->slots = or_die(malloc(s->maps->keys * sizeof(*s->slots)));
		for (uint32_t i = 0; i < s->maps->keys; i++)
			s->slots[i] = (struct slot){ .row = -1 };
	}
	/* the kernel takes low slots first: look no further than it has got */
	for (uint32_t i = 0; (int32_t)(taken - s->taken) > 0 && i < s->maps->keys; i++) {
		const char *slot, *key;

		if (i == s->maps->mapped && !maps_map_slots(s->module, s->schema->table, MAP_SLOTS))
			break;
		slot = slot_at(s, i, 0);
		key = slot + s->schema->key_offset;
		if (s->slots[i].row >= 0 ||
		    !__atomic_load_n((const uint32_t *)slot, __ATOMIC_ACQUIRE))
			continue;
		key_name(s->module->schema, s->schema, key, s->module->names_fd, name);
		s->slots[i].row = find_row(s, name, key);
		s->rows[s->slots[i].row].slots++;
		s->rows[s->slots[i].row].live++;
		s->taken++;
		found = true;
	}
	if (found) {
		cache_save(s->keys);
		s->changed = true;
	}
}

static const uint64_t *matrix_at(const struct series *s, unsigned int slot)
{
	return s->maps->by_size + slot * MATRIX_WORDS;
}

/* Add all that a slot has counted, in all its shards, to a row's words. */
static void fold_slot(const struct series *s, unsigned int slot, uint64_t *into)
{
	for (unsigned int shard = 0; shard < s->module->shards; shard++)
		values_add(s->schema, into,
			   (const uint64_t *)(slot_at(s, slot, shard) + s->schema->value_offset));
	if (s->maps->by_size)
		words_add(into + s->schema->value_words, matrix_at(s, slot), MATRIX_WORDS);
}

/* Keep a retired slot's counts. */
static void leave_slot(struct series *s, unsigned int slot)
{
	int row = s->slots[slot].row;

	s->slots[slot] = (struct slot){ .row = -1 };
	if (row < 0)
		return;
	fold_slot(s, slot, s->retired + (size_t)row * s->words);
	if (--s->rows[row].slots == 0)
		free_row(s, row);
}

/* Clear a retired slot and give it back to the kernel. */
static void free_slot(struct series *first, unsigned int slot)
{
	size_t size = (size_t)first->module->shards * first->table->slot_size;
	uint32_t number = slot;

	for (struct series *s = first; s; s = s->next)
		leave_slot(s, slot);
	memset((void *)slot_at(first, slot, 0), 0, size);
	if (first->maps->by_size)
		memset((void *)matrix_at(first, slot), 0, sizeof(struct estat_matrix));
	if (bpf_map_update_elem(first->maps->free_fd, NULL, &number, BPF_ANY))
		pmNotifyErr(LOG_ERR, "series %s: slot %u is lost: %s", first->table->name, slot,
			    osstrerror());
	__atomic_store_n(&first->maps->state->full, 0, __ATOMIC_RELEASE);
}

/* Make programs that guess this slot ask the hash. Returns whether one had it. */
static bool forget_slot(const struct series *s, unsigned int slot)
{
	bool had = false;

	for (unsigned int shard = 0; shard < s->module->shards; shard++)
		had |= __atomic_exchange_n((uint32_t *)slot_at(s, slot, shard), 0,
					   __ATOMIC_ACQ_REL);
	return had;
}

/* A slot is retired: hide its row if it was the last. What comes back can have another number. */
static void leave_row(struct series *s, unsigned int slot)
{
	int index = s->slots[slot].row;
	struct row *row = &s->rows[index];

	s->slots[slot].retired = true;
	if (--row->live)
		return;
	row->gone = true;
	pmdaCacheStore(s->keys, PMDA_CACHE_HIDE, row->name, (void *)(uintptr_t)index);
	s->changed = true;
}

/* Take a slot whose key is stale from its key. */
static void retire_slot(struct series *first, unsigned int slot)
{
	const char *key = slot_at(first, slot, 0) + first->table->key_offset;

	bpf_map_delete_elem(first->maps->keys_fd, key);
	key_forget(first->table, key, first->module->names_fd);
	forget_slot(first, slot);
	for (struct series *s = first; s; s = s->next)
		if (s->slots[slot].row >= 0)
			leave_row(s, slot);
}

/* Can what a key stands for go, or get another name? */
static bool has_names(const struct series_schema *schema)
{
	for (unsigned int i = 0; i < schema->naxes; i++)
		if (schema->axes[i].kind == AXIS_DEVICE || schema->axes[i].kind == AXIS_NAME)
			return true;
	return false;
}

/* Is a slot's name another one now? */
static bool is_renamed(const struct series *s, unsigned int slot)
{
	const char *key = slot_at(s, slot, 0) + s->schema->key_offset;
	char name[INSTANCE_NAME_LEN];

	key_name(s->module->schema, s->schema, key, s->module->names_fd, name);
	return strcmp(name, s->rows[s->slots[slot].row].name);
}

/* Does a slot's key stand for what has gone, or has another name now? */
static bool is_stale(const struct series *first, unsigned int slot)
{
	const char *key = slot_at(first, slot, 0) + first->table->key_offset;

	if (key_gone(first->table, key, first->module->names_fd))
		return true;
	for (const struct series *s = first; s; s = s->next)
		if (s->slots[slot].row >= 0 && is_renamed(s, slot))
			return true;
	return false;
}

/*
 * Once in a while, retire the slots whose keys are stale: the disk's number is
 * not that disk's any more, the pool has gone. A retired slot is cleared one
 * check later, when no program that had looked it up can still be running and
 * none has taken to it again.
 */
static void check_names(struct series *first, uint64_t now)
{
	if (!has_names(first->table) || now - first->checked < NAMES_CHECK_NS)
		return;
	first->checked = now;
	for (struct series *s = first; s; s = s->next)
		find_new_keys(s);
	for (uint32_t i = 0; i < first->maps->keys; i++) {
		if (first->slots[i].row < 0)
			continue;
		if (!first->slots[i].retired) {
			if (is_stale(first, i))
				retire_slot(first, i);
		} else if (!forget_slot(first, i)) {
			free_slot(first, i);
		}
	}
	for (struct series *s = first; s; s = s->next)
		trim_rows(s);
}

/* Widen a range to the buckets hit outside of it. Returns whether it grew. */
static bool widen(struct range *range, const uint64_t *counts, short buckets)
{
	struct range old = *range;

	for (short b = 0; b < range->low && b < buckets; b++)
		if (counts[b])
			range->low = b;
	for (short b = buckets - 1; b > range->high; b--)
		if (counts[b])
			range->high = b;
	return old.low != range->low || old.high != range->high;
}

static void widen_ranges(struct series *s, unsigned int row)
{
	const uint64_t *values = series_values(s, row);

	for (unsigned int g = 0; g < s->schema->ngroups; g++) {
		const struct group *group = &s->schema->groups[g];
		struct range *ranges = s->rows[row].ranges[g];

		if (group->latency)
			s->changed |= widen(&ranges[HISTOGRAM_LATENCY],
					    values + group->latency->word, ESTAT_LATENCY_BUCKETS);
		if (group->size)
			s->changed |= widen(&ranges[HISTOGRAM_SIZE], values + group->size->word,
					    ESTAT_SIZE_BUCKETS);
	}
}

/* How many instance numbers one key has in a bucket domain. */
static unsigned int numbers_per_key(const struct bucket_indom *b)
{
	return b->kind == BUCKETS_BY_SIZE ? CELLS_PER_KEY : BUCKETS_PER_KEY;
}

/* Make the name of an instance: sda::read::400-500, or 400-500 in a total. */
static char *instance_name(const struct series *s, const struct bucket_indom *b, unsigned int row,
			   unsigned int number)
{
	char bucket[BUCKET_NAME_LEN], size[BUCKET_NAME_LEN + 2] = "", *name;
	int n;

	if (b->kind == BUCKETS_BY_SIZE) {
		bucket_name(HISTOGRAM_SIZE, number / BUCKETS_PER_KEY, size);
		strcat(size, "::");
		number %= BUCKETS_PER_KEY;
	}
	bucket_name(b->kind == BUCKETS_SIZE ? HISTOGRAM_SIZE : HISTOGRAM_LATENCY, number, bucket);
	n = asprintf(&name, "%s%s%s%s", b->total ? "" : s->rows[row].name,
		     b->total ? "" : "::", size, bucket);
	return or_die(n < 0 ? NULL : name);
}

static void add_instance(struct series *s, struct bucket_indom *b, unsigned int row,
			 unsigned int number)
{
	unsigned int at = row * numbers_per_key(b) + number;
	int key = b->total ? 0 : s->rows[row].inst;

	if (!b->names[at])
		b->names[at] = instance_name(s, b, row, number);
	b->indom.it_set[b->indom.it_numinst++] = (pmdaInstid){
		.i_inst = key * (int)numbers_per_key(b) + (int)number,
		.i_name = b->names[at],
	};
}

/* Instances of one row: the range of a histogram, or the rectangle of two. */
static void add_instances(struct series *s, struct bucket_indom *b, unsigned int row)
{
	const struct range *ranges = s->rows[row].ranges[b->group_index];
	struct range r = ranges[b->kind == BUCKETS_SIZE ? HISTOGRAM_SIZE : HISTOGRAM_LATENCY];
	struct range sizes = { 0, 0 };

	if (b->kind == BUCKETS_BY_SIZE)
		sizes = ranges[HISTOGRAM_SIZE];
	for (int size = sizes.low; size <= sizes.high; size++)
		for (int bucket = r.low; bucket <= r.high; bucket++)
			add_instance(s, b, row, size * BUCKETS_PER_KEY + bucket);
}

/* Have names for as many instances, none where there was none. */
static void resize_names(struct bucket_indom *b, unsigned int n)
{
	for (unsigned int at = n; at < b->nnames; at++)
		free(b->names[at]);
	b->names = or_die(realloc(b->names, n * sizeof(*b->names)));
	for (unsigned int at = b->nnames; at < n; at++)
		b->names[at] = NULL;
	b->indom.it_set = or_die(realloc(b->indom.it_set, n * sizeof(pmdaInstid)));
	b->nnames = n;
}

/* Forget the names of the buckets of a row that is another key's now. */
static void forget_names(struct bucket_indom *b, unsigned int row)
{
	for (unsigned int i = 0; i < numbers_per_key(b); i++) {
		unsigned int at = row * numbers_per_key(b) + i;

		free(b->names[at]);
		b->names[at] = NULL;
	}
}

static void build_indom(struct series *s, struct bucket_indom *b)
{
	unsigned int rows = b->total ? 1 : s->nrows, n = rows * numbers_per_key(b);

	if (n != b->nnames)
		resize_names(b, n);
	for (unsigned int row = !b->total; row < rows; row++)
		if (s->rows[row].renamed)
			forget_names(b, row);
	b->indom.it_numinst = 0;
	for (unsigned int row = !b->total; row < rows; row++)
		if (!s->rows[row].gone)
			add_instances(s, b, row);
}

static void build_indoms(struct series *s)
{
	for (unsigned int i = 0; i < s->nindoms; i++)
		build_indom(s, &s->indoms[i]);
	for (unsigned int row = 0; row < s->nrows; row++)
		s->rows[row].renamed = false;
	if (s->nrows < s->named_rows)
		malloc_trim(0); /* what rows and names took is between what stays */
	s->named_rows = s->nrows;
}

static void fold_values(struct series *s)
{
	memcpy(s->values, s->retired, s->nrows * s->words * sizeof(uint64_t));
	for (uint32_t i = 0; i < s->maps->keys; i++)
		if (s->slots[i].row >= 0)
			fold_slot(s, i, s->values + (size_t)s->slots[i].row * s->words);
	for (unsigned int row = 1; row < s->nrows; row++)
		if (s->rows[row].name)
			values_and_matrix_add(s, s->values, series_values(s, row));
}

/*
 * A program writes a sum of squares in two halves, and a fold that reads between
 * them gets a sum that is 2^64 too low: fold again. It happens once in many
 * years, for the second half changes once in 2^64 nanoseconds squared.
 */
static bool sums_fell(struct series *s)
{
	bool fell = false;

	for (unsigned int row = 0; row < s->nrows; row++) {
		for (unsigned int g = 0; g < s->schema->ngroups; g++) {
			const struct field *f = s->schema->groups[g].sumsq;
			unsigned __int128 now;

			if (!f || !s->rows[row].sumsqs)
				continue;
			now = values_sumsq(series_values(s, row), f);
			fell |= now < s->rows[row].sumsqs[g];
			s->rows[row].sumsqs[g] = now;
		}
	}
	return fell;
}

void series_fold(struct series *s)
{
	unsigned int tries = 0;

	s->folded = clock_now();
	snapshots_end(s);
	if (s->module->status != MODULE_RUNNING)
		return;
	find_new_keys(s);
	check_names(s->first, s->folded);

	do
		fold_values(s);
	while (sums_fell(s) && ++tries < 3);
	for (unsigned int row = 0; row < s->nrows; row++)
		if (s->rows[row].ranges)
			widen_ranges(s, row);
	if (s->changed)
		build_indoms(s);
	s->changed = false;
	s->nfolds++;
}

unsigned int series_keys(const struct series *s)
{
	unsigned int n = 0;

	if (s->module->status != MODULE_RUNNING)
		return 0;
	for (uint32_t i = 0; s->slots && i < s->maps->keys; i++)
		n += s->slots[i].row >= 0;
	return n + (s->maps->state->taken - s->taken); /* and those not looked at yet */
}

int series_row(const struct series *s, int inst)
{
	void *row;

	if (pmdaCacheLookup(s->keys, inst, NULL, &row) != PMDA_CACHE_ACTIVE)
		return -1;
	return (uintptr_t)row;
}
