/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options and arguments of the command line. */
#ifndef ESTAT_CLIENT_BASE_OPTIONS_H
#define ESTAT_CLIENT_BASE_OPTIONS_H

#include <pcp/pmapi.h>
#include <stdbool.h>

#define MAX_FILTERS 16
#define MAX_BY      8

/* How an interval is printed. */
enum form {
	FORM_TABLES,
	FORM_LINES, /* -j */
	FORM_JSON,  /* --json */
};

struct filter {
	const char *axis, *glob;
};

/* The command before the module's name: estat heat MODULE. */
enum verb {
	VERB_NONE,
	VERB_DIFF,
	VERB_FLAME,
	VERB_HEAT,
	VERB_HELP,
	VERB_TOP,
};

struct options {
	enum verb verb;
	const char
		*name; /* the module as typed, such as backend-io; or layers, list, slow, stuck */
	char *module;  /* `name` with underscores: backend_io */
	const char
		*target; /* TARGET of `estat layers TARGET`, or MODULE of `estat slow`; NULL: all */
	const char *windows[2]; /* estat diff MODULE A B */
	bool monitor, accumulate;
	bool latency, size, by_size;
	bool summary, total;
	enum form form;
	bool percentiles; /* -P */
	bool explain;     /* -e */
	bool count;       /* --count */
	unsigned int nby; /* --by: the number of axes in `by`, by which rows are told apart, too */
	const char *by[MAX_BY];
	bool given[128];      /* indexed by an option's letter: the option is given */
	const char *argument; /* the argument of -a or -p */
	const char *sort;
	unsigned int nfilters;
	struct filter filters[MAX_FILTERS];
	double seconds;      /* length of an interval in seconds; 0: not given */
	unsigned long every; /* --every */
	double longer;       /* --longer, in seconds */
	double threshold;    /* --threshold, in seconds */
	double collect;      /* -c: length of the only interval in seconds; 0: not given */
	int samples;         /* --samples: most intervals, or most event records; 0: no limit */
	bool window;         /* --start, --origin or --align is given */
	int debug;
	const char *svg, *html; /* --svg, --html: names of files; NULL: not given */
};

/* Read the command line, and PCP's options into *opts. Exits with a message on an error. */
void read_options(struct options *o, pmOptions *opts, int argc, char **argv);

/* Is the command `estat layers` or `estat help layers`? */
bool is_layers(const struct options *o);

/*
 * Exit with the reason `why` if an option in `letters` is given. Letters are keys of the table of
 * options in options.c; D stands for the argument DURATION, N for --samples, I for --interval.
 */
void refuse_options(const struct options *o, const char *letters, const char *why);

#endif /* ESTAT_CLIENT_BASE_OPTIONS_H */
