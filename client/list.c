// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * estat list: the programs, what their modules do, what these lost and why they do not run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "runs.h"

/* Names of programs: modules, and of their series and groups those that have operations. */
static char **programs;
static unsigned int nprograms;

static void add_program(const char *name, size_t length)
{
	for (unsigned int i = 0; i < nprograms; i++)
		if (!strncmp(programs[i], name, length) && !programs[i][length])
			return;
	programs = or_die(realloc(programs, (nprograms + 1) * sizeof(*programs)));
	programs[nprograms++] = or_die(strndup(name, length));
}

/* estat.PROGRAM.ops, but for totals and the stack's layers */
static void take_metric(const char *metric)
{
	const char *name = metric + strlen("estat."), *dot = strrchr(name, '.');
	size_t length = dot ? (size_t)(dot - name) : 0;

	if (!length || strcmp(dot, ".ops") || !strncmp(name, "layer.", 6))
		return;
	if (length < 6 || strncmp(dot - 6, ".total", 6))
		add_program(name, length);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What is said of the program: of the module that has its name, or the begin of it. */
static const char *said(const struct text *texts, unsigned int n, const char *program, bool own)
{
	const char *best = NULL;
	size_t longest = 0;

	for (unsigned int i = 0; i < n; i++) {
		size_t length = strlen(texts[i].instance);

		if (length < longest || strncmp(texts[i].instance, program, length) ||
		    (program[length] && (own || program[length] != '.')))
			continue;
		longest = length;
		best = texts[i].value;
	}
	return best ? best : "-";
}

/* A text in quotes, or a number as it is, or null. */
static void print_member(const char *name, const char *value, bool number)
{
	printf(",\"%s\":", name);
	if (!strcmp(value, "-"))
		fputs("null", stdout);
	else if (number)
		fputs(value, stdout);
	else
		print_string(value);
}

int run_list(struct options *o, struct source *s)
{
	struct text *statuses, *errors, *missed, *dropped;
	unsigned int n, nerrors, nmissed, ndropped;

	refuse_options(o, "mMapclLzZqQyYtTPjSB", "it has no figures of operations");
	check_agent(s);
	n = source_texts(s, "estat.module.status", &statuses);
	nerrors = source_texts(s, "estat.module.error", &errors);
	nmissed = source_texts(s, "estat.module.missed", &missed);
	ndropped = source_texts(s, "estat.module.dropped", &dropped);
	for (unsigned int i = 0; i < n; i++)
		add_program(statuses[i].instance, strlen(statuses[i].instance));
	pmTraversePMNS("estat", take_metric);
	if (!nprograms)
		die(EXIT_NO_DATA, "%s has no program", s->where);
	qsort(programs, nprograms, sizeof(*programs), compare);
	if (o->form == FORM_JSON) {
		fputs("{\"host\":", stdout);
		print_string(s->host);
		fputs(",\"programs\":[", stdout);
	} else {
		printf("%-26s %-8s %10s %10s  %s\n", "program", "state", "missed", "dropped",
		       "why");
	}
	for (unsigned int i = 0; i < nprograms; i++) {
		const char *program = programs[i];
		const char *state = said(statuses, n, program, false);
		const char *error = said(errors, nerrors, program, true);
		const char *lost = said(missed, nmissed, program, true);
		const char *full = said(dropped, ndropped, program, true);

		if (o->form == FORM_JSON) {
			fputs(i ? ",{\"program\":" : "{\"program\":", stdout);
			print_string(program);
			print_member("state", state, false);
			print_member("missed", lost, true);
			print_member("dropped", full, true);
			print_member("why", error, false);
			putchar('}');
			continue;
		}
		error = strcmp(error, "-") ? error : "";
		printf("%-26s %-8s %10s %10s%s%s\n", program, state, lost, full, *error ? "  " : "",
		       error);
	}
	if (o->form == FORM_JSON)
		puts("]}");
	return EXIT_SUCCESS;
}
