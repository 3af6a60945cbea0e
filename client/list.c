// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * estat list: the modules, what they do, what they lost and why they do not run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs.h"

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct text *)a)->instance, ((const struct text *)b)->instance);
}

/* The value of an instance, or "-". */
static const char *value(const struct text *texts, unsigned int n, const char *instance)
{
	for (unsigned int i = 0; i < n; i++)
		if (!strcmp(texts[i].instance, instance))
			return texts[i].value;
	return "-";
}

int run_list(struct options *o, struct source *s)
{
	struct text *statuses, *errors, *missed, *dropped;
	unsigned int n = source_texts(s, "estat.module.status", &statuses);
	unsigned int nerrors = source_texts(s, "estat.module.error", &errors);
	unsigned int nmissed = source_texts(s, "estat.module.missed", &missed);
	unsigned int ndropped = source_texts(s, "estat.module.dropped", &dropped);

	(void)o;
	if (!n) {
		check_agent(s);
		die(EXIT_NO_DATA, "%s does not tell of modules", s->where);
	}
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
