/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads event records of a module, each record once, from a pmcd or an archive. */
#ifndef ESTAT_CLIENT_SOURCE_RECORDS_H
#define ESTAT_CLIENT_SOURCE_RECORDS_H

#include "base/options.h"
#include "source.h"

#define MAX_PARAMETERS 32
#define RECENT         16 /* how many earlier records a record is compared with */

struct parameter {
	char *name;
	pmID pmid;
	pmDesc desc;
};

struct record {
	double time;
	char *texts[MAX_PARAMETERS]; /* values by parameter; NULL: the record lacks the parameter */
	/*
	 * 0: this is an event record; else libpcp's note that this number of records was
	 * overwritten
	 */
	uint32_t lost;
};

struct records {
	struct source *s;
	const char *name; /* the module's name, for notes */
	unsigned int nparameters;
	struct parameter parameters[MAX_PARAMETERS];
	double begin, end; /* notes on lost or missing records are only about this time */
	double newest;     /* time of the newest record of all earlier fetches */

	/* Only records.c uses the members below; but other files, too, read `moment`. */
	pmID pmids[2]; /* estat.MODULE.events, and estat.agent.start if npmids is 2 */
	pmID missed;   /* event.missed, libpcp's count of overwritten records */
	int npmids;
	struct {
		char *text;
		double time;
	} recent[RECENT]; /* the records that were read last; a new one overwrites the oldest */
	unsigned int nrecent;
	bool no_answer; /* the user was told that pmcd or the agent does not answer */
	bool again;     /* reconnected to pmcd: the next fetch repeats all records in the agent */
	/*
	 * time of the last fetch in which pmids[0] had a value; if none had: of a pmcd, time of its
	 * first answer; else 0
	 */
	double moment;
	uint64_t began;  /* value of estat.agent.start; 0: not known */
	const char *gap; /* why records since `moment` may be missing; or NULL */
};

/*
 * Set r->s, the metrics to fetch, and the parameters of the module's event records. Exits if the
 * source has no parameters of the module.
 */
void records_find(struct records *r, struct source *s, const char *module);

/*
 * Fetch once, and call take() (NULL: call nothing) for each new record, until take() returns false.
 * Returns 0, or PCP's error if the fetch failed.
 */
int records_fetch(struct records *r, bool (*take)(void *context, const struct record *record),
		  void *context);

/*
 * Call fetch() at once, then each second, and a last time after `seconds` or a signal. The last
 * call reads the records that came after the call before.
 */
void records_follow(double seconds, void (*fetch)(void *context), void *context);

/* The text of a record's parameter, or "". */
const char *record_text(const struct records *r, const struct record *record, const char *name);

/*
 * Does the record match, for each parameter that has filters, at least one of these filters? The
 * axis of a filter is the name of a parameter.
 */
bool record_matches(const struct records *r, const struct record *record, const struct options *o);

/* Exit if a filter has an axis that no records of the n modules have. n may be 0: do not exit. */
void records_check_filters(const struct options *o, const struct records *const *all,
			   unsigned int n);

/*
 * A text with a line for each parameter or, if `strings`, only for those of type string: the
 * record's value, or nothing. The caller frees the text.
 */
char *record_texts(const struct records *r, const struct record *record, bool strings);

#endif /* ESTAT_CLIENT_SOURCE_RECORDS_H */
