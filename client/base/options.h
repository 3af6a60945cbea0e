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

/* The word before the module's name, such as heat in `estat heat MODULE`. */
enum verb {
	VERB_NONE,
	VERB_DIFF,
	VERB_FLAME,
	VERB_HEAT,
	VERB_HELP,
	VERB_TOP,
	VERBS,
};

struct options {
	enum verb verb;
	/* the module as typed, such as backend-io; or layers, list, slow, stuck, trace */
	const char *name;
	char *module; /* `name` with underscores: backend_io */
	const char
		*target; /* TARGET of `estat layers`, or MODULE of `estat slow`; NULL: not given */
	const char *windows[2]; /* A and B of `estat diff MODULE A B` */
	bool monitor, accumulate;
	bool latency, size, by_size;
	bool summary, total;
	enum form form;
	bool percentiles;       /* -P */
	bool explain;           /* -e */
	bool count;             /* --count */
	unsigned int nby;       /* number of axes in `by` */
	const char *by[MAX_BY]; /* --by: axes that tell rows apart beside those of the layout */
	bool given[128];        /* indexed by an option's letter: the option is given */
	const char *argument;   /* of the last -a or -p: a pool or, of -a, lun */
	const char *sort;
	unsigned int nfilters;
	struct filter filters[MAX_FILTERS];
	double seconds;      /* length of an interval in seconds; 0: not given */
	unsigned long every; /* --every */
	double longer;       /* --longer, in seconds */
	double threshold;    /* --threshold, in seconds */
	double collect;      /* -c: length of the only interval in seconds; 0: not given */
	/* --samples: maximum number of intervals or, for event records, of records; 0: no limit */
	int samples;
	bool window; /* --start, --origin or --align is given */
	int debug;
	const char *server;     /* --server: the archive of an NFS server's host; NULL: not given */
	const char *svg, *html; /* --svg, --html: names of files; NULL: not given */
};

#define OPTIONS    45
#define PCP_OPTION 256 /* getopt_long(3) returns PCP_OPTION + the index of an option of PCP */

extern const struct known_option {
	/*
	 * the letter by which the code knows the option; the user can type that letter if
	 * option_is_short(); 0: a PCP option that has no letter
	 */
	char key;
	char off; /* letter that switches the flag off; of 'h': '?', the same option; 0: none */
	unsigned short flag;  /* offset in struct options of the bool to set; 0: none */
	unsigned short text;  /* offset in struct options of the member for the argument; 0: none */
	const char *name;     /* long form; NULL: none */
	const char *argument; /* the argument's name; NULL: the option has no argument */
	const char *help;     /* usage text; NULL: the usage does not list the option */
	const char *variable; /* the environment variable that the option sets; NULL: none */
} known_options[OPTIONS];

/* Is an option's `key` its short form, such as -m? Other keys only stand for a long option. */
bool option_is_short(char key);

/*
 * The name of an option or of the argument DURATION ('D'), for messages. Valid until the next call.
 */
const char *option_name(char key);

/* Print the usage of the command. */
void print_usage(void);

/* Print a message, and how to get the usage, to the standard error, and exit. */
__attribute__((noreturn, format(printf, 1, 2))) void usage_error(const char *format, ...);

#define COMMAND_WORDS (VERBS + 5)

/*
 * The words that are commands. The first VERBS words stand before a module's name; enum verb has
 * their indexes. The other words are typed in place of a module's name.
 */
extern const struct command_word {
	const char *word; /* of VERB_NONE: "" */
	/*
	 * the option with which estat shows the table of the module named `word`; NULL: no module
	 * is named `word`
	 */
	const char *table_option;
} command_words[COMMAND_WORDS];

/* The command `word`; NULL: there is none. */
const struct command_word *find_command(const char *word);

/* Is the command `estat layers` or `estat help layers`? */
bool is_layers(const struct options *o);

/*
 * Exit with the reason `why` if an option in `letters` is given. A letter is the `key` or `off` of
 * one of known_options[], such as I for --interval and N for --samples, or D for DURATION.
 */
void refuse_options(const struct options *o, const char *letters, const char *why);

#endif /* ESTAT_CLIENT_BASE_OPTIONS_H */
