// SPDX-License-Identifier: GPL-2.0-or-later
/* estat list: each module's state, missed and dropped events, and why the module does not run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verbs.h"
#include "view/output.h"

static const char *or_dash(const char *text)
{
	return text ? text : "-";
}

int run_list(struct options *o, struct source *s)
{
	struct text *statuses, *errors, *all_missed, *all_dropped;
	unsigned int n, nerrors, nmissed, ndropped, nmodules;
	char **modules;
	struct json j;

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
		j = document_begin(NULL, s->host);
		json_begin(&j, "programs", '[');
	} else {
		printf("%-26s %-8s %10s %10s  %s\n", "module", "state", "missed", "dropped", "why");
	}
	for (unsigned int i = 0; i < nmodules; i++) {
		const char *module = modules[i];
		const char *state = owner_text(statuses, n, module);
		const char *missed = text_of(all_missed, nmissed, module);
		const char *dropped = text_of(all_dropped, ndropped, module);
		const char *error = text_of(errors, nerrors, module);

		if (o->form == FORM_JSON) {
			json_begin(&j, NULL, '{');
			json_put_string(&j, "program", module);
			json_put_string(&j, "state", state);
			json_put_raw(&j, "missed", missed ? missed : "null");
			json_put_raw(&j, "dropped", dropped ? dropped : "null");
			json_put_string(&j, "why", error);
			json_end(&j, '}');
			continue;
		}
		printf("%-26s %-8s %10s %10s%s%s\n", module, or_dash(state), or_dash(missed),
		       or_dash(dropped), error && *error ? "  " : "", error ? error : "");
	}
	if (o->form == FORM_JSON) {
		json_end(&j, ']');
		document_end(&j);
	}
	return EXIT_SUCCESS;
}
