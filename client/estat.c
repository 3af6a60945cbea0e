// SPDX-License-Identifier: GPL-2.0-or-later
/* The command estat: run the function that serves the command line. */
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/options.h"
#include "base/parse.h"
#include "diff/diff.h"
#include "flame/flame.h"
#include "heat/heat.h"
#include "layers/layers.h"
#include "source/modules.h"
#include "top/top.h"
#include "trace/trace.h"
#include "verbs.h"

/* Is the command `estat trace` without --stages? */
static bool is_trace(const struct options *o)
{
	return !o->verb && !strcmp(o->module, "trace") && !o->given['W'];
}

/* Run a command that has one source: every command but diff. */
static int run(struct options *o, struct source *s)
{
	struct module m = { 0 };

	if (o->verb != VERB_HEAT && o->verb != VERB_FLAME && !is_trace(o))
		refuse_options(o, "G", "only heat, flame and trace are pictures");
	if (o->verb != VERB_HEAT)
		refuse_options(o, "H", "only heat is a page");
	if (o->verb != VERB_FLAME)
		refuse_options(o, "C", "only flame is by time or count");
	if (!o->verb && !strcmp(o->module, "stuck"))
		return run_stuck(o, s);
	refuse_options(o, "O", "only stuck selects operations by their age");
	if (!o->verb && !strcmp(o->module, "slow"))
		return run_slow(o, s);
	refuse_options(o, "R", "only slow has a threshold");
	if (is_trace(o))
		return run_trace(o, s);
	refuse_options(o, "E", "only trace follows operations");
	if (!o->verb && !strcmp(o->module, "list"))
		return run_list(o, s);
	if (!is_layers(o))
		m = find_module(o, s);
	/*
	 * --samples counts intervals, and -c asks for a single one. In run_events() --samples
	 * counts event records instead, so -c is allowed, too
	 */
	if (o->samples && !m.events)
		refuse_options(o, "c", "with --samples there are several intervals");
	if (is_layers(o))
		return o->verb == VERB_HELP ? help_layers(o, s) : run_layers(o, s);
	switch (o->verb) {
	case VERB_HELP:
		return run_help(o, s, &m);
	case VERB_FLAME:
		return run_flame(o, s, &m);
	case VERB_HEAT:
		return run_heat(o, s, &m);
	case VERB_TOP:
		return run_top(o, s, &m);
	default:
		return m.events ? run_events(o, s, &m) : run_table(o, s, &m);
	}
}

/* Flush the standard output at exit, and exit with status 1 if that fails. */
static void close_output(void)
{
	if (!flush_output() || fclose(stdout))
		_exit(EXIT_USAGE);
}

/*
 * Open /dev/null, for reading only, in place of each standard file that is closed. Else pmcd's
 * socket or an archive would get the closed file's number, and output would be written there.
 */
static void fill_standard_files(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

static void no_memory(void)
{
	die(EXIT_NO_DATA, "out of memory");
}

int main(int argc, char **argv)
{
	struct options o = { .summary = true, .total = true, .longer = 1 };
	struct source source = { 0 };
	pmOptions opts = { 0 };
	int status;

	fill_standard_files();
	setlocale(LC_CTYPE, ""); /* not LC_NUMERIC: numbers have a decimal point in all locales */
	pmSetProgname("estat");
	xalloc_failed = no_memory;
	atexit(close_output);
	argv[0] = "estat"; /* getopt's messages begin with argv[0], also if pcp(1) runs pcp-estat */
	read_options(&o, &opts, argc, argv);
	if (o.verb == VERB_DIFF)
		return run_diff(&o);
	source_open(&source, &opts,
		    "Start it there (systemctl start pmcd), or name another host (--host) or an "
		    "archive (--archive).");
	source.debug = o.debug;
	status = run(&o, &source);
	return *source.damage ? EXIT_NO_DATA : status;
}
