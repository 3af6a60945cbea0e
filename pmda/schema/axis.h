/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns a key into text: the text of each axis, the instance name and the instance labels. Tells
 * whether what a key's ids name still exists.
 */
#ifndef ESTAT_PMDA_SCHEMA_AXIS_H
#define ESTAT_PMDA_SCHEMA_AXIS_H

#include <stdbool.h>
#include <stddef.h>

#include "label.h"
#include "schema.h"

/*
 * Bytes of a key's longest instance name, with the NUL. libpcp_pmda reads its file of instance
 * numbers by lines of at most 1,023 bytes (src/libpcp_pmda/src/cache.c): two numbers, then the
 * name.
 */
#define INSTANCE_NAME_LEN 1000

/*
 * Write the enumerator at index `i` of an axis's enum to text[AXIS_TEXT_LEN]: "red" for the
 * enumerator color_red of enum color; the whole name of an enumerator without such a prefix.
 */
void enumerator_text(const struct schema *schema, const struct axis *axis, unsigned int i,
		     char *text);

/*
 * Replace each ASCII control character in text[AXIS_TEXT_LEN] by \NNN, octal. Any user can choose
 * names of files and processes, and a control character in such a name could be a command for the
 * reader's terminal. A \ that three octal digits follow becomes \134. A text that becomes too long
 * is cut.
 */
void escape_controls(char *text);

/*
 * Write the text of one axis of a key to text[AXIS_TEXT_LEN]. An empty text, the device number 0,
 * the cgroup id 0 and the address :: become `none`; of ids without a name, a device number becomes
 * MAJ:MIN, other ids become `unknown`. Control characters are written by escape_controls().
 * `names`, in this function and those below, is the descriptor of the module's map estat_names; -1:
 * the module has no such map, or no object of the module is loaded.
 */
void axis_text(const struct schema *schema, const struct axis *axis, const void *key, int names,
	       char *text);

/*
 * Write a key's instance name, the axes joined by `::`, to name[INSTANCE_NAME_LEN]. A blank is
 * written as \040, because PCP compares instance names up to the first blank only. A name that is
 * too long is cut, and ends in `~` and a hash of the whole name. A leading `[` becomes `_`, because
 * libpcp_pmda's file of instance numbers can have [KEY] before a name (pmdaCacheStoreKey()).
 *
 * Unless `labels` is NULL, set *labels to the key's labels in JSON without braces, to be freed:
 * `"disk":"sda","op":"read"`. The text of each axis is made once, so name and labels agree.
 */
void key_name(const struct schema *schema, const struct series_schema *series, const void *key,
	      int names, char *name, char **labels);

/* The labels instname and instid in JSON without braces, to be freed. `name` NULL: both are "". */
char *instance_labels(const char *name, int inst);

/* The label of the overflow key's instance in JSON without braces, to be freed. */
char *overflow_labels(const struct series_schema *series);

/*
 * Has what one of the key's ids names, such as a pool or cgroup, been deleted or renamed? True,
 * too, if estat_names lacks the name of an id. But an id 0 of a cgroup or device does not count,
 * nor does a disk or SCSI device without a name in estat_names, see is_renamed() in data/slots.c.
 */
bool key_gone(const struct series_schema *series, const void *key, int names);

/* Does the axis have ids of what can be deleted or renamed, such as disks, pools or cgroups? */
bool axis_is_id(const struct axis *axis);

/*
 * Has a cgroup on one of the key's axes been deleted, or does estat_names lack the cgroup's name?
 * The cgroup id 0 does not count.
 */
bool key_cgroup_gone(const struct series_schema *series, const void *key, int names);

/* Write the ids in a key to ids[], at most one for each axis. Returns the number of ids. */
unsigned int key_ids(const struct series_schema *series, const void *key, uint64_t *ids);

/*
 * Forget those ids of the key that name something deleted or renamed: delete the names of these ids
 * from the map estat_names.
 */
void key_forget(const struct series_schema *series, const void *key, int names);

#endif /* ESTAT_PMDA_SCHEMA_AXIS_H */
