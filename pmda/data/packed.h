/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An array of words of which most are 0, in little memory: a bitmap says which words are not 0, and
 * only those follow. NULL is an array of which all words are 0.
 */
#ifndef ESTAT_PMDA_DATA_PACKED_H
#define ESTAT_PMDA_DATA_PACKED_H

#include <stdint.h>

/* Pack n words. The caller frees the result. */
uint64_t *packed_make(const uint64_t *words, unsigned int n);

/* Write to words[] the n words that `packed` stands for. */
void packed_unpack(const uint64_t *packed, uint64_t *words, unsigned int n);

/* Word number `at` of n. */
uint64_t packed_word(const uint64_t *packed, unsigned int n, unsigned int at);

#endif /* ESTAT_PMDA_DATA_PACKED_H */
