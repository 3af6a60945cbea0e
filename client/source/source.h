/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A source is a pmcd or an archive. The command computes an interval's counts as differences of the
 * source's counters.
 *
 * A moment is one set of values: a fetch from a pmcd, or records of an archive whose times are
 * near to one another. An interval begins at a moment, and ends at the next or a later one; the
 * time between two moments whose counters cannot be compared is left out of the interval. The
 * functions are in axes.c, context.c, metrics.c, moment.c and steps.c.
 */
#ifndef ESTAT_CLIENT_SOURCE_SOURCE_H
#define ESTAT_CLIENT_SOURCE_SOURCE_H

#include "base/message.h"
#include "base/times.h"
#include "series.h"

/* The metrics to read of a series, as a set of bits. */
enum reads {
	READ_BASIC = 1, /* ops, errors, bytes, latency_sum, latency_sumsq */
	READ_LATENCY = 2,
	READ_SIZE = 4,
	READ_BY_SIZE = 8,
	READ_FINE = 16,
	READ_MAX = 32,
	READ_UNDER_WAY = 64, /* inflight, oldest */
	READ_TOLD = 128,     /* oldest_op */
};

struct source {
	int context;
	bool archive;
	const char *where;    /* host or archive, as the user gave it; without a host "local:" */
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
	pmResult **ahead; /* records of an archive that were read, but are of no moment yet */
	bool ended;       /* no record of the time window comes after those in `ahead` */
	/* source_await() waited for a module to attach, so keys that filters name may still come */
	bool awaited;
	bool valid;      /* the moment fetched last can be compared with the next one */
	uint64_t moment; /* the number of the moment fetched last, from 1 */
	bool reset;  /* the moment fetched last is the first after a restart: counters began at 0 */
	double time; /* date of the moment that was read last, by the clock of the measured host */
	double clock; /* clock_time() at the moment read last; of an archive, the moment's date */
	/*
	 * seconds from one moment to the next: [0] at the last call of has_gap(), [1] at the call
	 * before
	 */
	double steps[2];
	double began;    /* date at which the interval begins */
	double measured; /* seconds that were measured since source_clear() */
	double due;      /* clock_time() at which the interval is to end */
	uint64_t agent;  /* value of estat.agent.start, when the agent started; 0: not known */
	unsigned int nmodules;
	struct {
		char *name; /* the name of a module that owns, or may own, a series that is read */
		/* the module's estat.module.start, when its counters began; 0: unknown */
		uint64_t start;
	} * modules;
	struct devices *graph; /* NULL: not read */
	char why[256];         /* the last reason for which time was left out */
	char damage[512];      /* why the archive cannot be read to its end; or empty */
};

/* The name of the source in messages: the archive, or the host that was measured. */
const char *source_name(const struct source *s);

/* The result of source_step(). */
enum outcome {
	INTERVAL_OK,
	INTERVAL_LEFT_OUT, /* nothing was measured; a note has the reason, if it is known */
	/*
	 * the source has no further interval; or, of an archive, a signal came before any time of
	 * the interval was measured
	 */
	INTERVAL_END,
};

struct interval {
	double begin, end;
	double seconds;  /* measured time, in seconds */
	double left_out; /* seconds that were not measured */
};

/*
 * Connect to the host or open the archive of `opts`, and set the time window. Exits on failure.
 * `advice`: what to do if no pmcd answers.
 */
void source_open(struct source *s, pmOptions *opts, const char *advice);

/*
 * Call pmFetch(), and reconnect to a pmcd that does not answer. If the call still waits 3 s after
 * Ctrl-C, the process ends. Returns the status of pmFetch().
 */
int source_fetch(struct source *s, unsigned int n, pmID *pmids, pmResult **r);

/* Find the PMID of the metric prefix.name, or of `prefix` if `name` is "". */
bool find_pmid(const char *prefix, const char *name, pmID *pmid);

/* Set series->layout; `indom` is the domain of one of its metrics. */
void find_layout(struct source *s, struct series *series, pmInDom indom);

/*
 * Read the metrics `reads` of a series from now on. `counters` (NULL: none) are names of further
 * counters below the prefix; the list ends with NULL. Returns NULL if the source has none of these
 * metrics. The source owns the series.
 */
struct series *source_add(struct source *s, const char *prefix, enum reads reads,
			  const char *const *counters);

/*
 * The series with this prefix that the source reads already, whatever `reads` is; if there is none,
 * the result of source_add(). A source reads a metric for one series only.
 */
struct series *source_share(struct source *s, const char *prefix, enum reads reads);

/*
 * Read estat.module.missed (counter 0), .dropped (1) and .walk_truncated (2); the keys are modules.
 * Returns NULL if the source has none of them. The series is auxiliary (struct series).
 */
struct series *source_add_missed(struct source *s);

/*
 * Warn of events missed and operations dropped by modules that are read. `modules`: the series of
 * source_add_missed(), or NULL.
 */
void note_missed(const struct source *s, const struct series *modules);

/*
 * Warn of modules that are read, if a walk (a look at all operations under way) left out some of
 * these operations: an operation that was left out may hang. `modules`: as for note_missed().
 */
void note_walks(const struct source *s, const struct series *modules);

/*
 * Call source_add(), and exit if the source no longer has any of the metrics, as when pmcd has lost
 * the agent. Sets series->graph if the series has the axis disk.
 */
struct series *source_require(struct source *s, const char *prefix, enum reads reads,
			      const char *const *counters);

/*
 * Read s->graph again if the host has another graph of devices now. Does nothing if s->graph was
 * not read before, or if the source is an archive.
 */
void source_renew_graph(struct source *s);

/*
 * If the keys of the series have no histograms, read the histograms over all keys as the auxiliary
 * series->total. By default pmlogger logs only histograms over all keys.
 */
void source_add_total(struct source *s, struct series *series);

/* The value of clock_time() at the end of a pmcd's time window. */
double source_end(const struct source *s);

/*
 * To be called if the source is a pmcd: wait, at most 10 seconds, until the modules that are read
 * are attached. A module with `attach = demand` counts nothing until a client fetches its metrics.
 */
void source_await(struct source *s);

/*
 * Fetch the first moment of the time window. Returns false if there is no interval: an archive's
 * time window has no moment, or no records after the first moment.
 */
bool source_begin(struct source *s);

/* Exit: archive `where` has no values of `what` in the time window. */
__attribute__((noreturn)) void source_has_nothing(const char *where, const char *what);

/*
 * Fetch moments to the end of the interval, and add the differences to the values of all keys. An
 * interval of an archive ends at the first moment that comes at least `seconds`, less a tolerance
 * (EARLY in steps.c), after the begin (EACH_RECORD: at the next moment; 0: at the end of the time
 * window). Call source_clear() between two intervals.
 */
#define EACH_RECORD (-1.0)

enum outcome source_step(struct source *s, double seconds, struct interval *interval);

/*
 * Warn, the first time, that the archive cannot be read after date `time`, because of libpcp's
 * error `error`; the end of the archive is no error. The command shows what it has read, and exits
 * with status 2.
 */
void source_read_failed(struct source *s, int error, double time);

/* Set the values of all keys, and the measured times, to 0. */
void source_clear(struct source *s);

/*
 * source_mark() keeps where an interval of an archive ended. After source_return() the source
 * yields the intervals after the mark once more. The caller frees the mark with free().
 */
struct mark *source_mark(const struct source *s);
void source_return(struct source *s, const struct mark *mark);

#endif /* ESTAT_CLIENT_SOURCE_SOURCE_H */
