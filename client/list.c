// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * estat list: the modules, what they do, what they lost and why they do not run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs.h"
#include "runs.h"

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct text *)a)->instance, ((const struct text *)b)->instance);
}

static const char *value(const struct text *texts, unsigned int n, const char *instance)
{
	const char *text = text_of(texts, n, instance);

	return text ? text : "-";
}

int run_list(struct options *o, struct source *s)
{
	struct text *statuses, *errors, *missed, *dropped;
	unsigned int n = source_texts(s, "estat.module.status", &statuses);
	unsigned int nerrors = source_texts(s, "estat.module.error", &errors);
	unsigned int nmissed = source_texts(s, "estat.module.missed", &missed);
	unsigned int ndropped = source_texts(s, "estat.module.dropped", &dropped);

	check_agent(s);
	if (!n)
		die(EXIT_NO_DATA, "%s: %s has no estat.module.status", o->program, s->where);
	qsort(statuses, n, sizeof(*statuses), compare);
	printf("%-16s %-8s %10s %10s  %s\n", "program", "state", "missed", "dropped", "why");
	for (unsigned int i = 0; i < n; i++) {
		const char *program = statuses[i].instance;
		const char *error = value(errors, nerrors, program);

		printf("%-16s %-8s %10s %10s%s%s\n", program, statuses[i].value,
		       value(missed, nmissed, program), value(dropped, ndropped, program),
		       *error ? "  " : "", error);
	}
	return EXIT_SUCCESS;
}
