/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was asked for on the command line.
 */
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

/* The word before a module: what is made of it. */
enum verb {
	VERB_NONE,
	VERB_DIFF,
	VERB_HEAT,
	VERB_HELP,
	VERB_TOP,
};

struct options {
	enum verb verb;
	const char *name; /* of the module, as typed: backend-io */
	char *module;     /* backend_io */
	const char
		*target; /* estat layers TARGET: a pool, a disk or a mount; NULL: all of the host */
	const char *windows[2]; /* estat diff MODULE A B */
	bool monitor, accumulate;
	int latency; /* -1: not said */
	bool size, by_size;
	bool summary, total;
	enum form form;
	bool percentiles; /* -P */
	bool explain;     /* -e */
	unsigned int nby; /* --by: axes by which rows are told apart */
	const char *by[MAX_BY];
	bool given[128];      /* options, by their letters */
	const char *argument; /* -a or -p */
	const char *sort;
	unsigned int nfilters;
	struct filter filters[MAX_FILTERS];
	double seconds; /* DURATION; 0: none */
	double collect; /* -c; 0: none */
	int samples;    /* 0: no limit */
	bool window;    /* when to begin is said */
	int debug;
	const char *svg, *html; /* files of a picture of heat; NULL: none */
};

/*
 * Read the command line, and PCP's options into *opts. Exits, with a message, if anything in it is
 * wrong.
 */
void read_options(struct options *o, pmOptions *opts, int argc, char **argv);

/* estat layers, or estat help layers? */
bool is_layers(const struct options *o);

/* Exit if one of these options was given, by their letters: the command does not take them. */
void refuse_options(const struct options *o, const char *letters, const char *why);

#endif /* ESTAT_CLIENT_BASE_OPTIONS_H */
