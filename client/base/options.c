// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command line.
 */
#include <ctype.h>
#include <getopt.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/version.h"
#include "options.h"
#include "pcptime.h"
#include "util.h"

/* Long options that are not PCP's. */
enum {
	LONG_JSON = 256,
	LONG_SORT,
	LONG_FILTER,
	LONG_BY,
	LONG_DERIVED,
	LONG_LOCAL,
	LONG_SVG,
	LONG_HTML,
	LONG_PCP, /* and those after it, by their index in pcp_options */
};

/*
 * PCP's standard options. Their short forms mean other things here, so libpcp gets
 * them as pcp(1) passes them on: by the environment.
 */
static const struct {
	const char *name, *variable;
	int has_arg;
} pcp_options[] = {
	{ "align", "PCP_ALIGN_TIME", required_argument },
	{ "archive", "PCP_ARCHIVE", required_argument },
	{ "debug", "PCP_DEBUG", required_argument },
	{ "finish", "PCP_FINISH_TIME", required_argument },
	{ "host", "PCP_HOST", required_argument },
	{ "hostzone", "PCP_HOSTZONE", no_argument },
	{ "interval", "PCP_INTERVAL", required_argument },
	{ "origin", "PCP_ORIGIN_TIME", required_argument },
	{ "samples", "PCP_SAMPLES", required_argument },
	{ "start", "PCP_START_TIME", required_argument },
	{ "timezone", "PCP_TIMEZONE", required_argument },
};
#define PCP_OPTIONS (sizeof(pcp_options) / sizeof(pcp_options[0]))

static const char usage[] =
	"usage: estat MODULE [option...] [DURATION]\n"
	"       estat heat MODULE [option...] [DURATION]\n"
	"       estat top MODULE [option...] [DURATION]\n"
	"       estat diff MODULE A B [option...] [DURATION]\n"
	"       estat help MODULE\n"
	"       estat layers [POOL | DISK | MOUNT] [option...] [DURATION]\n"
	"       estat list\n"
	"\n"
	"Show how long storage operations take, in a host's MODULE (estat list has them),\n"
	"for DURATION: seconds, or as PCP has it: 500msec, 5min.\n"
	"\n"
	"  -m        monitor: print every DURATION\n"
	"  -M        the same, accumulated\n"
	"  -a ARG    the pool, of ZFS's modules; of others: lun, to tell disks or LUNs apart\n"
	"  -p POOL, --pool POOL  the pool\n"
	"  -c SECONDS, --coll SECONDS  once, for so long\n"
	"  -l/-L     latency histograms on, off (on, unless -z or -q)\n"
	"  -z/-Z     size histograms on, off (off)\n"
	"  -q/-Q     latency histograms by size on, off (off)\n"
	"  -y/-Y     summary on, off (on)\n"
	"  -t/-T     its total on, off (on)\n"
	"  -P        percentiles, maximum and errors in the summary\n"
	"  -j        one JSON object of texts a line and row\n"
	"  --json    one JSON document a line and interval\n"
	"  --by AXIS,...        a row for each value of these, too, such as pool or disk\n"
	"  --sort BY            name, iops, throughput, errors, avg, stddev, p50, p90, p99,\n"
	"                       p999 or max\n"
	"  --filter AXIS=GLOB   only what matches, such as op=write or disk=sd*\n"
	"  --svg FILE, --html FILE  of heat: write the map to a file, too\n"
	"  -d LEVEL  debug: 1 tells of each fetch\n"
	"  -e        show what would be read, and exit\n"
	"  -h, -?    this help\n"
	"  -V        the version\n"
	"\n"
	"PCP's options are --host, --archive, --start, --finish, --origin, --align,\n"
	"--interval, --samples, --timezone, --hostzone, --derived, --debug; see\n"
	"PCPIntro(1) and estat(1). Exit status: 0; 1 usage, cannot write; 2 no data.\n";

__attribute__((noreturn, format(printf, 1, 2))) static void usage_error(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", pmGetProgname());
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\nTry `%s -h'.\n", pmGetProgname());
	exit(EXIT_USAGE);
}

static double parse_duration(const char *text)
{
	pcp_time interval;
	char *error;
	double seconds;

	if (pmParseInterval(text, &interval, &error) < 0) {
		free(error);
		usage_error("bad duration '%s': give seconds, or a time such as 500msec or 5min",
			    text);
	}
	seconds = seconds_of(interval);
	if (seconds <= 0)
		usage_error("bad duration '%s': it must be longer than 0", text);
	return seconds;
}

static const char *const verbs[] = {
	[VERB_NONE] = "",     [VERB_DIFF] = "diff", [VERB_HEAT] = "heat",
	[VERB_HELP] = "help", [VERB_TOP] = "top",
};

/* Of all layers: is it how long, or else where? */
static bool is_duration(const char *text)
{
	pcp_time interval;
	char *error;

	if (pmParseInterval(text, &interval, &error) >= 0)
		return true;
	free(error);
	return false;
}

bool is_layers(const struct options *o)
{
	return (o->verb == VERB_NONE || o->verb == VERB_HELP) && !strcmp(o->name, "layers");
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
		"name", "iops", "throughput", "errors", "avg", "stddev",
		"p50",  "p90",  "p99",        "p999",   "max",
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

static void set_form(struct options *o, enum form form)
{
	if (o->form != FORM_TABLES && o->form != form)
		usage_error("-j and --json exclude each other");
	o->form = form;
}

/* Several archives are one, as a list with commas; of other options there is one. */
static void set_pcp_option(unsigned int i, const char *value)
{
	static bool given[PCP_OPTIONS];
	const char *variable = pcp_options[i].variable;
	char *list = NULL;

	if (given[i] && !strcmp(variable, "PCP_ARCHIVE")) {
		if (asprintf(&list, "%s,%s", getenv(variable), value) < 0)
			xalloc(NULL);
	} else if (given[i]) {
		usage_error("--%s is given twice", pcp_options[i].name);
	}
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

/* What options are called that a command may not take, by their letters. */
static const char *name_of(char letter)
{
	static const struct {
		char letter;
		const char *name;
	} names[] = {
		{ 'J', "--json" },    { 'S', "--sort" },     { 'B', "--by" },
		{ 'G', "--svg" },     { 'H', "--html" },     { 'F', "--filter" },
		{ 'N', "--samples" }, { 'I', "--interval" }, { 'D', "duration" },
	};
	static char name[3] = "-";

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].letter == letter)
			return names[i].name;
	name[1] = letter;
	return name;
}

void refuse_options(const struct options *o, const char *letters, const char *why)
{
	for (; *letters; letters++)
		if (o->given[(unsigned char)*letters])
			usage_error("%s%s%s takes no %s: %s", verbs[o->verb], o->verb ? " " : "",
				    o->name, name_of(*letters), why);
}

/* One option of getopt's. */
static void set_option(struct options *o, int option, const char *value)
{
	if (option < 128)
		o->given[option] = true;
	switch (option) {
	case 'm':
		o->monitor = true;
		break;
	case 'M':
		o->monitor = o->accumulate = true;
		break;
	case 'a':
	case 'p':
		o->argument = value;
		break;
	case 'c':
		o->collect = parse_duration(value);
		break;
	case 'l':
	case 'L':
		o->latency = option == 'l';
		break;
	case 'z':
	case 'Z':
		o->size = option == 'z';
		break;
	case 'q':
	case 'Q':
		o->by_size = option == 'q';
		break;
	case 'y':
	case 'Y':
		o->summary = option == 'y';
		break;
	case 't':
	case 'T':
		o->total = option == 't';
		break;
	case 'j':
		set_form(o, FORM_LINES);
		break;
	case 'P':
		o->percentiles = true;
		break;
	case 'd':
		set_debug(o, value);
		break;
	case 'e':
		o->explain = true;
		break;
	case LONG_JSON:
		o->given['J'] = true;
		set_form(o, FORM_JSON);
		break;
	case LONG_SORT:
		o->given['S'] = true;
		set_sort(o, value);
		break;
	case LONG_BY:
		o->given['B'] = true;
		add_by(o, value);
		break;
	case LONG_DERIVED:
		load_derived(value);
		break;
	case LONG_SVG:
		o->given['G'] = true;
		o->svg = value;
		break;
	case LONG_HTML:
		o->given['H'] = true;
		o->html = value;
		break;
	case LONG_LOCAL:
		usage_error("--local-PMDA: estat's agent runs only as a process of its own");
	case LONG_FILTER:
		o->given['F'] = true;
		add_filter(o, value);
		break;
	case 'h':
		fputs(usage, stdout);
		exit(EXIT_SUCCESS);
	case 'V':
		puts("estat " ESTAT_VERSION);
		exit(EXIT_SUCCESS);
	case '?':
		fprintf(stderr, "Try `%s -h'.\n", pmGetProgname());
		exit(EXIT_USAGE);
	default:
		set_pcp_option(option - LONG_PCP, value);
	}
}

#define OWN_OPTIONS 12

/* Read the options. Returns the index of the first argument. */
static int parse_options(struct options *o, int argc, char **argv)
{
	static struct option options[OWN_OPTIONS + PCP_OPTIONS + 1] = {
		{ "json", no_argument, NULL, LONG_JSON },
		{ "sort", required_argument, NULL, LONG_SORT },
		{ "filter", required_argument, NULL, LONG_FILTER },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ "by", required_argument, NULL, LONG_BY },
		{ "pool", required_argument, NULL, 'p' },
		{ "coll", required_argument, NULL, 'c' },
		{ "derived", required_argument, NULL, LONG_DERIVED },
		{ "local-PMDA", no_argument, NULL, LONG_LOCAL },
		{ "svg", required_argument, NULL, LONG_SVG },
		{ "html", required_argument, NULL, LONG_HTML },
	};
	int option;

	for (size_t i = 0; i < PCP_OPTIONS; i++)
		options[OWN_OPTIONS + i] = (struct option){ pcp_options[i].name,
							    pcp_options[i].has_arg, NULL,
							    LONG_PCP + i };
	while ((option = getopt_long(argc, argv, "?hVmMa:p:c:lLzZqQyYtTjPd:e", options, NULL)) !=
	       -1)
		set_option(o, strcmp(argv[optind - 1], "-?") ? option : 'h', optarg);
	return optind;
}

static enum verb find_verb(const char *word)
{
	for (enum verb verb = VERB_NONE + 1; verb < sizeof(verbs) / sizeof(verbs[0]); verb++)
		if (!strcmp(word, verbs[verb]))
			return verb;
	return VERB_NONE;
}

/* Of `estat heap zio` it is more use to know what is meant than that zio is no duration. */
static void check_verb(const char *word, const char *then)
{
	static const char *const words[] = { "diff", "heat", "help", "layers", "list", "top" };
	const char *meant = most_alike(word, words, sizeof(words) / sizeof(words[0]));

	if (meant && strcmp(word, meant) && !isdigit((unsigned char)*then))
		usage_error("bad duration '%s' of %s (did you mean estat %s?)", then, word, meant);
}

/* The arguments: a module, or a verb and a module; then a duration. */
static void parse_arguments(struct options *o, int argc, char **argv)
{
	if (argc == 0)
		usage_error("which module?");
	o->verb = find_verb(argv[0]);
	if (o->verb == VERB_DIFF) {
		if (argc < 4)
			usage_error("diff of which module, and of which A and B?");
		o->windows[0] = argv[2];
		o->windows[1] = argv[3];
		argv[3] = argv[1];
		argc -= 3;
		argv += 3;
	} else if (o->verb) {
		if (argc == 1)
			usage_error("%s of which module?", argv[0]);
		argc--;
		argv++;
	}
	o->name = argv[0];
	o->module = xalloc(strdup(argv[0]));
	for (char *p = o->module; *p; p++)
		if (*p == '-')
			*p = '_';
	if (o->verb && !is_layers(o) &&
	    (!strcmp(o->module, "layers") || !strcmp(o->module, "list")))
		usage_error("%s of which module? estat %s is a command of its own", verbs[o->verb],
			    o->module);
	if (is_layers(o) && !o->verb && (argc > 2 || (argc == 2 && !is_duration(argv[1])))) {
		o->target = argv[1];
		argc--;
		argv++;
	}
	if (!o->verb && argc > 1)
		check_verb(argv[0], argv[1]);
	if (argc > 2)
		usage_error("too many arguments: %s", argv[2]);
	if (argc == 1)
		return;
	o->given['D'] = true;
	o->seconds = parse_duration(argv[1]);
}

/* Have libpcp read its options, which are in the environment. */
static void read_pcp_options(pmOptions *opts, struct options *o)
{
	char *argv[] = { (char *)pmGetProgname(), NULL };

	opts->flags = PM_OPTFLAG_ENV_ONLY | PM_OPTFLAG_BOUNDARIES;
	if (o->verb == VERB_DIFF) { /* contexts come with its sides, which are asked then */
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

/* How long an interval is is said once. -c says that, too, and that there is one. */
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

static void check_options(struct options *o)
{
	check_periods(o);
	if (o->latency < 0)
		o->latency = !o->size && !o->by_size;
}

void read_options(struct options *o, pmOptions *opts, int argc, char **argv)
{
	int first = parse_options(o, argc, argv);

	parse_arguments(o, argc - first, argv + first);
	read_pcp_options(opts, o);
	check_options(o);
}
