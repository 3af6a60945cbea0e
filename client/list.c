// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * estat list: the programs, what their modules do, what these lost and why they do not run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verbs.h"
#include "view/output.h"

/* What is said of the module that the program is, or with `any` is of; - if nothing is. */
static const char *said(const struct text *texts, unsigned int n, const char *program, bool any)
{
	const char *text = any ? of_program(texts, n, program) : text_of(texts, n, program);

	return text ? text : "-";
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
	unsigned int n, nerrors, nmissed, ndropped, nprograms;
	char **programs;

	refuse_options(o, "mMapclLzZqQyYtTPjSBeFDIN", "it has no figures of operations");
	check_agent(s);
	n = source_texts(s, "estat.module.status", &statuses);
	nerrors = source_texts(s, "estat.module.error", &errors);
	nmissed = source_texts(s, "estat.module.missed", &missed);
	ndropped = source_texts(s, "estat.module.dropped", &dropped);
	nprograms = list_programs(statuses, n, &programs);
	if (!nprograms)
		die(EXIT_NO_DATA, "%s has no program", s->where);
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
		const char *state = said(statuses, n, program, true);
		const char *error = said(errors, nerrors, program, false);
		const char *lost = said(missed, nmissed, program, false);
		const char *full = said(dropped, ndropped, program, false);

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
