// SPDX-License-Identifier: GPL-2.0-or-later
/* estat list: each module's state, missed and dropped events, and why the module does not run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verbs.h"
#include "view/output.h"

/* A module's text, or "-". If `any`, `module` can be a series: then the text of its module. */
static const char *text_or_dash(const struct text *texts, unsigned int n, const char *module,
				bool any)
{
	const char *text = any ? owner_text(texts, n, module) : text_of(texts, n, module);

	return text ? text : "-";
}

/* Print a JSON member: a string, a number, or null for "-". */
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
	struct text *statuses, *errors, *all_missed, *all_dropped;
	unsigned int n, nerrors, nmissed, ndropped, nmodules;
	char **modules;

	refuse_options(o, "mMapclLzZqQyYtTPjSBeFDIN", "it has no figures of operations");
	check_agent(s);
	n = source_texts(s, "estat.module.status", &statuses);
	nerrors = source_texts(s, "estat.module.error", &errors);
	nmissed = source_texts(s, "estat.module.missed", &all_missed);
	ndropped = source_texts(s, "estat.module.dropped", &all_dropped);
	nmodules = list_modules(statuses, n, &modules);
	if (!nmodules)
		die(EXIT_NO_DATA, "%s has no module", s->where);
	if (o->form == FORM_JSON) {
		fputs("{\"host\":", stdout);
		print_string(s->host);
		fputs(",\"programs\":[", stdout);
	} else {
		printf("%-26s %-8s %10s %10s  %s\n", "module", "state", "missed", "dropped", "why");
	}
	for (unsigned int i = 0; i < nmodules; i++) {
		const char *module = modules[i];
		const char *state = text_or_dash(statuses, n, module, true);
		const char *error = text_or_dash(errors, nerrors, module, false);
		const char *missed = text_or_dash(all_missed, nmissed, module, false);
		const char *dropped = text_or_dash(all_dropped, ndropped, module, false);

		if (o->form == FORM_JSON) {
			fputs(i ? ",{\"program\":" : "{\"program\":", stdout);
			print_string(module);
			print_member("state", state, false);
			print_member("missed", missed, true);
			print_member("dropped", dropped, true);
			print_member("why", error, false);
			putchar('}');
			continue;
		}
		error = strcmp(error, "-") ? error : "";
		printf("%-26s %-8s %10s %10s%s%s\n", module, state, missed, dropped,
		       *error ? "  " : "", error);
	}
	if (o->form == FORM_JSON)
		puts("]}");
	return EXIT_SUCCESS;
}
