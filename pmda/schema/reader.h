/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions by which schema_read() reads an object: those of reader.c, groups.c,
 * series_schema.c and event_schema.c. A function that returns int returns -1 after refuse(), else
 * 0, unless its comment says otherwise.
 */
#ifndef ESTAT_PMDA_SCHEMA_READER_H
#define ESTAT_PMDA_SCHEMA_READER_H

#include "btf.h"
#include "schema.h"

struct bpf_map;

struct reader {
	const struct btf *btf; /* the schema's BTF, see struct schema */
	/* the number in `btf` of each type, by its number in the object's BTF; 0: no copy */
	const uint32_t *numbers;
	const struct bpf_object *object;
	const char *series; /* the name of the series that is being read; NULL: none */
	/*
	 * members of values read so far; a struct's members count each time that the struct is used
	 */
	unsigned int nmembers;
	/* the series and group of each group number; .series NULL: no group has the number */
	struct owner {
		const char *series, *group;
	} owners[SCHEMA_MAX_GROUPS];
	bool has_last; /* the module has the ring RING_LAST */
	char *error;
	size_t size;
};

/* Write to r->error why the object is refused. Returns -1. */
__attribute__((format(printf, 2, 3))) int refuse(struct reader *r, const char *format, ...);

/* The type that an id stands for, without typedefs and qualifiers. */
const struct btf_type *resolve(const struct reader *r, uint32_t id);

/* The type of a map's values; void: the map's declaration does not say it. */
const struct btf_type *map_value(const struct reader *r, const struct bpf_map *map);

/* The name of a typedef; "": the type is no typedef. */
const char *typedef_name(const struct reader *r, const struct btf_type *t);

/* The declaration tags on a type, a variable or a member. */
struct tags {
	const char *help;   /* the help text; "": no tag has a help text */
	const char *number; /* the text of ESTAT_NUMBER; NULL: no tag is of ESTAT_NUMBER */
};

/*
 * read_tags(): the tags on member `index` of the type `id`; index -1: those on the type or variable
 * `id` itself. variable_tags(): those on the variable `name`.
 */
struct tags read_tags(const struct reader *r, uint32_t id, int index);
struct tags variable_tags(const struct reader *r, const char *name);

/*
 * The number of ESTAT_NUMBER in `tags`; -1: there is no ESTAT_NUMBER, or its text is not one
 * decimal number, but for example "1 + 2".
 */
long number_of(const struct tags *tags);

/*
 * Read into *number the number, from `low` to `high`, in the tags of the member `name`. For error
 * messages, `owner` says what the member belongs to: "value" or "event".
 */
int read_number(struct reader *r, const struct tags *tags, const char *owner, const char *name,
		unsigned int low, unsigned int high, unsigned int *number);

/* Read member `i` of a struct as an axis. `owner` says what the struct is: "key" or "event". */
int read_axis(struct reader *r, const struct btf_type *key, unsigned int i, const char *owner,
	      struct axis *axis);

/* The index of a name in an array of names; -1: none. */
#define FIND_NAME(names, name) find_name(names, sizeof(names) / sizeof((names)[0]), name)
int find_name(const char *const names[], unsigned int n, const char *name);

/*
 * Refuse a name of a field, group or series that begins with _ or is reserved for metrics that the
 * agent itself adds.
 */
int check_name(struct reader *r, const char *name);

/* Read the fields and groups of a series from the struct `id`, its value. */
int read_groups(struct reader *r, struct series_schema *s, uint32_t id);

/* Read the tables, views, layers and layouts of an object. Rings must have been read before. */
int read_series(struct reader *r, struct schema *schema);

/*
 * The text of ESTAT_LAYOUT for `name`: how `estat` lays out rows of the series `name` or, if `name`
 * is "events", prints event records. "": not declared.
 */
const char *layout_of(const struct reader *r, const char *name);

int read_rings(struct reader *r, struct schema *schema);

#endif /* ESTAT_PMDA_SCHEMA_READER_H */
