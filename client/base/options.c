// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of the command's options, the usage that lists the options, and the options' names. */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "options.h"

#define MEMBER(member) offsetof(struct options, member)

const struct known_option known_options[] = {
	{ 'm', .flag = MEMBER(monitor), .help = "monitor: print every DURATION" },
	{ 'M', .help = "as -m, but each print covers all intervals so far" },
	{ 'a', .text = MEMBER(argument), .argument = "ARG",
	  .help = "ZFS: the pool; other modules: lun, rows by all axes" },
	{ 'p', .text = MEMBER(argument), .name = "pool", .argument = "POOL", .help = "the pool" },
	{ 'c', .name = "coll", .argument = "SECONDS", .help = "print once, after SECONDS" },
	{ 'l', 'L', MEMBER(latency),
	  .help = "histograms of latency on, off (default off; JSON: on)" },
	{ 'z', 'Z', MEMBER(size), .help = "histograms of size on, off (default off)" },
	{ 'q', 'Q', MEMBER(by_size),
	  .help = "histograms of latency by size on, off (default off)" },
	{ 'y', 'Y', MEMBER(summary), .help = "summary on, off (default on)" },
	{ 't', 'T', MEMBER(total), .help = "total of the summary on, off (default on)" },
	{ 'P', .flag = MEMBER(percentiles),
	  .help = "percentiles, maximum and errors in the summary" },
	{ 'j', .help = "a line of JSON for each row; all values are strings" },
	{ 'J', .name = "json", .help = "a line of JSON for each interval" },
	{ 'B', .name = "by", .argument = "AXIS,...", .help = "a row for each value of the axes" },
	{ 'S', .name = "sort", .argument = "FIGURE",
	  .help = "name, iops, throughput, errors, avg, stddev,\n"
		  "p50, p90, p99, p999 or max" },
	{ 'F', .name = "filter", .argument = "AXIS=GLOB",
	  .help = "only keys with such a value on AXIS: op=write" },
	{ 'G', .text = MEMBER(svg), .name = "svg", .argument = "FILE",
	  .help = "heat, flame, trace: draw a picture into FILE, as SVG" },
	{ 'H', .text = MEMBER(html), .name = "html", .argument = "FILE",
	  .help = "heat: write the map to FILE as an HTML page, too" },
	{ 'C', .flag = MEMBER(count), .name = "count",
	  .help = "flame: by number of samples and waits, not by time" },
	{ 'O', .name = "longer", .argument = "TIME",
	  .help = "stuck: only what is under way for longer (default 1 s)" },
	{ 'R', .name = "threshold", .argument = "TIME",
	  .help = "slow: only what took longer (default 0)" },
	{ 'o', .name = "op", .argument = "OP", .help = "trace: only this operation" },
	{ 'i', .name = "pid", .argument = "PID", .help = "trace: only of this process" },
	{ 'g', .name = "cgroup", .argument = "CGROUP",
	  .help = "trace: only of this cgroup and those below" },
	{ 'f', .name = "file", .argument = "NAME", .help = "trace: only on files of this name" },
	{ 'E', .name = "every", .argument = "N",
	  .help = "trace: follow one of N operations from now on, if\n"
		  "pmcd.conf allows it; 0: as many as give 20 a second" },
	{ 's', .text = MEMBER(server), .name = "server", .argument = "ARCHIVE",
	  .help = "trace: join the archive of the NFS server's host" },
	{ 'W', .name = "stages", .help = "trace: a table of the stages, as of any module" },
	{ 'd', .argument = "LEVEL", .help = "debug: 1 prints a line for each fetch" },
	{ 'e', .flag = MEMBER(explain), .name = "explain",
	  .help = "print what would be read, and exit; layers: the figures\n"
		  "of the sentence" },
	{ 'h', '?', .name = "help", .help = "this help" },
	{ 'V', .name = "version", .help = "the version" },
	{ 'X', .name = "derived", .argument = "FILE" },
	{ 'K', .name = "local-PMDA" },
	{ 0, .name = "align", .argument = "TIME", .variable = "PCP_ALIGN_TIME" },
	{ 0, .name = "archive", .argument = "NAME", .variable = "PCP_ARCHIVE" },
	{ 0, .name = "debug", .argument = "FLAGS", .variable = "PCP_DEBUG" },
	{ 0, .name = "finish", .argument = "TIME", .variable = "PCP_FINISH_TIME" },
	{ 0, .name = "host", .argument = "NAME", .variable = "PCP_HOST" },
	{ 0, .name = "hostzone", .variable = "PCP_HOSTZONE" },
	{ 'I', .name = "interval", .argument = "TIME", .variable = "PCP_INTERVAL" },
	{ 0, .name = "origin", .argument = "TIME", .variable = "PCP_ORIGIN_TIME" },
	{ 'N', .name = "samples", .argument = "NUMBER", .variable = "PCP_SAMPLES" },
	{ 0, .name = "start", .argument = "TIME", .variable = "PCP_START_TIME" },
	{ 0, .name = "timezone", .argument = "ZONE", .variable = "PCP_TIMEZONE" },
};

bool option_is_short(char key)
{
	return !strchr("JBSFGHCORoigfEsWXKIN", key);
}

const char *option_name(char key)
{
	static char name[16];

	snprintf(name, sizeof(name), key == 'D' ? "duration" : "-%c", key);
	for (size_t i = 0; !option_is_short(key) && i < OPTIONS; i++)
		if (known_options[i].key == key)
			snprintf(name, sizeof(name), "--%s", known_options[i].name);
	return name;
}

void print_usage(void)
{
	puts("usage: estat MODULE [option...] [DURATION]\n"
	     "       estat heat MODULE [option...] [DURATION]\n"
	     "       estat top MODULE [option...] [DURATION]\n"
	     "       estat diff MODULE A B [option...] [DURATION]\n"
	     "       estat flame [MODULE] [option...] [DURATION]\n"
	     "       estat help MODULE\n"
	     "       estat layers [TARGET] [option...] [DURATION]\n"
	     "       estat stuck [option...]\n"
	     "       estat slow [MODULE] [option...] [DURATION]\n"
	     "       estat trace [option...] [DURATION]\n"
	     "       estat list\n"
	     "\n"
	     "Show how long storage operations take. `estat list' shows the modules of a host.\n"
	     "DURATION is seconds, or a time such as 500msec or 5min. TARGET is a disk, mount,\n"
	     "file, pool, export, unit, container or cgroup, by any name.\n");
	for (const struct known_option *k = known_options; k < known_options + OPTIONS; k++) {
		const char *rest = k->help ? strchr(k->help, '\n') : NULL;
		char label[64] = "", *to = label;

		if (!k->help)
			continue;
		if (option_is_short(k->key))
			to += sprintf(to, "-%c", k->key);
		if (k->off)
			to += sprintf(to, "/-%c", k->off);
		if (k->name)
			to += sprintf(to, "%s--%s", *label ? ", " : "", k->name);
		if (k->argument)
			sprintf(to, " %s", k->argument);
		printf("  %-21s %.*s\n", label, (int)strcspn(k->help, "\n"), k->help);
		if (rest)
			printf("  %-21s %s\n", "", rest + 1);
	}
	puts("\n"
	     "PCP's options are --host, --archive, --start, --finish, --origin, --align,\n"
	     "--interval, --samples, --timezone, --hostzone, --derived, --debug; see\n"
	     "PCPIntro(1) and estat(1). Exit status: 0; 1 usage, cannot write; 2 no data.");
}

void usage_error(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", pmGetProgname());
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\nTry `%s -h'.\n", pmGetProgname());
	exit(EXIT_USAGE);
}

const struct command_word command_words[COMMAND_WORDS] = {
	[VERB_NONE] = { "" },
	[VERB_DIFF] = { "diff" },
	[VERB_FLAME] = { "flame" },
	[VERB_HEAT] = { "heat" },
	[VERB_HELP] = { "help" },
	[VERB_TOP] = { "top" },
	[VERBS] = { "layers" },
	{ "list" },
	{ "slow" },
	{ "stuck" },
	{ "trace", "--stages" },
};

const struct command_word *find_command(const char *word)
{
	for (unsigned int i = VERB_NONE + 1; i < COMMAND_WORDS; i++)
		if (!strcmp(word, command_words[i].word))
			return &command_words[i];
	return NULL;
}

bool is_layers(const struct options *o)
{
	return (o->verb == VERB_NONE || o->verb == VERB_HELP) && !strcmp(o->name, "layers");
}

void refuse_options(const struct options *o, const char *letters, const char *why)
{
	for (; *letters; letters++)
		if (o->given[(unsigned char)*letters])
			usage_error("%s%s%s takes no %s: %s", command_words[o->verb].word,
				    o->verb ? " " : "", o->name, option_name(*letters), why);
}
