/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the numbers come from: the metrics of a pmcd or an archive, as what they
 * grew by between two moments. Only raw counters are read, so that both are alike.
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

/* What a metric is of a series. */
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
	FIELD_COUNTER, /* and those after it */
	FIELD_AGENT = FIELD_COUNTER + MAX_COUNTERS,
	FIELD_MODULE,
};

/* What an interval has of a key, or of several. */
struct values {
	uint64_t ops, errors, bytes, sum_ns;
	double sumsq; /* microseconds squared */
	uint64_t latency[ESTAT_LATENCY_BUCKETS];
	uint64_t fine[ESTAT_FINE_BUCKETS]; /* the same, where the source has them */
	uint64_t size[ESTAT_SIZE_BUCKETS];
	uint64_t (*by_size)[ESTAT_LATENCY_BUCKETS]; /* a row each size bucket; NULL: not read */
	double max;         /* the highest latency, microseconds; 0 if it is not known */
	unsigned int lacks; /* fields, a bit each, that are not known of all the time */
	uint64_t counters[MAX_COUNTERS]; /* further ones, in the order that was asked for */
};

void values_add(struct values *into, const struct values *from);

/* Is the field not known? */
bool lacks(const struct values *v, enum field field);

struct axis {
	char *name, *value;
};

struct key {
	char *name; /* domain0::write::asyncw */
	unsigned int naxes;
	struct axis axes[MAX_AXES];
	char *device; /* what the label device_name says besides; or NULL */
	struct values values;
};

/* The value of a key's axis, or NULL. */
const char *key_axis(const struct key *key, const char *axis);

/* Find them in the labels of an instance, which may be NULL, or by what is said of its series. */
void find_axes(struct key *key, const struct layout *layout, const pmLabelSet *labels);

/* Metrics with a common name, which begin `prefix.`, and keys. */
struct series {
	char *prefix;
	struct layout layout;
	bool by_size;       /* keys have room for latency by size */
	unsigned int has;   /* fields, a bit each, of which there is a metric */
	unsigned int lacks; /* those that were not there all of the time since source_clear */
	bool auxiliary;     /* it is not shown itself, and makes no moment of an archive */
	uint64_t seen;      /* the number of the moment that had it last */
	double since;       /* that moment's time; NAN: what comes next does not continue it */
	bool continues;     /* in this step */
	double seconds;     /* that were measured of it since source_clear */
	bool partly;        /* these are not all that were measured */
	unsigned int nkeys;
	struct key **keys;
	void *by_name;        /* the same, a tree of tsearch(3) */
	struct series *total; /* histograms over all keys, where there is none of each; or NULL */
};

/* Is there a metric of the field? */
bool has(const struct series *series, enum field field);

/* The fields, a bit each, that are not known of all of the interval. */
unsigned int series_lacks(const struct series *series);

/* What is to be read of a series. */
enum reads {
	READ_BASIC = 1, /* ops, errors, bytes and sums */
	READ_LATENCY = 2,
	READ_SIZE = 4,
	READ_BY_SIZE = 8,
	READ_FINE = 16,
	READ_MAX = 32,
};

struct source {
	int context;
	bool archive;
	const char *where;    /* host name or archive */
	char host[256];       /* whose metrics */
	double start, finish; /* the time window, which is not over for a pmcd */
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
	pmResult **ahead; /* an archive's records that are of the next moment */
	bool ended;       /* the archive, or its window */
	bool valid;       /* there is a moment before */
	uint64_t moment;  /* the number of this one */
	bool reset;       /* since this moment another agent, or module, counts from 0 */
	double time;      /* of the last moment, by its host's date */
	double clock;     /* the same by clock_time(); an archive has only dates */
	double steps[2];  /* between the last moments and those before, by clock */
	double began;     /* where the interval began, a date */
	double measured;  /* seconds since source_clear */
	double due;       /* when it ends, by clock_time() */
	uint64_t agent;   /* when the agent started */
	unsigned int nmodules;
	struct {
		char *name;     /* of one whose series are read */
		uint64_t start; /* when its counters began */
	} * modules;
	char why[256];    /* the interval is to be left out */
	char damage[512]; /* why an archive cannot be read to its end; or empty */
};

/* What became of an interval. */
enum outcome {
	INTERVAL_OK,
	INTERVAL_LEFT_OUT, /* a note says why */
	INTERVAL_END,      /* there is none any more */
};

struct interval {
	double begin, end;
	double seconds;  /* that were measured */
	double left_out; /* those that were not */
};

/* Connect, and find the time window. Exits if that cannot be. */
void source_open(struct source *s, pmOptions *opts);

/* The values of a metric of texts by instance; at its end, of an archive. */
struct text {
	char *instance, *value;
};
unsigned int source_texts(struct source *s, const char *metric, struct text **texts);

void texts_free(struct text *texts, unsigned int n);

/* The value of an instance, or NULL. */
const char *text_of(const struct text *texts, unsigned int n, const char *instance);

/*
 * Read a series, too. Returns it, or NULL if it has none of these metrics. Further
 * counters are a list that NULL ends, names below the prefix.
 */
struct series *source_add(struct source *s, const char *prefix, enum reads reads,
			  const char *const *counters);

/* The same of what modules lost: counters 0, missed, and 1, dropped. It is read aside. */
struct series *source_add_lost(struct source *s);

/* As source_add(), of a series that was there a moment ago. Exits if it has gone, as pmcd can. */
struct series *source_require(struct source *s, const char *prefix, enum reads reads,
			      const char *const *counters);

/*
 * Read the histograms over all keys of a series, too, aside, if it has none of each key: as what is
 * recorded by default.
 */
void source_add_total(struct source *s, struct series *series);

/* When the window of a pmcd is over, by clock_time(). */
double source_end(const struct source *s);

/*
 * Of a pmcd: wait until what is attached on demand is, for it counts nothing before it is asked
 * for, nor at once.
 */
void source_await(struct source *s);

/* Take the first moment, and await that before. False if there is none. */
bool source_begin(struct source *s);

/* Exit as there is none: an archive, as it is called, has nothing of this. Of when it is is said.
 */
__attribute__((noreturn)) void source_has_nothing(const char *where, const char *what);

/*
 * Go on to the end of the interval, and add to all keys' values what it has. An
 * archive's ends at the first record `seconds` after its begin, with EACH_RECORD at the
 * next one, and without seconds it is that of all good ones to the end.
 */
#define EACH_RECORD (-1.0)

enum outcome source_step(struct source *s, double seconds, struct interval *interval);

/*
 * An archive cannot be read on from this time, for that error. Unless it is its end that is said,
 * once. What was read is shown, and the exit status tells that it is not all.
 */
void source_read_failed(struct source *s, int error, double time);

/* The text of the module that owns `name`, see find_owner(); or NULL. */
const char *owner_text(const struct text *texts, unsigned int n, const char *name);

/* The owner of `name`: the module with this name, or with the longest beginning of it; or NULL. */
const struct text *find_owner(const struct text *texts, unsigned int n, const char *name);

/* All keys' values are 0 again. */
void source_clear(struct source *s);

/*
 * Where an interval of an archive ended, to which it can be returned: what comes then is what came
 * then. To be freed.
 */
struct mark *source_mark(const struct source *s);
void source_return(struct source *s, const struct mark *mark);

/* For source.c and metrics.c alone: metrics, and where their values go. */

/* An instance domain. Instances keep their index in `insts`; `order` is by number. */
struct domain {
	pmInDom indom;
	unsigned int n;
	struct inst {
		int number;
		char *name;
	} * insts;
	unsigned int *order;
	unsigned int next;  /* in that order, after the one that was looked for last */
	pmLabelSet *labels; /* of instances */
	int nlabels;
	unsigned int nlabelled; /* how many instances there were then */
};

struct metric {
	pmDesc desc;
	enum field field;
	struct series *series;
	struct domain *domain;
	unsigned int nrefs;
	int *refs;   /* by entry of `insts`: a number in the source's refs; -1: none yet, -2: none
			ever */
	bool seen;   /* in this moment */
	bool ahead;  /* in a record that may be of this moment */
	double time; /* of the last record that had it */
	bool has_values, had_values; /* in this moment; in the one before that had the series */
};

/* A value reference: the key and the field that a value of a metric is added to. */
struct value_ref {
	enum field field;
	const struct series *series;
	struct key *key;
	unsigned int cell; /* a histogram's: its bucket, or size bucket x 65 + that of latency */
	uint64_t taken;    /* the number of the moment that had a value last */
};

/* The metric with this number, or NULL. */
struct metric *find_metric(const struct source *s, pmID pmid);

/* The number in s->refs of an instance's value reference; < 0: its values are not read. */
int ref_of(struct source *s, struct metric *m, int number);

/* Of that instance of a metric of modules: where its start is kept; NULL if it is not read. */
uint64_t *module_start(struct source *s, struct metric *m, int number);

#endif /* ESTAT_CLIENT_SOURCE_SOURCE_H */
