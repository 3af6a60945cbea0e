/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values as texts, such as the states of modules. */
#ifndef ESTAT_CLIENT_SOURCE_TEXTS_H
#define ESTAT_CLIENT_SOURCE_TEXTS_H

#include "source.h"

/*
 * Read a metric's values by instance, as texts: a pmcd's current values, or the last values in an
 * archive's time window. Returns the number of texts. The caller frees *texts with texts_free().
 */
struct text {
	char *instance, *value;
};
unsigned int source_texts(struct source *s, const char *metric, struct text **texts);

/*
 * Read `n` metrics of 64 bits without instances by one fetch, at the same time as source_texts().
 * -1: the metric has no value, or one of the names is not known.
 */
void source_numbers(struct source *s, unsigned int n, const char **metrics, double *numbers);

void texts_free(struct text *texts, unsigned int n);

/* The value of this instance, or NULL. */
const char *text_of(const struct text *texts, unsigned int n, const char *instance);

/* Is `word` one of the words of a text such as "disk::op"? */
bool text_has(const char *text, const char *word);

/* Is `name` the module or one of its series? The module vfs owns vfs and vfs.process. */
bool owns(const char *module, const char *name);

/* The text of the module that owns `name` (of several, the longest module name); NULL: none. */
const struct text *find_owner(const struct text *texts, unsigned int n, const char *name);

/* The value of the text that find_owner() returns, or NULL. */
const char *owner_text(const struct text *texts, unsigned int n, const char *name);

#endif /* ESTAT_CLIENT_SOURCE_TEXTS_H */
