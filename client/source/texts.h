/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values as texts, such as the states of modules. */
#ifndef ESTAT_CLIENT_SOURCE_TEXTS_H
#define ESTAT_CLIENT_SOURCE_TEXTS_H

#include "source.h"

/* A value of one instance of a metric. */
struct text {
	char *instance, *value;
};

/*
 * Read a metric's values by instance, as texts: a pmcd's current values, or an archive's last
 * values up to the end of the time window. Returns the number of texts. The caller frees *texts
 * with texts_free().
 */
unsigned int source_texts(struct source *s, const char *metric, struct text **texts);

/*
 * Read the values of `n` 64-bit metrics without instances in one fetch: a pmcd's current values, or
 * those of the last record, up to the end of an archive's time window, that has one of the metrics.
 * numbers[i] is -1 if metrics[i] has no value there. If the source lacks one of the metrics, or the
 * fetch fails, all numbers are -1.
 */
void source_numbers(struct source *s, unsigned int n, const char **metrics, double *numbers);

void texts_free(struct text *texts, unsigned int n);

/* The value of the text with this instance, or NULL. */
const char *text_of(const struct text *texts, unsigned int n, const char *instance);

/* Is `word` one of the words of a text such as "disk::op"? */
bool text_has(const char *text, const char *word);

/*
 * The first word of a text such as "disk::op"; sets *text to the rest, from the second word on.
 * NULL: the text is empty. The caller frees the word.
 */
char *text_word(const char **text);

/*
 * Is `name` the module, or a name below it, such as zpl.dataset below zpl? A name below a module
 * can be another module: vfs.process is below vfs. find_owner() finds the module of a name.
 */
bool owns(const char *module, const char *name);

/* The text of the module that owns `name`, of several the one with the longest name; NULL: none. */
const struct text *find_owner(const struct text *texts, unsigned int n, const char *name);

/* The value of the text that find_owner() returns, or NULL. */
const char *owner_text(const struct text *texts, unsigned int n, const char *name);

#endif /* ESTAT_CLIENT_SOURCE_TEXTS_H */
