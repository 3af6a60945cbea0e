// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The programs, and whether what they show is there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs.h"

static const char *const zil_counters[] = { "block_allocations", "block_failures", "waiter_skips",
					    "writer_stalls", NULL };
static const char *const zil_titles[] = { "block allocations", "block failures", "waiter skips",
					  "writer stalls" };
static const char *const arc_counters[] = {
	"hits", "misses", "iohits", "metadata_hits", "metadata_misses", "metadata_iohits", NULL
};
static const char *const arc_titles[] = { "hit count",           "miss count",
					  "iohit count",         "metadata hit count",
					  "metadata miss count", "metadata iohit count" };

static const struct program programs[] = {
	{ .name = "list", .period = 1 },
	{ .name = "txg", .period = 1, .parts = { { "estat.txg", NULL } } },
	{
		.name = "zil",
		.period = 60,
		.parts = { { "estat.zil", NULL } },
		.counts = "estat.zil.pool",
		.counters = zil_counters,
		.counter_titles = zil_titles,
	},
	{
		.name = "arc_prefetch",
		.period = 5,
		.parts = { { "estat.arc_prefetch.arc_read", "arc read" },
			   { "estat.arc_prefetch.normal_read", "normal read" },
			   { "estat.arc_prefetch.prefetch_read", "prefetch read" } },
		.counts = "estat.arc_prefetch",
		.counters = arc_counters,
		.counter_titles = arc_titles,
	},
};

const struct program *find_program(const struct options *o)
{
	static struct program module;
	static char prefix[256];

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		if (!strcmp(programs[i].name, o->module))
			return &programs[i];
	snprintf(prefix, sizeof(prefix), "estat.%s", o->module);
	module = (struct program){ .name = o->module, .parts = { { prefix, NULL } } };
	return &module;
}

bool program_needs_duration(const struct options *o)
{
	return !o->heat && !find_program(o)->period;
}

/* Has the name space anything below that name? */
static bool has_children(const char *name)
{
	char **children;
	int n = pmGetChildren(name, &children);

	if (n > 0)
		free(children);
	return n > 0;
}

/* Does pmcd still wait for the agent to be ready? Then its status is 1. */
static bool agent_is_starting(struct source *s)
{
	struct text *statuses;
	unsigned int n = source_texts(s, "pmcd.agent.status", &statuses);
	const char *status = text_of(statuses, n, "estat");

	return status && !strcmp(status, "1");
}

void check_agent(struct source *s)
{
	if (has_children("estat"))
		return;
	if (s->archive)
		die(EXIT_NO_DATA,
		    "the archive %s has nothing of estat: its pmlogger was not told to log it; "
		    "see estat(1), ARCHIVES",
		    s->where);
	if (agent_is_starting(s))
		die(EXIT_NO_DATA, "the agent estat on %s is starting; try again in a few seconds",
		    s->host);
	die(EXIT_NO_DATA,
	    "pmcd on %s has no agent estat\nTo install it run ./Install there, in estat's source "
	    "or in $PCP_PMDAS_DIR/estat.",
	    s->host);
}

/* The modules that there are, as "a, b"; those of an archive may have no status. */
static char *known_modules(const struct text *modules, unsigned int n)
{
	char *text = NULL, **children;
	size_t size;
	FILE *f = or_die(open_memstream(&text, &size));
	int nchildren = n ? 0 : pmGetChildren("estat", &children);
	const char *separator = "";

	for (unsigned int i = 0; i < n; i++, separator = ", ")
		fprintf(f, "%s%s", separator, modules[i].instance);
	for (int i = 0; i < nchildren; i++) {
		if (!strcmp(children[i], "agent") || !strcmp(children[i], "module"))
			continue;
		fprintf(f, "%s%s", separator, children[i]);
		separator = ", ";
	}
	if (nchildren > 0)
		free(children);
	fclose(f);
	return or_die(text);
}

void check_module(const struct options *o, struct source *s)
{
	char *module = or_die(strndup(o->module, strcspn(o->module, ".")));
	struct text *statuses, *errors;
	unsigned int n, nerrors;
	const char *status;
	char *prefix = NULL;

	check_agent(s);
	n = source_texts(s, "estat.module.status", &statuses);
	nerrors = source_texts(s, "estat.module.error", &errors);
	status = text_of(statuses, n, module);
	if (asprintf(&prefix, "estat.%s", module) < 0)
		or_die(NULL);
	if (!status && !has_children(prefix))
		die(s->archive ? EXIT_NO_DATA : EXIT_USAGE, "%s has no program %s; it has: %s",
		    s->archive ? s->where : s->host, o->program, known_modules(statuses, n));
	if (status && !s->archive && strcmp(status, "running")) {
		const char *error = text_of(errors, nerrors, module);

		die(EXIT_NO_DATA, "%s does not run on %s: %s%s%s", o->program, s->host, status,
		    error && *error ? ": " : "", error ? error : "");
	}
	free(prefix);
	free(module);
}
