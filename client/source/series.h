/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A series and its keys. */
#ifndef ESTAT_CLIENT_SOURCE_SERIES_H
#define ESTAT_CLIENT_SOURCE_SERIES_H

#include <pcp/pmapi.h>

#include "layout.h"
#include "values.h"

struct devices;

struct axis {
	char *name, *value;
};

struct key {
	char *name; /* such as domain0::write::asyncw */
	unsigned int naxes;
	struct axis axes[MAX_AXES];
	char *device; /* the label device_name: another name of the key's disk; or NULL */
	/* label `includes`: whose I/O the key's cgroup is charged with, too: "ZFS", …; or NULL */
	char *includes;
	char *told; /* what is known of the key's oldest operation under way, see told.h; or NULL */
	/* number of the last moment at which the key came back with its counters reset; 0: none */
	uint64_t reset;
	bool of_target; /* does the key belong to the target? Set by target_relation() */
	/* set by once_find(): totals leave out the key, and keys of other disks count instead */
	bool twice;
	struct values values;
};

/* The value of a key's axis, or NULL. */
const char *key_axis(const struct key *key, const char *axis);

/* Is the value worth printing? False for "under_way" on any axis, and for "none" on axis "how". */
bool axis_says(const struct axis *axis);

/*
 * The key's values as a text such as "sda, read", without the value on the axis `but` (NULL: none)
 * and without values for which axis_says() is false. The caller frees the text.
 */
char *key_text(const struct key *key, const char *but);

/*
 * Set key->axes by those labels whose values, joined by "::", make up the whole key->name; if no
 * labels do, by key->name and the layout. Set ->device and ->includes by labels.
 */
void find_axes(struct key *key, const struct layout *layout, const pmLabelSet *labels);

/* The metrics whose names begin with `prefix.`, and the keys of the metrics' instances. */
struct series {
	char *prefix;
	struct layout layout;
	bool by_size;       /* whether values.by_size of the keys is allocated */
	unsigned int has;   /* fields, one bit each, that have a metric */
	unsigned int lacks; /* fields, one bit each, that a moment of the interval lacked */
	/*
	 * true for the series of source_add_missed() and source_add_total(): a record of only
	 * auxiliary series begins no moment
	 */
	bool auxiliary;
	uint64_t seen; /* number of the last moment that had the series */
	/*
	 * source.clock of moment `seen`; NAN: the next values are not compared with those of `seen`
	 */
	double since;
	bool continues; /* this moment's values can be compared with the series' last values */
	double seconds; /* seconds since source_clear() for which the series was measured */
	/* of a main series: `seconds` differs from source.measured, see TOLERANCE in steps.c */
	bool partly;
	unsigned int nkeys;
	struct key **keys;
	void *by_name;         /* `keys` as a tree of tsearch(3) */
	struct series *total;  /* a series with the histograms over all keys; NULL: not read */
	struct devices *graph; /* source.graph if source_require() found the axis disk; else NULL */
};

/* Does the series have a metric of the field? */
static inline bool has(const struct series *series, enum field field)
{
	return series->has & 1U << field;
}

/* The fields, one bit each, whose values are unknown for the interval or a part of it. */
static inline unsigned int series_lacks(const struct series *series)
{
	return series->partly ? ~0U : ~series->has | series->lacks;
}

#endif /* ESTAT_CLIENT_SOURCE_SERIES_H */
