// SPDX-License-Identifier: GPL-2.0-or-later
/* estat diff: compare two windows of an archive, or two sources, each an archive or a host. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/signals.h"
#include "base/message.h"
#include "compare.h"
#include "diff.h"
#include "source/filter.h"
#include "source/modules.h"
#include "source/source.h"

/* A split is compared if its measured time is at least this share of the median split's time. */
#define ENOUGH 0.5

struct diff {
	struct options *o;
	struct side sides[2];
	struct module modules[2];
	struct series *series[2][MAX_SERIES];
};

/*
 * Has `name` a slash, and is `name` neither a host such as unix:/run/x nor a window? A name is
 * taken for a window if it begins with "@" or, with --archive, has "..".
 */
static bool is_path(const char *name)
{
	const char *slash = strchr(name, '/');

	if (*name == '@' || (strstr(name, "..") && getenv("PCP_ARCHIVE")))
		return false;
	return slash && !memchr(name, ':', slash - name);
}

/* Is `name` a path, or the name of a file, folder or archive that exists? */
static bool is_archive(const char *name)
{
	static const char *const endings[] = {
		"", ".index", ".meta", ".meta.xz", ".meta.gz", ".0"
	};
	bool found = is_path(name);

	for (size_t i = 0; !found && i < sizeof(endings) / sizeof(endings[0]); i++) {
		char *file = xasprintf("%s%s", name, endings[i]);

		found = access(file, F_OK) == 0;
		free(file);
	}
	return found;
}

static void set_option(const char *variable, const char *value)
{
	if (value)
		setenv(variable, value, 1);
	else
		unsetenv(variable);
}

/*
 * Set PCP_START_TIME and PCP_FINISH_TIME from "START..FINISH"; unset the variable whose text is
 * empty. `dots` points to the "..". Exits without --archive, or with --start or --finish.
 */
static void set_window(const char *text, const char *dots)
{
	char *start = xalloc(strndup(text, dots - text)), *finish = xalloc(strdup(dots + 2));

	if (!getenv("PCP_ARCHIVE"))
		die(EXIT_USAGE, "%s is a window: --archive is missing", text);
	if (getenv("PCP_START_TIME") || getenv("PCP_FINISH_TIME"))
		die(EXIT_USAGE, "%s is a window: it takes no --start and no --finish", text);
	set_option("PCP_START_TIME", *start ? start : NULL);
	set_option("PCP_FINISH_TIME", *finish ? finish : NULL);
	free(start);
	free(finish);
}

/* Open the source that an argument names: a window of --archive, an archive, or a host. */
static void open_side(struct side *side, const char *name)
{
	char *argv[] = { (char *)pmGetProgname(), NULL };
	pmOptions opts = { .flags = PM_OPTFLAG_ENV_ONLY | PM_OPTFLAG_BOUNDARIES };
	const char *dots = is_archive(name) ? NULL : strstr(name, "..");
	char *archive = getenv("PCP_ARCHIVE");

	side->name = name;
	archive = archive ? xalloc(strdup(archive)) : NULL;
	if (!dots && (archive || getenv("PCP_HOST")))
		die(EXIT_USAGE,
		    "%s is no window START..FINISH of %s; to compare archives or hosts, omit "
		    "--archive and --host",
		    name, archive ? archive : getenv("PCP_HOST"));
	if (dots)
		set_window(name, dots);
	else
		setenv(is_archive(name) ? "PCP_ARCHIVE" : "PCP_HOST", name, 1);
	pmGetOptions(1, argv, &opts);
	if (opts.errors) {
		pmflush();
		exit(EXIT_USAGE);
	}
	source_open(&side->s, &opts,
		    "No archive has this name, either. To compare archives type their paths: "
		    "estat diff MODULE PATH PATH.\nTo compare hosts start pmcd on both: "
		    "systemctl start pmcd");
	set_option("PCP_ARCHIVE", archive);
	set_option("PCP_HOST", NULL);
	if (dots) {
		set_option("PCP_START_TIME", NULL);
		set_option("PCP_FINISH_TIME", NULL);
	}
	free(archive);
}

static void add_series(struct diff *d, int i)
{
	const enum reads reads = READ_BASIC | READ_LATENCY | READ_FINE | READ_MAX;
	struct module *m = &d->modules[i];
	struct source *s = &d->sides[i].s;
	const char *variable = getenv("PCP_ARCHIVE") ? NULL
			       : s->archive          ? "PCP_ARCHIVE"
						     : "PCP_HOST";

	pmUseContext(s->context);
	/*
	 * find_module() may suggest a command to the user. The suggested command gets its option
	 * --host or --archive from the environment variable `variable`.
	 */
	if (variable)
		set_option(variable, s->where);
	*m = find_module(d->o, s);
	if (variable)
		set_option(variable, NULL);
	if (!m->nseries)
		die(EXIT_NO_DATA, "%s has no operations to compare", d->o->name);
	for (unsigned int n = 0; n < m->nseries; n++)
		d->series[i][n] = source_require(&d->sides[i].s, m->series[n].prefix, reads, NULL);
}

/*
 * Fetch the first moment of window i. Exits if an archive's window has no record after that moment.
 */
static void begin(struct diff *d, int i)
{
	pmUseContext(d->sides[i].s.context);
	if (!source_begin(&d->sides[i].s))
		source_has_nothing(d->sides[i].name, d->o->name);
}

static bool selects(const struct diff *d, int i)
{
	const struct series *series = d->series[i][0];

	for (unsigned int k = 0; k < series->nkeys; k++)
		if (selected(d->o, series->keys[k]))
			return true;
	return false;
}

/*
 * If any time was measured since the previous split ended, make a split of the values since then,
 * and add these values to the whole window.
 */
static void end_split(struct diff *d, int i)
{
	struct side *side = &d->sides[i];

	if (side->seconds <= 0)
		return;
	for (unsigned int n = 0; n < d->modules[i].nseries; n++) {
		const char *title = d->modules[i].series[n].title;

		rows_add(&side->all, d->o, d->series[i][n], title);
		rows_add(&side->splits[side->nsplits].rows, d->o, d->series[i][n], title);
	}
	side->splits[side->nsplits++].seconds = side->seconds;
	side->seconds = 0;
	source_clear(&side->s);
}

/* Read the next interval of window i by source_step(), and add the interval's times to window i. */
static enum outcome step(struct diff *d, int i, double seconds, struct interval *interval)
{
	struct side *side = &d->sides[i];
	enum outcome outcome;

	pmUseContext(side->s.context);
	outcome = source_step(&side->s, seconds, interval);
	if (side->measured.end <= 0)
		side->measured.begin = interval->begin;
	if (interval->seconds > 0 || interval->left_out > 0)
		side->measured.end = interval->end;
	side->measured.seconds += interval->seconds;
	side->measured.left_out += interval->left_out;
	side->seconds += interval->seconds;
	return outcome;
}

/*
 * Divide an archive's window into splits of equal length, rounded to whole intervals. A split ends
 * with an interval if the middle of the next interval is in the next split. For this, the next
 * interval is assumed to be as long as this one.
 */
static void measure_archive(struct diff *d, int i)
{
	struct source *s = &d->sides[i].s;
	double start, length, split, half; /* half: half of the interval's measured time */
	struct interval interval;
	/*
	 * in: which of the window's SPLITS equal parts, from 0, has the intervals since the last
	 * end_split(); -1: no interval with measured time came since. After a gap, `in` can be
	 * larger than the split's index in side->splits. next: the least value that `in` can get
	 * next
	 */
	int in = -1, next = 0;

	begin(d, i);
	start = s->time;
	length = d->o->seconds ? d->o->seconds : s->finish - start;
	split = length / SPLITS;
	while (!stopped && s->time < start + length &&
	       step(d, i, EACH_RECORD, &interval) != INTERVAL_END) {
		if (interval.seconds <= 0)
			continue;
		half = interval.seconds / 2;
		if (in < 0)
			in = fmin(fmax((s->time - half - start) / split, next), SPLITS - 1);
		if (in + 1 < SPLITS && s->time + half - start >= (in + 1) * split) {
			end_split(d, i);
			next = in + 1;
			in = -1;
		}
	}
	end_split(d, i);
}

/* Measure each window that is a host; two hosts are measured at the same time. */
static void measure_live(struct diff *d)
{
	struct interval interval;

	for (int i = 0; i < 2; i++)
		if (!d->sides[i].s.archive)
			source_await(&d->sides[i].s);
	for (int i = 0; i < 2; i++)
		if (!d->sides[i].s.archive)
			begin(d, i);
	for (unsigned int split = 0; split < SPLITS && !stopped; split++)
		for (int i = 0; i < 2; i++) {
			if (d->sides[i].s.archive)
				continue;
			step(d, i, d->o->seconds / SPLITS, &interval);
			end_split(d, i);
		}
}

/* Remove splits with too little measured time: short splits are noisier than long splits. */
static void remove_short_splits(struct side *side)
{
	double lengths[SPLITS];
	unsigned int n = 0;
	double least;

	for (unsigned int p = 0; p < side->nsplits; p++)
		lengths[p] = side->splits[p].seconds;
	least = ENOUGH * median(lengths, side->nsplits);
	for (unsigned int p = 0; p < side->nsplits; p++)
		if (side->splits[p].seconds >= least)
			side->splits[n++] = side->splits[p];
		else
			rows_free(&side->splits[p].rows);
	side->nsplits = n;
}

static void check(struct diff *d)
{
	struct options *o = d->o;
	bool live = !d->sides[0].s.archive || !d->sides[1].s.archive;
	int side = selects(d, 0) ? 0 : 1;

	if (live && !o->seconds)
		die(EXIT_USAGE, "missing duration: for how many seconds are the hosts measured?");
	use_argument(o, d->series[0][0]);
	check_selection(o, &d->sides[side].s, d->series[side][0]);
}

int run_diff(struct options *o)
{
	static struct diff d;
	struct pairs pairs;

	d.o = o;
	refuse_options(o, "mMclLzZqQyYtTPjSeGHNO", "it compares two windows");
	for (int i = 0; i < 2; i++) {
		open_side(&d.sides[i], o->windows[i]);
		d.sides[i].s.debug = o->debug;
	}
	catch_signals(NULL);
	for (int i = 0; i < 2; i++)
		add_series(&d, i);
	check(&d);
	for (int i = 0; i < 2; i++)
		if (d.sides[i].s.archive)
			measure_archive(&d, i);
	measure_live(&d);
	for (int i = 0; i < 2; i++) {
		if (d.sides[i].measured.seconds <= 0)
			die(EXIT_NO_DATA, "%s has no interval to compare", d.sides[i].name);
		remove_short_splits(&d.sides[i]);
	}
	pairs = compare(d.sides);
	print_pairs(o, d.sides, &pairs);
	pairs_free(&pairs);
	return *d.sides[0].s.damage || *d.sides[1].s.damage ? EXIT_NO_DATA : EXIT_SUCCESS;
}
