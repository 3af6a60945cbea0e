/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A source is a pmcd or an archive. An interval's values are differences of the source's counters.
 *
 * A moment is one set of values: a fetch from a pmcd, or the records of an archive that pmlogger
 * wrote at one time. A step leads from one moment to the next. An interval has one step or several;
 * time whose counters cannot be compared is left out of the interval.
 */
#ifndef ESTAT_CLIENT_SOURCE_SOURCE_H
#define ESTAT_CLIENT_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <pcp/pmapi.h>

#include "abi.h"
#include "base/util.h"
#include "layout.h"

#define MAX_COUNTERS 8

/* A metric of a series. */
enum field {
	FIELD_OPS,
	FIELD_ERRORS,
	FIELD_BYTES,
	FIELD_SUM,
	FIELD_SUMSQ,
	FIELD_LATENCY,
	FIELD_SIZE,
	FIELD_BY_SIZE,
	FIELD_FINE,
	FIELD_MAX,
	FIELD_COUNTER, /* the first of MAX_COUNTERS counters of source_add()'s list */
	FIELD_AGENT = FIELD_COUNTER + MAX_COUNTERS,
	FIELD_MODULE,
};

/* The values of a key, or of several keys, in an interval. */
struct values {
	uint64_t ops, errors, bytes, sum_ns;
	double sumsq; /* microseconds squared */
	uint64_t latency[ESTAT_LATENCY_BUCKETS];
	uint64_t fine[ESTAT_FINE_BUCKETS]; /* fine histogram of latency, if the source has one */
	uint64_t size[ESTAT_SIZE_BUCKETS];
	uint64_t (*by_size)[ESTAT_LATENCY_BUCKETS]; /* counts by size and latency; NULL: not read */
	double max;         /* highest latency in microseconds; 0: not known */
	unsigned int lacks; /* fields, one bit each, unknown for the interval or a part of it */
	uint64_t counters[MAX_COUNTERS]; /* the counters of source_add()'s list, in its order */
};

void values_add(struct values *into, const struct values *from);

/* Is the value of this field unknown for the interval or a part of it? */
bool lacks(const struct values *v, enum field field);

struct axis {
	char *name, *value;
};

struct key {
	char *name; /* such as domain0::write::asyncw */
	unsigned int naxes;
	struct axis axes[MAX_AXES];
	char *device; /* the label device_name, another name of the key's disk; or NULL */
	struct values values;
};

/* The value of a key's axis, or NULL. */
const char *key_axis(const struct key *key, const char *axis);

/* Set key->axes by an instance's labels, or without labels by the key's name. Sets key->device. */
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
	void *by_name;        /* `keys` as a tree of tsearch(3) */
	struct series *total; /* a series with histograms over all keys; NULL: not read */
};

/* Does the series have a metric of the field? */
bool has(const struct series *series, enum field field);

/* The fields of a series, one bit each, that are unknown for the interval or a part of it. */
unsigned int series_lacks(const struct series *series);

/* The metrics to read of a series, as a set of bits. */
enum reads {
	READ_BASIC = 1, /* ops, errors, bytes, latency_sum, latency_sumsq */
	READ_LATENCY = 2,
	READ_SIZE = 4,
	READ_BY_SIZE = 8,
	READ_FINE = 16,
	READ_MAX = 32,
};

struct source {
	int context;
	bool archive;
	const char *where;    /* the name of the host or of the archive, as the user gave it */
	char host[256];       /* the name of the host that was measured */
	double start, finish; /* dates at which the time window begins and ends */
	int debug;

	unsigned int nseries;
	struct series **series;
	unsigned int nmetrics;
	struct metric *metrics;
	pmID *pmids;
	unsigned int ndomains;
	struct domain **domains;
	unsigned int nrefs;
	struct value_ref *refs;
	pmAtomValue *now, *old;

	unsigned int nahead;
	pmResult **ahead; /* records of an archive that were read ahead for the next moment */
	bool ended;       /* the archive or its time window has no further records */
	bool valid;       /* the last moment can be compared with the next one */
	uint64_t moment;  /* the number of the last moment, from 1 */
	bool reset;   /* agent or module started since the last moment: its counters began at 0 */
	double time;  /* date of the last moment, by the clock of the measured host */
	double clock; /* clock_time() of the last moment; for an archive its date */
	double steps[2]; /* duration of the last two steps in seconds; [0] is the last one */
	double began;    /* date of the begin of the interval */
	double measured; /* measured seconds since source_clear() */
	double due;      /* clock_time() of the end of the interval */
	uint64_t agent;  /* when the agent started, estat.agent.start; 0: not known */
	unsigned int nmodules;
	struct {
		char *name;     /* a module of which a series is read */
		uint64_t start; /* estat.module.start: begin of the module's counters; 0: unknown */
	} * modules;
	char why[256];    /* the last reason for which time was left out */
	char damage[512]; /* why the archive cannot be read to its end; or empty */
};

/* The result of source_step(). */
enum outcome {
	INTERVAL_OK,
	INTERVAL_LEFT_OUT, /* nothing was measured; a note has the reason */
	INTERVAL_END,      /* the source has no further interval */
};

struct interval {
	double begin, end;
	double seconds;  /* measured time */
	double left_out; /* time that was not measured */
};

/* Connect to the host or open the archive of `opts`, and set the time window. Exits on failure. */
void source_open(struct source *s, pmOptions *opts);

/* Find the PMID of the metric prefix.name, or of `prefix` if `name` is "". */
bool find_pmid(const char *prefix, const char *name, pmID *pmid);

/*
 * Read a metric's values by instance, as texts: a pmcd's current values, or the last values in an
 * archive's time window. Returns the number of texts. The caller frees *texts with texts_free().
 */
struct text {
	char *instance, *value;
};
unsigned int source_texts(struct source *s, const char *metric, struct text **texts);

void texts_free(struct text *texts, unsigned int n);

/* The value of this instance, or NULL. */
const char *text_of(const struct text *texts, unsigned int n, const char *instance);

/*
 * Read the metrics of a series from now on. `counters` are names of further counters below the
 * prefix; the list ends with NULL. Returns NULL if the source has none of these metrics. The source
 * owns the series.
 */
struct series *source_add(struct source *s, const char *prefix, enum reads reads,
			  const char *const *counters);

/*
 * Read estat.module.missed (counter 0) and estat.module.dropped (counter 1); the keys are modules.
 * Returns NULL if the source has neither. The series is auxiliary.
 */
struct series *source_add_missed(struct source *s);

/* Warn if `key` (a module, in the series of source_add_missed()) missed or dropped events. */
void note_missed(const struct key *key);

/* Call source_add(). Exits if the source has none of the metrics: pmcd can lose the agent. */
struct series *source_require(struct source *s, const char *prefix, enum reads reads,
			      const char *const *counters);

/*
 * If the keys of the series have no histograms, read the histograms over all keys as the auxiliary
 * series->total. By default pmlogger logs only histograms over all keys.
 */
void source_add_total(struct source *s, struct series *series);

/* The end of the time window of a pmcd, as a value of clock_time(). */
double source_end(const struct source *s);

/*
 * Wait, at most 10 seconds, until modules with `attach = demand` are attached: such a module counts
 * nothing until a client fetches its metrics. For a pmcd only.
 */
void source_await(struct source *s);

/* Fetch the first moment of the time window. Returns false if an archive has none. */
bool source_begin(struct source *s);

/* Exit: archive `where` has no values of `what` in the time window. */
__attribute__((noreturn)) void source_has_nothing(const char *where, const char *what);

/*
 * Fetch moments to the end of the interval, and add the differences to the values of all keys. An
 * interval of an archive ends at the first record that is `seconds` after the begin; EACH_RECORD:
 * at the next record; 0: at the end of the time window. source_clear() must precede the next
 * interval.
 */
#define EACH_RECORD (-1.0)

enum outcome source_step(struct source *s, double seconds, struct interval *interval);

/*
 * Warn, the first time, that the archive cannot be read after date `time` for this libpcp error.
 * The end of the archive is no error. The command still shows what it has read, and exits with
 * status 2.
 */
void source_read_failed(struct source *s, int error, double time);

/* Is `name` the module or one of its series? The module vfs owns vfs and vfs.process. */
bool owns(const char *module, const char *name);

/* The text of the module that owns `name` (of several, the longest module name); NULL: none. */
const struct text *find_owner(const struct text *texts, unsigned int n, const char *name);

/* The value of the text that find_owner() returns, or NULL. */
const char *owner_text(const struct text *texts, unsigned int n, const char *name);

/* Set the values of all keys to 0. */
void source_clear(struct source *s);

/*
 * A mark keeps where an interval of an archive ended. After source_return() the source yields the
 * same intervals again. The caller frees the mark with free().
 */
struct mark *source_mark(const struct source *s);
void source_return(struct source *s, const struct mark *mark);

/* What follows is for source.c and metrics.c only. */
/* An instance domain. The index of an instance in `insts` never changes. */
struct domain {
	pmInDom indom;
	unsigned int n;
	struct inst {
		int number;
		char *name;
	} * insts;
	unsigned int *order; /* indexes of `insts`, sorted by instance number */
	unsigned int next;   /* index in `order` after the last instance that was found */
	pmLabelSet *labels;  /* labels of all instances */
	int nlabels;
	unsigned int nlabelled; /* the number of instances when `labels` was read */
};

enum {
	NO_REF = -2,     /* values of this instance are not read */
	UNKNOWN_REF = -1 /* the instance was not yet looked up */
};

struct metric {
	pmDesc desc;
	enum field field;
	struct series *series;
	struct domain *domain;
	unsigned int nrefs;
	int *refs;       /* for each of domain->insts: index in source.refs, or see NO_REF */
	bool seen;       /* the current moment has the metric */
	bool ahead;      /* a record that may belong to the current moment has the metric */
	double time;     /* date of the last record that had the metric */
	bool has_values; /* the metric has values in the current moment */
	bool had_values; /* the metric had values in the last moment with the series */
};

/* A value reference: the key and the field that a value of a metric is added to. */
struct value_ref {
	enum field field;
	const struct series *series;
	struct key *key;
	uint64_t *counter; /* points into key->values; NULL: FIELD_SUMSQ, FIELD_MAX (double) */
	uint64_t taken;    /* number of the last moment that had the value */
};

/* The metric with this PMID, or NULL. */
struct metric *find_metric(const struct source *s, pmID pmid);

/* The index in s->refs of an instance's value reference; negative: its values are not read. */
int ref_of(struct source *s, struct metric *m, int number);

/* The member s->modules[].start for an instance number; NULL: no series of that module is read. */
uint64_t *module_start(struct source *s, struct metric *m, int number);

#endif /* ESTAT_CLIENT_SOURCE_SOURCE_H */
