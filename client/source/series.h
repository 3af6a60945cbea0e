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
	char *device;   /* the label device_name, another name of the key's disk; or NULL */
	char *includes; /* the label includes, what else the key's cgroup is charged with; or NULL
			 */
	uint64_t anew;  /* number of the last moment before which the key began anew at 0 */
	bool of_target; /* set by target_relation(), of `estat layers` */
	bool twice;     /* set by once_find(): keys of other disks have its operations, too */
	struct values values;
};

/* The value of a key's axis, or NULL. */
const char *key_axis(const struct key *key, const char *axis);

/* Does a value tell its key from others? "under_way" does not, nor does "none" on the axis how. */
bool axis_says(const struct axis *axis);

/*
 * The key's values as a text "sda, read", less the value on the axis `but` (NULL: all) and less
 * values for which axis_says() is false. The caller frees the text.
 */
char *key_text(const struct key *key, const char *but);

/* Set key->axes by an instance's labels, or without labels by the key's name. Sets ->device,
 * ->includes. */
void find_axes(struct key *key, const struct layout *layout, const pmLabelSet *labels);

/* The metrics whose names begin with `prefix.`, and the keys for which they have values. */
struct series {
	char *prefix;
	struct layout layout;
	bool by_size;       /* whether values.by_size of the keys is allocated */
	unsigned int has;   /* fields, one bit each, that have a metric */
	unsigned int lacks; /* fields, a bit each, that a moment since source_clear() lacked */
	bool auxiliary; /* missed events or a total: records of only such series begin no moment */
	uint64_t seen;  /* number of the last moment that had the series */
	double since;   /* source.clock of moment `seen`; NAN: its values cannot be compared */
	bool continues; /* this moment's values can be compared with the series' last values */
	double seconds; /* measured seconds of the series since source_clear() */
	bool partly;    /* the series was measured for only a part of source.measured */
	unsigned int nkeys;
	struct key **keys;
	void *by_name;         /* `keys` as a tree of tsearch(3) */
	struct series *total;  /* a series with histograms over all keys; NULL: not read */
	struct devices *graph; /* of the source, if keys are of disks; else NULL */
};

/* Does the series have a metric of the field? */
static inline bool has(const struct series *series, enum field field)
{
	return series->has & 1U << field;
}

/* The fields of a series, one bit each, that are unknown for the interval or a part of it. */
static inline unsigned int series_lacks(const struct series *series)
{
	return series->partly ? ~0U : ~series->has | series->lacks;
}

#endif /* ESTAT_CLIENT_SOURCE_SERIES_H */
