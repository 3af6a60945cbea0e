/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Turns a key into text: its axes, its instance name and its instance labels. */
#ifndef ESTAT_PMDA_SCHEMA_AXIS_H
#define ESTAT_PMDA_SCHEMA_AXIS_H

#include <stdbool.h>
#include <stddef.h>

#include "label.h"
#include "schema.h"

/*
 * Bytes of the longest instance name, with its NUL. libpcp_pmda reads its
 * file of instance numbers in lines of 1,023 characters, which leaves
 * some 1,000 for the name (src/libpcp_pmda/src/cache.c, load_cache).
 */
#define INSTANCE_NAME_LEN 1000

/* Write the text of enumerator number `i` of an enum's BTF to text[AXIS_TEXT_LEN]. */
void enumerator_text(const struct schema *schema, const struct axis *axis, unsigned int i,
		     char *text);

/*
 * In the functions below `names` is the descriptor of the module's map estat_names; -1: none.
 *
 * Write the text of one axis of a key to text[AXIS_TEXT_LEN]. An empty text, and the
 * device number 0, become `none`; an id without a name becomes `unknown`. Blanks and
 * control characters become `_`, because PCP matches instance names up to the first blank.
 */
void axis_text(const struct schema *schema, const struct axis *axis, const void *key, int names,
	       char *text);

/*
 * Write a key's instance name, the axes joined by `::`, to name[INSTANCE_NAME_LEN]. A longer
 * name is cut and ends in `~` and a hash of the whole, so equal keys always have equal
 * names. A leading `[`, as in the name of the program [, becomes `_`: libpcp_pmda would take
 * such a line in its file of instance numbers for a section and then read nothing.
 */
void key_name(const struct schema *schema, const struct series_schema *series, const void *key,
	      int names, char *name);

/* A key's labels as the inside of a JSON object, to be freed: `"disk":"sda","op":"read"`. */
char *key_labels(const struct schema *schema, const struct series_schema *series, const void *key,
		 int names);

/*
 * The labels that pmproxy itself would give an instance, as the inside of a JSON
 * object; with empty values if `name` is NULL. The caller frees the string.
 */
char *instance_labels(const char *name, int inst);

/* The labels of the instance ESTAT_OTHERS_NAME. The caller frees the string. */
char *overflow_labels(const struct series_schema *series);

/* Does one of a key's ids belong to something that no longer exists? */
bool key_gone(const struct series_schema *series, const void *key, int names);

/* Is the axis an id, of something that can be deleted or renamed? */
bool axis_is_id(const struct axis *axis);

/* Write the ids in a key to ids[], at most one for each axis. Returns how many. */
unsigned int key_ids(const struct series_schema *series, const void *key, uint64_t *ids);

/* Delete from the map the names of those ids in a key that no longer exist. */
void key_forget(const struct series_schema *series, const void *key, int names);

#endif /* ESTAT_PMDA_SCHEMA_AXIS_H */
