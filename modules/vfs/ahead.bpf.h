/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Remembers which pages of files were read ahead and not used yet. */
#ifndef ESTAT_MODULES_VFS_AHEAD_H
#define ESTAT_MODULES_VFS_AHEAD_H

#include "declare.bpf.h"

/*
 * A word has a bit for each of 64 pages of a file: word w has those of pages 64 * w to 64 * w + 63.
 * A bit is set when its page is added to the cache as readahead. A bit is cleared when a read or a
 * fault has used its page, or when its page is added to the cache again, but not as readahead.
 */
struct ahead_key {
	__u64 mapping;
	__u64 word;
};

struct ahead {
	__u64 began;
	__u64 unused;
};

ESTAT_HASH_MAP(ahead, LRU_HASH, struct ahead_key, struct ahead, 32768);

/*
 * A map that holds no data, but serves as a loop: bpf_for_each_map_elem() calls change_next() once
 * for each element, until change_next() returns 1. The map has 8193 elements because a read of 2
 * GiB can span 8193 words.
 */
ESTAT_ARRAY_MAP(words, ARRAY, __u32, 8193);

/*
 * Which bits to set or clear: those of a file's pages `first` to `end` - 1. If bits are cleared,
 * the number of bits that were set before is added to *were; `were` can be NULL. *were must be in a
 * map value, because with a counter on the stack the verifier would check each iteration of the
 * loop.
 */
struct change {
	__u64 mapping, first, end;
	__u64 *were;
	bool set;
};

/*
 * The word of a key. If the map has no word, or one from before the last attachment, word_of()
 * makes a word of zeros if `make` is true, else word_of() returns NULL. With `make`, NULL means
 * that there is no memory.
 */
static __always_inline struct ahead *word_of(const struct ahead_key *key, bool make)
{
	struct ahead *a = bpf_map_lookup_elem(&ahead, key);
	struct ahead none = {};

	if (a && estat_since_attach(a->began))
		return a;
	if (!make)
		return NULL;
	none.began = bpf_ktime_get_ns();
	if (a) { /* the word is from before the last attachment: use the word anew */
		a->unused = 0;
		__sync_lock_test_and_set(&a->began, none.began);
		return a;
	}
	bpf_map_update_elem(&ahead, key, &none, BPF_NOEXIST);
	return bpf_map_lookup_elem(&ahead, key);
}

/* Change the i-th word of *c. Returns 1 after the last word, else 0. */
static __always_inline long change_word(struct change *c, __u64 i)
{
	struct ahead_key key = { .mapping = c->mapping, .word = c->first / 64 + i };
	__u64 base = key.word * 64, low, high, bits, were;
	struct ahead *a = word_of(&key, c->set);

	low = c->first > base ? c->first - base : 0;
	high = c->end < base + 64 ? base + 64 - c->end : 0;
	bits = (~0ULL << (low & 63)) & (~0ULL >> (high & 63));
	if (a && c->set) {
		__sync_fetch_and_or(&a->unused, bits);
	} else if (a) {
		were = __sync_fetch_and_and(&a->unused, ~bits) & bits;
		if (c->were)
			*c->were += __builtin_popcountll(were);
	}
	return base + 64 >= c->end;
}

static long change_next(void *map, const __u32 *i, __u32 *value, struct change *c)
{
	return *i == 0 ? 0 : change_word(c, *i);
}

static __noinline int change(struct change *c)
{
	if (!change_word(c, 0))
		bpf_for_each_map_elem(&words, change_next, c, 0);
	return 0;
}

/*
 * Clear the bits of n pages from `first` on. If `were` is not NULL, *were becomes the number of
 * these bits that were set before.
 */
static __always_inline void clear_ahead(__u64 *were, __u64 mapping, __u64 first, __u64 n)
{
	struct change c = { mapping, first, first + n, were, false };

	if (were)
		*were = 0;
	change(&c);
}

/* Set the bits of n pages from `first` on. */
static __always_inline void set_ahead(__u64 mapping, __u64 first, __u64 n)
{
	struct change c = { mapping, first, first + n, NULL, true };

	change(&c);
}

#endif /* ESTAT_MODULES_VFS_AHEAD_H */
