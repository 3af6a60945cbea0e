// SPDX-License-Identifier: GPL-2.0-or-later
/* estat list: which modules run, attach on demand, are not here or are broken, and why. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "lib/format.h"
#include "verbs.h"
#include "view/output.h"

#define MODULE_WIDTH 24 /* columns for the name of a running module */
#define NUMBER_WIDTH 10 /* columns for a number after the name */
/* us; an operation that is older hangs; younger ones may be in a long queue or a sync */
#define HANGS 1e7

/* Texts of metrics estat.module.*, one a module, and the names that `estat NAME` accepts. */
struct listing {
	struct text *statuses, *errors, *missed, *dropped, *probes;
	unsigned int nstatuses, nerrors, nmissed, ndropped, nprobes, nnames;
	char **names;
	struct under_way *under_way; /* for each of `names`: what is under way */
};

/*
 * Of a series or group: the number of operations under way, and the age of the oldest one in us.
 * `oldest` negative: not known.
 */
struct under_way {
	double inflight, oldest;
};

/* The headings that modules stand under, in this order. */
enum place { RUNNING, ON_DEMAND, NOT_HERE, OFF, BROKEN, NOT_KNOWN };
static const char *const headings[] = {
	[RUNNING] = "running",
	[ON_DEMAND] = "on demand: attached while a client reads the module",
	[NOT_HERE] = "not here",
	[OFF] = "off in estat.conf",
	[BROKEN] = "broken",
	[NOT_KNOWN] = "state not known",
};

static const char *or_dash(const char *text)
{
	return text ? text : "-";
}

static const char *state_of(const struct listing *l, const char *name)
{
	return owner_text(l->statuses, l->nstatuses, name);
}

/* estat.module.error of a module, such as why the module does not run; "": there is none. */
static const char *error_of(const struct listing *l, const char *name)
{
	const char *error = text_of(l->errors, l->nerrors, name);

	return error ? error : "";
}

/* Is this the name of a series or group, not of a module? */
static bool is_part(const struct listing *l, const char *name)
{
	const struct text *owner = find_owner(l->statuses, l->nstatuses, name);

	return owner && strcmp(owner->instance, name);
}

static enum place place_of(const struct listing *l, const char *name)
{
	const char *state = state_of(l, name);
	const char *probes = text_of(l->probes, l->nprobes, name);

	if (!state)
		return NOT_KNOWN;
	if (!strcmp(state, "running"))
		return probes && !strcmp(probes, "0") ? ON_DEMAND : RUNNING;
	if (!strcmp(state, "waiting"))
		return NOT_HERE;
	return strcmp(state, "off") ? BROKEN : OFF;
}

/* Print the series and groups of a module from `column` on, as .NAME. */
static void print_parts(const struct listing *l, const char *module, int column)
{
	for (unsigned int i = 0; i < l->nnames; i++) {
		const struct text *owner = find_owner(l->statuses, l->nstatuses, l->names[i]);

		if (owner && !strcmp(owner->instance, module) && strcmp(l->names[i], module))
			column = print_words(stdout, l->names[i] + strlen(module), column,
					     MODULE_WIDTH + 2 * NUMBER_WIDTH + 1);
	}
	putchar('\n');
}

static void print_running(const struct listing *l, const char *module)
{
	int column = printf("  %-*s%*s%*s", MODULE_WIDTH - 2, module, NUMBER_WIDTH,
			    or_dash(text_of(l->missed, l->nmissed, module)), NUMBER_WIDTH,
			    or_dash(text_of(l->dropped, l->ndropped, module)));

	print_parts(l, module, column);
	if (!*error_of(l, module))
		return;
	print_words(stdout, error_of(l, module), printf("     "), 6);
	putchar('\n');
}

/* Are both names of modules, not of series or groups, with the same heading, state and reason? */
static bool are_alike(const struct listing *l, const char *a, const char *b)
{
	return place_of(l, a) == place_of(l, b) && !is_part(l, a) && !is_part(l, b) &&
	       !strcmp(or_dash(state_of(l, a)), or_dash(state_of(l, b))) &&
	       !strcmp(error_of(l, a), error_of(l, b));
}

/*
 * Print names[first] and the later names for which are_alike() is true. If the modules are broken,
 * print the modules' state behind the names. In all cases print the reason last, if there is one.
 */
static void print_alike(const struct listing *l, unsigned int first)
{
	const char *name = l->names[first], *reason = error_of(l, name);
	bool broken = place_of(l, name) == BROKEN;
	int column = printf(" ");

	for (unsigned int i = first; i < l->nnames; i++) {
		bool more = false;
		char *text;

		if (!are_alike(l, name, l->names[i]))
			continue;
		for (unsigned int k = i + 1; k < l->nnames; k++)
			more |= are_alike(l, name, l->names[k]);
		text = xasprintf("%s%s", l->names[i], more ? "," : *reason || broken ? ":" : "");
		column = print_words(stdout, text, column, 4);
		free(text);
	}
	if (broken)
		column = print_words(stdout, state_of(l, name), column, 4);
	if (broken && *reason)
		column += printf(":");
	print_words(stdout, reason, column, 4);
	putchar('\n');
}

/* Did print_alike() print names[i] beside an earlier name? */
static bool is_printed(const struct listing *l, unsigned int i)
{
	for (unsigned int k = 0; k < i; k++)
		if (are_alike(l, l->names[k], l->names[i]))
			return true;
	return false;
}

static void print_place(const struct listing *l, enum place place)
{
	bool any = false;

	for (unsigned int i = 0; i < l->nnames; i++) {
		if (is_part(l, l->names[i]) || place_of(l, l->names[i]) != place)
			continue;
		if (!any && place == RUNNING)
			printf("%-*s%*s%*s %s\n", MODULE_WIDTH, headings[place], NUMBER_WIDTH,
			       "missed", NUMBER_WIDTH, "dropped", "series and groups");
		else if (!any)
			puts(headings[place]);
		any = true;
		if (place == RUNNING)
			print_running(l, l->names[i]);
		else if (!is_printed(l, i))
			print_alike(l, i);
	}
}

static void read_totals(struct source *s, const char *name, struct under_way *w)
{
	char *inflight = xasprintf("estat.%s.total.inflight", name);
	char *oldest = xasprintf("estat.%s.total.oldest", name);
	double numbers[2];

	source_numbers(s, 2, (const char *[]){ inflight, oldest }, numbers);
	*w = (struct under_way){ .inflight = numbers[0], .oldest = numbers[1] };
	free(inflight);
	free(oldest);
}

/*
 * Read what is under way in modules that run. Other modules are not read, because a fetch would
 * attach those that are on demand.
 */
static void read_under_way(struct listing *l, struct source *s)
{
	l->under_way = xalloc(calloc(l->nnames + 1, sizeof(*l->under_way)));
	for (unsigned int i = 0; i < l->nnames; i++) {
		const struct text *owner = find_owner(l->statuses, l->nstatuses, l->names[i]);

		l->under_way[i].oldest = -1;
		if (owner && place_of(l, owner->instance) == RUNNING)
			read_totals(s, l->names[i], &l->under_way[i]);
	}
}

static void print_hanging(const struct listing *l)
{
	char *text = NULL, age[FORMAT_LEN];
	size_t size;
	FILE *f = xalloc(open_memstream(&text, &size));

	for (unsigned int i = 0; i < l->nnames; i++) {
		const struct under_way *w = &l->under_way[i];

		if (w->oldest > HANGS)
			fprintf(f, "%s%s: %.0f under way, the oldest for %s",
				ftell(f) ? "; " : "hangs: ", l->names[i], w->inflight,
				format_latency(age, w->oldest, 0));
	}
	if (ftell(f))
		fputs(": see `estat stuck'", f);
	fclose(f);
	if (print_words(stdout, xalloc(text), 0, 2))
		putchar('\n');
	free(text);
}

static void print_document(const struct listing *l, const char *host)
{
	struct json j = document_begin(NULL, host);

	json_begin(&j, "programs", '[');
	for (unsigned int i = 0; i < l->nnames; i++) {
		const char *name = l->names[i];
		const char *missed = text_of(l->missed, l->nmissed, name);
		const char *dropped = text_of(l->dropped, l->ndropped, name);

		json_begin(&j, NULL, '{');
		json_put_string(&j, "program", name);
		json_put_string(&j, "state", state_of(l, name));
		json_put_raw(&j, "missed", missed ? missed : "null");
		json_put_raw(&j, "dropped", dropped ? dropped : "null");
		json_put_string(&j, "why", text_of(l->errors, l->nerrors, name));
		if (l->under_way[i].oldest >= 0) {
			json_put_number(&j, "inflight", "%.0f", l->under_way[i].inflight);
			json_put_number(&j, "oldest", "%.0f", l->under_way[i].oldest);
		}
		json_end(&j, '}');
	}
	json_end(&j, ']');
	document_end(&j);
}

int run_list(struct options *o, struct source *s)
{
	struct listing l;

	refuse_options(o, "mMapclLzZqQyYtTPjSBeFDIN", "it has no figures of operations");
	check_agent(s);
	l.nstatuses = source_texts(s, "estat.module.status", &l.statuses);
	l.nerrors = source_texts(s, "estat.module.error", &l.errors);
	l.nmissed = source_texts(s, "estat.module.missed", &l.missed);
	l.ndropped = source_texts(s, "estat.module.dropped", &l.dropped);
	l.nprobes = source_texts(s, "estat.module.probes", &l.probes);
	l.nnames = list_modules(l.statuses, l.nstatuses, &l.names);
	if (!l.nnames)
		die(EXIT_NO_DATA, "%s has no module", source_name(s));
	read_under_way(&l, s);
	if (o->form == FORM_JSON) {
		print_document(&l, s->host);
		return EXIT_SUCCESS;
	}
	print_hanging(&l);
	for (enum place place = RUNNING; place <= NOT_KNOWN; place++)
		print_place(&l, place);
	return EXIT_SUCCESS;
}
