// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/bpf.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "cache.h"
#include "lib/clock.h"
#include "lib/xalloc.h"
#include "load/table.h"
#include "series.h"
#include "schema/axis.h"
#include "values.h"

/*
 * slots_find_new() leaves new slots to the next call when it has found the slots of FIND_KEYS keys
 * and FIND_NS nanoseconds have passed.
 */
#define FIND_NS   UINT64_C(25000000)
#define FIND_KEYS 512

/*
 * slots_check() first finds new slots, and then checks slots until so many nanoseconds have passed
 * since the call.
 */
#define CHECK_NS UINT64_C(20000000)

static char *slot_at(const struct series *s, unsigned int slot, unsigned int shard)
{
	return table_slot(s->memory, s->maps, s->schema->slot_size, slot, shard);
}

static const struct slot unused = { .row = SLOT_FREE, .counted = SLOT_IS_NEW };

/* Does the series take this key? A view declared with "if AXIS=GLOB" takes only keys that match. */
static bool has_key(const struct series *s, const char *key)
{
	const char *values = s->schema->only.values;
	char text[AXIS_TEXT_LEN];

	if (!*values)
		return true;
	axis_text(s->module->edition->schema, &s->schema->only.axis, key, s->memory->names_fd,
		  text);
	return !fnmatch(values, text, 0);
}

static void give_row(struct series *s, uint32_t slot, unsigned int row)
{
	s->slots[slot].row = row;
	s->rows[row].slots++;
	s->rows[row].live++;
}

static void place_slot(struct series *s, uint32_t slot, const char *key)
{
	char name[INSTANCE_NAME_LEN], *labels;

	if (!has_key(s, key)) {
		s->slots[slot].row = SLOT_PASSED_OVER;
		return;
	}
	key_name(s->module->edition->schema, s->schema, key, s->memory->names_fd, name, &labels);
	give_row(s, slot, row_find(s, name, labels));
}

static void begin_slots(struct series *s)
{
	if (s->slots)
		return;
	s->slots = xalloc(malloc(s->maps->nslots * sizeof(*s->slots)));
	for (uint32_t i = 0; i < s->maps->nslots; i++)
		s->slots[i] = unused;
}

/*
 * If the overflow key has no row, and a CPU has counted in the overflow key's slot, give the key a
 * row. Returns whether the key got a row now.
 */
static bool find_overflow(struct series *s)
{
	uint32_t overflow = s->maps->overflow;

	if (!s->table->overflow || !s->maps->slots || s->slots[overflow].row >= 0)
		return false;
	for (unsigned int shard = 0; shard < s->memory->shards; shard++)
		if (*(const volatile uint32_t *)slot_at(s, overflow, shard)) {
			give_row(s, overflow,
				 row_find(s, ESTAT_OVERFLOW_NAME, overflow_labels(s->schema)));
			return true;
		}
	return false;
}

bool slots_awaits(const struct series *s)
{
	return (int32_t)(__atomic_load_n(&s->maps->state->taken, __ATOMIC_ACQUIRE) - s->taken) > 0;
}

void slots_find_new(struct series *s)
{
	uint32_t taken = __atomic_load_n(&s->maps->state->taken, __ATOMIC_ACQUIRE);
	uint64_t end = clock_now() + FIND_NS;
	uint32_t found = 0;

	begin_slots(s);
	if (!taken || !table_mmap(&s->module->now, s->schema->table))
		return;
	/*
	 * the loop ends when all taken slots are found, mostly far below `there`, because BPF
	 * programs take low slots first
	 */
	for (uint32_t i = 0; (int32_t)(taken - s->taken) > 0 && i < s->maps->there; i++) {
		const char *slot = slot_at(s, i, 0), *key = slot + s->schema->key_offset;

		if (i == s->maps->overflow || s->slots[i].row != SLOT_FREE ||
		    !__atomic_load_n((const uint32_t *)slot, __ATOMIC_ACQUIRE))
			continue;
		place_slot(s, i, key);
		s->taken++;
		if (++found >= FIND_KEYS && clock_now() > end)
			break;
	}
	found += find_overflow(s);
	s->found = clock_now();
	s->unsaved |= found > 0;
	if (s->unsaved && !slots_awaits(s)) {
		cache_save(s->keys);
		s->unsaved = false;
	}
}

void slots_find_all(struct series *s)
{
	/*
	 * limit the number of calls, because no call finds a slot if mmap(2) of the slots fails
	 */
	for (uint32_t calls = s->maps->keys / FIND_KEYS + 1; calls > 0 && slots_awaits(s); calls--)
		slots_find_new(s);
}

void slots_keep(struct series *s)
{
	slots_find_all(s);
	/* call even if no slot is awaited, because the call gives the overflow key its row */
	slots_find_new(s);
	series_add_up(s);
	free(s->slots);
	s->slots = NULL;
	s->taken = s->cursor = s->nretired = 0;
	rows_rest(s);
}

static const uint64_t *matrix_at(const struct series *s, unsigned int slot)
{
	return s->maps->by_size + slot * MATRIX_WORDS;
}

/* The values that a slot has counted in a shard; NULL: it has counted nothing there. */
static const uint64_t *counted(const struct series *s, unsigned int slot, unsigned int shard)
{
	const char *at = slot_at(s, slot, shard);

	/*
	 * the word at `at` is the flag `used`: 0 if no CPU has counted in this shard, but also in a
	 * retired slot that has counts
	 */
	return s->slots[slot].retired || *(const volatile uint32_t *)at
		       ? (const uint64_t *)(at + s->schema->value_offset)
		       : NULL;
}

static void fold(const struct series *s, unsigned int slot, uint64_t *into)
{
	for (unsigned int shard = 0; shard < s->memory->shards; shard++) {
		const uint64_t *values = counted(s, slot, shard);

		if (values)
			values_add(s->schema, into, values);
	}
	if (s->maps->by_size)
		words_add(into + s->schema->value_words, matrix_at(s, slot), MATRIX_WORDS);
}

void slot_fold(const struct series *s, unsigned int slot, uint64_t *into)
{
	uint32_t sample = s->memory->sample, n = s->schema->value_words;
	uint64_t *words;

	if (sample == 1) {
		fold(s, slot, into);
		return;
	}
	words = xalloc(calloc(s->words, sizeof(*words)));
	fold(s, slot, words);
	values_multiply(s->schema, words, sample);
	words_multiply(words + n, s->words - n, sample);
	row_add(s, into, words);
	free(words);
}

uint64_t slot_word(const struct series *s, unsigned int slot, uint32_t word)
{
	uint64_t sum = 0;

	for (unsigned int shard = 0; shard < s->memory->shards; shard++) {
		const uint64_t *values = counted(s, slot, shard);

		sum += values ? values[word] : 0;
	}
	return sum * s->memory->sample;
}

/* Add a slot's counts to those that its row keeps. */
static void keep_slot(struct series *s, unsigned int slot)
{
	unsigned int row = s->slots[slot].row;
	uint64_t *words = row_kept(s, row);

	slot_fold(s, slot, words);
	row_keep(s, row, words);
}

/*
 * Before a slot is cleared: let the slot's row keep the slot's counts, take the slot from the row,
 * and free a row that has no slot left and does not linger.
 */
static void leave_slot(struct series *s, unsigned int slot)
{
	int row = s->slots[slot].row;

	/* keep_slot() comes first: it reads `retired` of the slot, which `= unused` clears */
	if (row >= 0)
		keep_slot(s, slot);
	s->slots[slot] = unused;
	if (row >= 0 && --s->rows[row].slots == 0 && !s->rows[row].left)
		row_free(s, row);
}

/* Clear a retired slot and give it back to the BPF programs. */
static void free_slot(struct series *first, unsigned int slot)
{
	size_t size = (size_t)first->memory->shards * first->table->slot_size;
	int err;

	first->nretired--;
	for (struct series *s = first; s; s = s->next)
		leave_slot(s, slot);
	memset(slot_at(first, slot, 0), 0, size);
	if (first->maps->by_size)
		memset((void *)matrix_at(first, slot), 0, sizeof(struct estat_matrix));
	err = table_give_back(&first->module->now, first->schema->table, slot);
	if (err)
		pmNotifyErr(LOG_ERR, "series %s: slot %u is lost: %s", first->table->name, slot,
			    strerror(-err));
}

/*
 * Clear the flag `used` of a slot in each shard, so that BPF programs look the slot's key up in the
 * hash. Returns whether a flag was set.
 */
static bool forget_slot(const struct series *s, unsigned int slot)
{
	bool had = false;

	for (unsigned int shard = 0; shard < s->memory->shards; shard++)
		had |= __atomic_exchange_n((uint32_t *)slot_at(s, slot, shard), 0,
					   __ATOMIC_ACQ_REL);
	return had;
}

/*
 * Find, for the series `s`, a slot that another series with the same maps has found. Does nothing
 * if the slot was found for `s` already.
 */
static void find_late(struct series *s, unsigned int slot, const char *key)
{
	begin_slots(s);
	if (s->slots[slot].row != SLOT_FREE)
		return;
	place_slot(s, slot, key);
	s->taken++;
	s->unsaved = true;
}

void slot_retire(struct series *first, unsigned int slot)
{
	const char *key = slot_at(first, slot, 0) + first->table->key_offset;
	bool lingers = key_cgroup_gone(first->table, key, first->memory->names_fd);

	for (struct series *s = first; s; s = s->next)
		find_late(s, slot, key);
	first->nretired++;
	bpf_map_delete_elem(first->maps->keys_fd, key);
	key_forget(first->table, key, first->memory->names_fd);
	forget_slot(first, slot);
	for (struct series *s = first; s; s = s->next)
		if (s->slots[slot].row >= 0) {
			s->slots[slot].retired = true;
			row_leave(s, s->slots[slot].row, lingers);
		}
}

size_t slots_ids(const struct series *first, uint64_t *ids)
{
	size_t n = 0;

	for (uint32_t slot = 0; first->slots && slot < first->maps->there; slot++)
		if (first->slots[slot].row != SLOT_FREE && slot != first->maps->overflow)
			n += key_ids(first->table,
				     slot_at(first, slot, 0) + first->table->key_offset, ids + n);
	return n;
}

static bool is_device(const struct axis *axis)
{
	return axis->kind == AXIS_DEVICE;
}

static bool has_axis(const struct series_schema *schema, bool (*is)(const struct axis *axis))
{
	for (unsigned int i = 0; i < schema->naxes; i++)
		if (is(&schema->axes[i]))
			return true;
	return false;
}

/*
 * Has the slot's key another name now than its row has, as after a disk was renamed? If not, update
 * the labels of a disk's row, because the disk may have got a name in /dev/mapper or /dev/md.
 */
static bool is_renamed(struct series *s, unsigned int slot)
{
	const char *key = slot_at(s, slot, 0) + s->schema->key_offset;
	unsigned int row = s->slots[slot].row;
	char name[INSTANCE_NAME_LEN], *labels = NULL;

	key_name(s->module->edition->schema, s->schema, key, s->memory->names_fd, name,
		 has_axis(s->table, is_device) ? &labels : NULL);
	if (strcmp(name, s->rows[row].name)) {
		free(labels);
		return true;
	}
	if (labels)
		row_label(s, row, labels);
	return false;
}

/*
 * Does a slot's key name something, such as a disk, that is deleted or renamed? A change of labels
 * alone does not count: is_renamed(), which is called here, sets the row's new labels itself.
 */
static bool is_stale(struct series *first, unsigned int slot)
{
	const char *key = slot_at(first, slot, 0) + first->table->key_offset;

	if (!has_axis(first->table, axis_is_id))
		return false;
	if (key_gone(first->table, key, first->memory->names_fd))
		return true;
	for (struct series *s = first; s; s = s->next)
		if (s->slots[slot].row >= 0 && is_renamed(s, slot))
			return true;
	return false;
}

/*
 * A slot retired in one check is cleared in the next check, because a BPF program that has looked
 * up the slot may still count in the slot. If a BPF program has set the flag `used` of the slot
 * again, the slot waits for one check more.
 */
void slots_check(struct series *first, uint64_t now)
{
	uint64_t end = clock_now() + CHECK_NS;

	if ((!has_axis(first->table, axis_is_id) && !first->nretired) ||
	    (!first->cursor && now - first->checked < NAMES_CHECK_NS))
		return;
	for (struct series *s = first; s; s = s->next)
		slots_find_new(s);
	for (; first->cursor < first->maps->nslots && clock_now() < end; first->cursor++) {
		uint32_t slot = first->cursor;

		if (first->slots[slot].row < 0 || slot == first->maps->overflow)
			continue;
		if (!first->slots[slot].retired) {
			if (is_stale(first, slot))
				slot_retire(first, slot);
		} else if (!forget_slot(first, slot)) {
			free_slot(first, slot);
		}
	}
	if (first->cursor < first->maps->nslots)
		return;
	first->cursor = 0;
	first->checked = now;
	for (struct series *s = first; s; s = s->next) {
		rows_expire(s, now);
		rows_trim(s);
	}
}
