/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of a series: a key's values each, by its name.
 */
#ifndef ESTAT_ROWS_H
#define ESTAT_ROWS_H

#include "series.h"

/* Add the total's, which is the first. */
void rows_begin(struct series *s);
void rows_free(struct series *s);

/* Find the row of a key's name, or make one, and show it as an instance; and that of all others. */
unsigned int row_find(struct series *s, const char *name, const void *key);
unsigned int row_others(struct series *s);

/* Make the labels of a row anew, which is a key's. */
void row_label(struct series *s, unsigned int row, const void *key);

/* The same for a row of another series of the same name and axes. */
unsigned int row_copy(struct series *s, const struct row *row);

/* The words that a row keeps of what is no more, to be added to. */
uint64_t *row_kept(struct series *s, unsigned int row);

/* Add the words of a row to others. */
void row_add(const struct series *s, uint64_t *into, const uint64_t *from);

/* A slot of a row is retired: hide the row if it was the last. */
void row_leave(struct series *s, unsigned int row);

/* What a row's key named has gone, and no slot is its any more: the total keeps what it counted. */
void row_free(struct series *s, unsigned int row);

/* Let go of free rows at the end. */
void rows_trim(struct series *s);

/* Widen the ranges of a row's histograms to what it has counted. */
void row_widen(struct series *s, unsigned int row);

#endif /* ESTAT_ROWS_H */
