// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads the command line. */
#include <ctype.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/version.h"
#include "message.h"
#include "options.h"
#include "parse.h"
#include "pcptime.h"
#include "text.h"

/* The seconds of a text such as 500msec; NAN: the text is no interval of PCP. */
static double interval_of(const char *text)
{
	pcp_time interval;
	char *error;

	if (pmParseInterval(text, &interval, &error) >= 0)
		return seconds_of(interval);
	free(error);
	return NAN;
}

static double parse_duration(const char *text)
{
	double seconds = interval_of(text);

	if (isnan(seconds))
		usage_error("bad duration '%s': give seconds, or a time such as 500msec or 5min",
			    text);
	if (seconds <= 0)
		usage_error("bad duration '%s': it must be longer than 0", text);
	return seconds;
}

static void add_filter(struct options *o, const char *text)
{
	char *axis = xalloc(strdup(text)), *glob = strchr(axis, '=');

	if (!glob || glob == axis || !glob[1])
		usage_error("bad filter '%s': it is AXIS=GLOB, such as op=write", text);
	*glob++ = '\0';
	if (o->nfilters == MAX_FILTERS)
		usage_error("more than %d filters", MAX_FILTERS);
	o->filters[o->nfilters++] = (struct filter){ axis, glob };
}

/*
 * For `estat trace`: add the filter AXIS=VALUE; for a cgroup, also a filter for the cgroups below
 * it. A record matches if, on each axis with filters, its value matches one of these filters.
 */
static void add_choice(struct options *o, const char *axis, const char *value)
{
	add_filter(o, xasprintf("%s=%s", axis, value));
	if (!strcmp(axis, "cgroup"))
		add_filter(o, xasprintf("cgroup=%s/*", strcmp(value, "/") ? value : ""));
}

static void add_by(struct options *o, const char *text)
{
	char *copy = xalloc(strdup(text)), *axis;

	while ((axis = strsep(&copy, ","))) {
		if (!*axis || o->nby == MAX_BY)
			usage_error("bad axes '%s': it is AXIS,... of at most %d", text, MAX_BY);
		o->by[o->nby++] = axis;
	}
}

static void set_sort(struct options *o, const char *by)
{
	static const char *const known[] = {
		"name", "iops", "throughput", "errors", "avg",       "stddev", "p50",
		"p90",  "p99",  "p999",       "max",    "under_way", "oldest",
	};

	o->sort = by;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(by, known[i]))
			return;
	usage_error("cannot sort by '%s'", by);
}

static void set_debug(struct options *o, const char *text)
{
	char *end;

	o->debug = strtol(text, &end, 10);
	if (!*text || *end || o->debug < 0)
		usage_error("bad debug level '%s': it is a number", text);
}

static void set_every(struct options *o, const char *text)
{
	char *end;

	o->every = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end)
		usage_error("bad number '%s' of --every: it is a number of operations", text);
}

static void set_form(struct options *o, enum form form)
{
	if (o->form != FORM_TABLES && o->form != form)
		usage_error("-j and --json exclude each other");
	o->form = form;
}

/* Pass an option of PCP to libpcp. The arguments of several --archive are joined by commas. */
static void set_pcp_option(unsigned int i, const char *value)
{
	static bool given[OPTIONS];
	const char *variable = known_options[i].variable;
	char *list = NULL;

	if (given[i] && !strcmp(variable, "PCP_ARCHIVE"))
		list = xasprintf("%s,%s", getenv(variable), value);
	else if (given[i])
		usage_error("--%s is given twice", known_options[i].name);
	given[i] = true;
	setenv(variable, list ? list : value ? value : "", 1);
	free(list);
}

static void load_derived(const char *file)
{
	int sts = pmLoadDerivedConfig(file);

	if (sts < 0)
		die(EXIT_USAGE, "--derived %s: %s", file, pmErrStr(sts));
}

/*
 * Note that an option is given, and set the members of `o` that known_options[] has for the option:
 * the flag to true, or to false if `option` is the letter `off`; the text to `value`.
 */
static void set_members(struct options *o, int option, const char *value)
{
	o->given[option] = true;
	for (const struct known_option *k = known_options; k < known_options + OPTIONS; k++) {
		if (option != k->key && option != k->off)
			continue;
		if (k->flag)
			*(bool *)((char *)o + k->flag) = option == k->key;
		if (k->text)
			*(const char **)((char *)o + k->text) = value;
	}
}

/*
 * If the option asks for the usage or the version, print it and exit. If the option is not known
 * or lacks its argument, print how to get the usage, and exit.
 */
static void answer(int option)
{
	switch (option) {
	case 'h':
		print_usage();
		exit(EXIT_SUCCESS);
	case 'V':
		puts("estat " ESTAT_VERSION);
		exit(EXIT_SUCCESS);
	case '?':
		fprintf(stderr, "Try `%s -h'.\n", pmGetProgname());
		exit(EXIT_USAGE);
	}
}

/*
 * Set an option. `option`: the result of getopt_long(3), a letter or, for an option of PCP,
 * PCP_OPTION plus the option's index in known_options[].
 */
static void set_option(struct options *o, int option, const char *value)
{
	if (option >= PCP_OPTION) {
		set_pcp_option(option - PCP_OPTION, value);
		return;
	}
	answer(option);
	set_members(o, option, value);
	switch (option) {
	case 'M':
		o->monitor = o->accumulate = true;
		break;
	case 'c':
		o->collect = parse_duration(value);
		break;
	case 'j':
		set_form(o, FORM_LINES);
		break;
	case 'd':
		set_debug(o, value);
		break;
	case 'J':
		set_form(o, FORM_JSON);
		break;
	case 'S':
		set_sort(o, value);
		break;
	case 'B':
		add_by(o, value);
		break;
	case 'O':
		o->longer = parse_duration(value);
		break;
	case 'E':
		set_every(o, value);
		break;
	case 'R':
		o->threshold = parse_duration(value);
		break;
	case 'X':
		load_derived(value);
		break;
	case 'K':
		usage_error("--local-PMDA: estat's agent runs only as a process of its own");
	case 'F':
		add_filter(o, value);
		break;
	case 'o':
	case 'i':
	case 'g':
	case 'f':
		add_choice(o, option_name(option) + 2, value);
		break;
	}
}

/* Read the options. Returns the index of the first argument. */
static int parse_options(struct options *o, int argc, char **argv)
{
	struct option options[OPTIONS + 1] = { 0 }, *next = options;
	char letters[3 * OPTIONS + 1], *to = letters;
	int option;

	for (size_t i = 0; i < OPTIONS; i++) {
		const struct known_option *k = &known_options[i];

		if (k->name)
			*next++ = (struct option){ k->name, k->argument != NULL, NULL,
						   k->variable ? (int)(PCP_OPTION + i) : k->key };
		if (k->variable || !option_is_short(k->key))
			continue;
		to += sprintf(to, "%c%s", k->key, k->argument ? ":" : "");
		if (k->off)
			*to++ = k->off;
	}
	*to = '\0';
	while ((option = getopt_long(argc, argv, letters, options, NULL)) != -1)
		set_option(o, strcmp(argv[optind - 1], "-?") ? option : 'h', optarg);
	return optind;
}

/*
 * The user has typed `word` as the module, and `then` as the duration, as in `estat heap zio`. If
 * `word` may be a misspelled command, and `then` does not begin with a digit, exit and suggest that
 * command, because a message that zio is no duration would not help.
 */
static void check_verb(const char *word, const char *then)
{
	const char *words[COMMAND_WORDS], *meant;
	unsigned int n = 0;

	for (unsigned int i = VERB_NONE + 1; i < COMMAND_WORDS; i++)
		words[n++] = command_words[i].word;
	meant = most_alike(word, words, n);
	if (meant && strcmp(word, meant) && !isdigit((unsigned char)*then))
		usage_error("bad duration '%s' of %s (did you mean estat %s?)", then, word, meant);
}

static char *with_underscores(const char *name)
{
	char *copy = xalloc(strdup(name));

	for (char *p = copy; *p; p++)
		if (*p == '-')
			*p = '_';
	return copy;
}

/* Read the arguments: [COMMAND] MODULE [A B | TARGET] [DURATION], or flame [MODULE] [DURATION]. */
static void parse_arguments(struct options *o, int argc, char **argv)
{
	const struct command_word *command;

	if (argc == 0)
		usage_error("which module?");
	command = find_command(argv[0]);
	o->verb = command && command < command_words + VERBS ? command - command_words : VERB_NONE;
	if (o->verb == VERB_DIFF) {
		if (argc < 4)
			usage_error("diff of which module, and of which A and B?");
		o->windows[0] = argv[2];
		o->windows[1] = argv[3];
		argv[3] = argv[1];
		argc -= 3;
		argv += 3;
	} else if (o->verb == VERB_FLAME && (argc == 1 || !isnan(interval_of(argv[1])))) {
		argv[0] = "stack"; /* the default module of estat flame */
	} else if (o->verb) {
		if (argc == 1)
			usage_error("%s of which module?", argv[0]);
		argc--;
		argv++;
	}
	o->name = argv[0];
	o->module = with_underscores(argv[0]);
	command = find_command(o->module);
	if (o->verb && !is_layers(o) && command && !command->table_option)
		usage_error("%s of which module? estat %s is a command of its own: see `man estat'",
			    command_words[o->verb].word, o->module);
	if ((is_layers(o) || !strcmp(o->module, "slow")) && !o->verb &&
	    (argc > 2 || (argc == 2 && isnan(interval_of(argv[1]))))) {
		if (!*argv[1])
			usage_error("%s of an empty name", argv[0]);
		o->target = is_layers(o) ? argv[1] : with_underscores(argv[1]);
		argc--;
		argv++;
	}
	if (!o->verb && argc > 1)
		check_verb(argv[0], argv[1]);
	if (argc == 2 && !o->verb && !strcmp(o->module, "stuck") && isnan(interval_of(argv[1])))
		usage_error("stuck takes no name: `estat layers %s' says what hangs there",
			    argv[1]);
	if (argc > 2)
		usage_error("too many arguments: %s", argv[2]);
	if (argc == 1)
		return;
	o->given['D'] = true;
	o->seconds = parse_duration(argv[1]);
}

static void read_pcp_options(pmOptions *opts, struct options *o)
{
	char *argv[] = { (char *)pmGetProgname(), NULL };

	opts->flags = PM_OPTFLAG_ENV_ONLY | PM_OPTFLAG_BOUNDARIES;
	/*
	 * estat diff names its archives to libpcp later. Without an archive libpcp would refuse
	 * --start, --origin, --align and --hostzone here.
	 */
	if (o->verb == VERB_DIFF) {
		opts->context = PM_CONTEXT_ARCHIVE;
		opts->flags |= PM_OPTFLAG_MULTI;
	}
	pmGetOptions(1, argv, opts);
	if (opts->errors) {
		pmflush();
		exit(EXIT_USAGE);
	}
	if (opts->Lflag)
		usage_error("-L, --local-PMDA: estat's agent runs only as a process of its own");
	o->samples = opts->samples;
	o->given['N'] = opts->samples;
	o->given['I'] = seconds_of(opts->interval) > 0;
	o->window = opts->start_optarg || opts->origin_optarg || opts->align_optarg;
	if (o->samples)
		o->monitor = true;
	if (!o->seconds)
		o->seconds = seconds_of(opts->interval);
}

/* Check that at most one of DURATION, --interval and -c is given. -c also excludes -m and -M. */
static void check_periods(struct options *o)
{
	const char *other = o->given['m'] ? "-m" : o->given['M'] ? "-M" : NULL;

	if (o->given['D'] && o->given['I'])
		usage_error("duration and --interval exclude each other");
	if (!o->collect)
		return;
	if (o->seconds)
		other = "duration and no --interval";
	if (other)
		usage_error("-c takes no %s: it is the length of the only interval", other);
	o->seconds = o->collect;
}

void read_options(struct options *o, pmOptions *opts, int argc, char **argv)
{
	int first = parse_options(o, argc, argv);

	parse_arguments(o, argc - first, argv + first);
	read_pcp_options(opts, o);
	check_periods(o);
	if (!o->given['l'] && !o->given['L'])
		o->latency = o->form != FORM_TABLES && !o->size && !o->by_size;
}
