// SPDX-License-Identifier: GPL-2.0-or-later
/* estat help MODULE: the help texts and the axes. Shell completion reads this output. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "source/filter.h"
#include "verbs.h"

/* A help text of metric prefix.name (`kind`: PM_TEXT_...), or NULL. The caller frees the text. */
static char *text_of_metric(const char *prefix, const char *name, int kind)
{
	char *text;
	pmID pmid;

	if (!find_pmid(prefix, name, &pmid) || pmLookupText(pmid, kind, &text) < 0)
		return NULL;
	return text;
}

/*
 * Print "  WHAT NAME: TEXT". If TEXT takes several lines, all but the first begin with six blanks,
 * so that the shells' completions do not take these lines for further names.
 */
static void print_member(const char *what, const char *name, const char *text)
{
	print_words(stdout, text, printf("  %s %s:", what, name), 6);
	putchar('\n');
}

static void print_series(struct source *s, const char *prefix)
{
	static const char *const names[] = { "ops", "bytes", "latency" };
	struct series *series = source_require(s, prefix, READ_BASIC | READ_LATENCY, NULL);
	char *text = NULL, *line;

	for (size_t i = 0; !text && i < sizeof(names) / sizeof(names[0]); i++)
		text = text_of_metric(prefix, names[i], PM_TEXT_HELP);
	puts(prefix + strlen("estat."));
	line = text ? strchr(text, '\n') : NULL; /* the first line is only about the metric */
	if (line) {
		print_words(stdout, line + 1, 0, 0);
		putchar('\n');
	}
	for (unsigned int i = 0; i < series->layout.naxes; i++)
		print_member("axis", series->layout.axes[i],
			     values_seen(series, series->layout.axes[i]));
	if (series->layout.nested)
		puts("  rows are parts of one another: no total");
	if (series->layout.every > 0)
		printf("  without a duration: every %g s\n", series->layout.every);
}

int run_help(struct options *o, struct source *s, const struct module *m)
{
	refuse_options(o, "mMapclLzZqQyYtTPjJSBeFDIN", "it is help");
	for (unsigned int i = 0; i < m->nseries; i++)
		print_series(s, m->series[i].prefix);
	for (unsigned int i = 0; i < m->ncounts; i++)
		for (unsigned int c = 0; m->counts[i].names[c]; c++) {
			char *text = text_of_metric(m->counts[i].prefix, m->counts[i].names[c],
						    PM_TEXT_ONELINE);

			print_member("counter", m->counts[i].titles[c], text ? text : "");
		}
	if (m->events)
		printf("%s\n  prints a line for each event record\n", o->name);
	return EXIT_SUCCESS;
}
