/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A key as people read it: its axes as text, the instance name made of them
 * and the instance labels.
 */
#ifndef ESTAT_PMDA_SCHEMA_AXIS_H
#define ESTAT_PMDA_SCHEMA_AXIS_H

#include <stdbool.h>
#include <stddef.h>

#include "label.h"
#include "schema.h"

/*
 * Longest instance name, with its NUL. libpcp_pmda reads its cache of instance numbers in lines of
 * 1,023 characters, of which a name has 1,000 and some (src/libpcp_pmda/src/cache.c, load_cache).
 */
#define INSTANCE_NAME_LEN 1000

/* Write the text of an enum's enumerator, by its place in it, to text, as axis_text does. */
void enumerator_text(const struct schema *schema, const struct axis *axis, unsigned int i,
		     char *text);

/*
 * Where functions below have an argument `names` it is the descriptor of the
 * module's map estat_names, or -1 if it has none.
 *
 * Write the text of one axis of a key to text[AXIS_TEXT_LEN]. Blanks and
 * control characters become `_`, for PCP matches instance names up to the
 * first blank; an empty text, and a device that has no disk, is `none`,
 * an id that has no name `unknown`.
 */
void axis_text(const struct schema *schema, const struct axis *axis, const void *key, int names,
	       char *text);

/*
 * Write a key's instance name, its axes joined by `::`, to name[INSTANCE_NAME_LEN]. One that
 * is too long is cut off, and ends in `~` and a hash of the whole: it is always the same.
 * A `[` that it begins with becomes `_`, as of the program of that name: libpcp_pmda takes what
 * follows in its file of instance numbers for a key of its own, and then reads none of the file.
 */
void key_name(const struct schema *schema, const struct series_schema *series, const void *key,
	      int names, char *name);

/*
 * A key's labels as the inside of a JSON object, `"disk":"sda","op":"read"`.
 * Returns a string to be freed.
 */
char *key_labels(const struct schema *schema, const struct series_schema *series, const void *key,
		 int names);

/*
 * The labels that pmproxy gives an instance of itself, likewise; `name` NULL: those that make
 * it give none.
 */
char *instance_labels(const char *name, int inst);

/* The labels of the instance ESTAT_OTHERS_NAME, a string to be freed. */
char *others_labels(const struct series_schema *series);

/* Has what a key names by an id gone? */
bool key_gone(const struct series_schema *series, const void *key, int names);

/* Is it an id, of what can go, or get another name? */
bool axis_is_id(const struct axis *axis);

/* The ids in a key, one for each of its axes at most. Returns how many. */
unsigned int key_ids(const struct series_schema *series, const void *key, uint64_t *ids);

/* Let go of the names of what has gone, of a key. */
void key_forget(const struct series_schema *series, const void *key, int names);

#endif /* ESTAT_PMDA_SCHEMA_AXIS_H */
