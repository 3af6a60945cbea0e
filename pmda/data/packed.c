// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/xalloc.h"
#include "packed.h"

/* How many words a bitmap with one bit for each of n words takes. */
static unsigned int bitmap_words(unsigned int n)
{
	return (n + 63) / 64;
}

static bool has(const uint64_t *packed, unsigned int at)
{
	return packed[at / 64] >> at % 64 & 1;
}

uint64_t *packed_make(const uint64_t *words, unsigned int n)
{
	unsigned int from = bitmap_words(n), used = from;
	uint64_t *packed;

	for (unsigned int i = 0; i < n; i++)
		used += words[i] != 0;
	if (used == from)
		return NULL;
	packed = xalloc(calloc(used, sizeof(*packed)));
	for (unsigned int i = 0; i < n; i++)
		if (words[i]) {
			packed[i / 64] |= UINT64_C(1) << i % 64;
			packed[from++] = words[i];
		}
	return packed;
}

void packed_unpack(const uint64_t *packed, uint64_t *words, unsigned int n)
{
	unsigned int from = bitmap_words(n);

	memset(words, 0, n * sizeof(*words));
	for (unsigned int i = 0; packed && i < n; i++)
		if (has(packed, i))
			words[i] = packed[from++];
}

uint64_t packed_word(const uint64_t *packed, unsigned int n, unsigned int at)
{
	unsigned int from = bitmap_words(n);

	if (!packed || !has(packed, at))
		return 0;
	for (unsigned int i = 0; i < at; i++)
		from += has(packed, i);
	return packed[from];
}
