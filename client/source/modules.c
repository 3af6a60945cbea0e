// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/text.h"
#include "modules.h"

#define MOST_GUESSES 4 /* the most names that a message suggests */

static bool has_children(const char *name)
{
	char **children = NULL;
	int n = pmGetChildren(name, &children);

	free(children);
	return n > 0;
}

/* Does pmcd still wait for the agent to start (is the agent's pmcd.agent.status 1)? */
static bool pmcd_waits(struct source *s)
{
	struct text *statuses;
	unsigned int n = source_texts(s, "pmcd.agent.status", &statuses);
	const char *status = text_of(statuses, n, "estat");

	return status && !strcmp(status, "1");
}

static bool agent_has_no_values(void)
{
	const char *name = "estat.module.status";
	pmResult *r;
	pmID pmid;
	bool none;

	if (pmLookupName(1, &name, &pmid) != 1 || pmFetch(1, &pmid, &r) < 0)
		return false;
	none = r->vset[0]->numval == PM_ERR_AGAIN;
	pmFreeResult(r);
	return none;
}

void check_agent(struct source *s)
{
	bool known = has_children("estat");

	if (!s->archive && (known ? agent_has_no_values() : pmcd_waits(s)))
		die(EXIT_NO_DATA, "the agent estat on %s is starting; try again in a few seconds",
		    s->host);
	if (known)
		return;
	if (s->archive)
		die(EXIT_NO_DATA,
		    "the archive %s has no metrics of estat: its pmlogger did not log them; "
		    "see estat(1), ARCHIVES",
		    s->where);
	die(EXIT_NO_DATA,
	    "pmcd on %s has no agent estat\nTo install it run ./Install there, in estat's source "
	    "or in $PCP_PMDAS_DIR/estat.",
	    s->host);
}

void note_broken(struct source *s)
{
	struct text *statuses;
	unsigned int n = source_texts(s, "estat.module.status", &statuses), broken = 0;
	char *names = NULL, *list = command_to_type("list", NULL, false);
	size_t size;
	FILE *f = xalloc(open_memstream(&names, &size));

	for (unsigned int i = 0; i < n; i++)
		if (!strcmp(statuses[i].value, "failed") || !strcmp(statuses[i].value, "blind"))
			fprintf(f, "%s%s", broken++ ? ", " : "", statuses[i].instance);
	fclose(f);
	if (broken)
		note("WARNING: not measured, see `%s': %s", list, names);
	free(list);
	free(names);
	texts_free(statuses, n);
}

/*
 * The names that list_modules() has found; unknown_module() can add commands such as slow, to guess
 * which name the user meant.
 */
static char **known;
static unsigned int nknown;

static void add_known(const char *name, size_t length)
{
	for (unsigned int i = 0; i < nknown; i++)
		if (!strncmp(known[i], name, length) && !known[i][length])
			return;
	known = grow(known, nknown, sizeof(*known));
	known[nknown++] = xalloc(strndup(name, length));
}

/*
 * Add NAME of estat.NAME.ops or estat.NAME.events to `known`, unless the metric is
 * estat.X.total.ops or below estat.layer.
 */
static void add_metric_name(const char *metric)
{
	const char *name = metric + strlen("estat."), *dot = strrchr(name, '.');
	size_t length = dot ? (size_t)(dot - name) : 0;

	if (!length || !strncmp(name, "layer.", 6))
		return;
	if (!strcmp(dot, ".events") ||
	    (!strcmp(dot, ".ops") && (length < 6 || strncmp(dot - 6, ".total", 6))))
		add_known(name, length);
}

unsigned int list_modules(const struct text *modules, unsigned int n, char ***found)
{
	for (unsigned int i = 0; i < n; i++)
		add_known(modules[i].instance, strlen(modules[i].instance));
	pmTraversePMNS("estat", add_metric_name);
	if (nknown)
		qsort(known, nknown, sizeof(*known), compare_texts);
	*found = known;
	return nknown;
}

/* Add `name` to `guesses`, unless it is among them or there are MOST_GUESSES already. */
static void add_guess(const char **guesses, unsigned int *n, const char *name)
{
	for (unsigned int i = 0; i < *n; i++)
		if (!strcmp(guesses[i], name))
			return;
	if (*n < MOST_GUESSES)
		guesses[(*n)++] = name;
}

/* Is `word` one or more whole words of `name`, in which dots and underscores end words? */
static bool is_part_of(const char *name, const char *word)
{
	size_t length = strlen(word);

	for (const char *p = name; *word && (p = strstr(p, word)); p++)
		if ((p == name || strchr("._", p[-1])) && (!p[length] || strchr("._", p[length])))
			return true;
	return false;
}

/*
 * Guess which names the user meant by the unknown name o->module: the known name most like it, the
 * names of which it is one or more whole words (dots and underscores end words), and the series
 * that have it as an axis. Returns the number of guesses, at most MOST_GUESSES.
 */
static unsigned int guess(const struct options *o, struct source *s, const char **guesses)
{
	struct text *axes;
	unsigned int n = source_texts(s, "estat.module.axes", &axes), found = 0;
	const char *alike = most_alike(o->module, (const char *const *)known, nknown);

	if (alike)
		add_guess(guesses, &found, alike);
	for (unsigned int i = 0; i < nknown; i++)
		if (is_part_of(known[i], o->module))
			add_guess(guesses, &found, known[i]);
	for (unsigned int i = 0; i < n; i++)
		if (text_has(axes[i].value, o->module))
			add_guess(guesses, &found, axes[i].instance);
	return found;
}

/* Exit, and say which modules or commands the user may have meant by o->module. */
__attribute__((noreturn)) static void unknown_module(const struct options *o, struct source *s)
{
	const char *guesses[MOST_GUESSES];
	struct text *statuses;
	unsigned int n = source_texts(s, "estat.module.status", &statuses);
	char *text = NULL, **names;
	size_t size;
	FILE *f = xalloc(open_memstream(&text, &size));

	list_modules(statuses, n, &names);
	for (unsigned int i = VERBS; i < COMMAND_WORDS && !o->verb; i++)
		if (!command_words[i].table_option)
			add_known(command_words[i].word, strlen(command_words[i].word));
	n = guess(o, s, guesses);
	for (unsigned int i = 0; i < n; i++)
		fprintf(f, "%s%s", !i ? " (did you mean " : i + 1 < n ? ", " : " or ", guesses[i]);
	fclose(f);
	die(EXIT_NO_DATA, "%s has no module %s%s%s\nTo see its modules: %s", source_name(s),
	    o->name, text, n ? "?)" : "", command_to_type("list", NULL, false));
}

const char *owner_of(struct source *s, const char *name)
{
	struct text *texts;
	unsigned int n = source_texts(s, "estat.module.status", &texts);
	const struct text *found = find_owner(texts, n, name);

	return found ? found->instance : name;
}

const char *check_module(const struct options *o, struct source *s)
{
	struct text *statuses, *errors;
	unsigned int n, nerrors;
	const char *status, *error;
	char *prefix;

	check_agent(s);
	n = source_texts(s, "estat.module.status", &statuses);
	nerrors = source_texts(s, "estat.module.error", &errors);
	status = owner_text(statuses, n, o->module);
	prefix = xasprintf("estat.%s", o->module);
	if (!status && !has_children(prefix))
		unknown_module(o, s);
	error = owner_text(errors, nerrors, o->module);
	error = error ? error : "";
	if (status && !s->archive && !strcmp(status, "blind"))
		note("%s is blind on %s: %s", o->name, s->host, error);
	else if (status && !s->archive && strcmp(status, "running"))
		die(EXIT_NO_DATA, "%s does not run on %s: %s%s%s", o->name, s->host, status,
		    *error ? ": " : "", error);
	free(prefix);
	return status ? error : NULL;
}

/*
 * Does the source have the metric prefix.name, or `prefix` if `name` is ""? If so, sets *desc to
 * the metric's description.
 */
static bool has_metric(const char *prefix, const char *name, pmDesc *desc)
{
	pmID pmid;

	return find_pmid(prefix, name, &pmid) && pmLookupDesc(pmid, desc) >= 0;
}

static bool has_operations(const char *prefix)
{
	static const char *const names[] = { "ops", "latency", "latency_sum", "bytes" };
	pmDesc desc;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (has_metric(prefix, names[i], &desc) && desc.sem == PM_SEM_COUNTER)
			return true;
	return false;
}

/* Is `name` ops, errors, bytes, size or latency*, which any series of operations can have? */
static bool is_common(const char *name)
{
	static const char *const common[] = { "ops", "errors", "bytes", "size" };

	for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++)
		if (!strcmp(name, common[i]))
			return true;
	return !strncmp(name, "latency", 7);
}

/*
 * The title of a counter or group: "SERIES NAME" or, if `series` is "", "NAME", with blanks in
 * place of underscores. The caller frees the title.
 */
static char *title_of(const char *series, const char *name)
{
	char *title = xasprintf("%s%s%s", series, *series ? " " : "", name);

	for (char *p = title; *p; p++)
		if (*p == '_')
			*p = ' ';
	return title;
}

/* Is prefix.name a histogram? A counter's total is one value, a histogram's total has buckets. */
static bool is_histogram(const char *prefix, const char *name)
{
	char *totals = xasprintf("%s.total", prefix);
	pmDesc desc;
	bool is = has_metric(totals, name, &desc) && desc.indom != PM_INDOM_NULL;

	free(totals);
	return is;
}

/*
 * Is prefix.name a counter by key, but neither a histogram nor a sum of times? Sets *pmid if so.
 * `own` true: `prefix` is a series that counts no operations. `own` false: `prefix` is the
 * module's, and names that is_common() accepts, such as ops, are refused.
 */
static bool is_counter(const char *prefix, const char *name, bool own, pmID *pmid)
{
	pmDesc desc;

	if (!has_metric(prefix, name, &desc) || desc.sem != PM_SEM_COUNTER || desc.units.dimTime ||
	    desc.indom == PM_INDOM_NULL || desc.type != PM_TYPE_U64 || (!own && is_common(name)) ||
	    is_histogram(prefix, name))
		return false;
	*pmid = desc.pmid;
	return true;
}

/*
 * Add at most MAX_COUNTERS of the counters below `prefix` that is_counter() accepts, in the order
 * of their PMIDs. `series`: the last word of `prefix`, if `prefix` is a series that counts no
 * operations; "": `prefix` is the module's.
 */
static void add_counts(struct module *m, const char *prefix, const char *series)
{
	const char **counters = m->counts[m->ncounts].names;
	pmID pmid, pmids[MAX_COUNTERS];
	char **names = NULL;
	int n = m->ncounts < MAX_COUNTS ? pmGetChildren(prefix, &names) : 0, found = 0, position;

	for (int i = 0; i < n && found < MAX_COUNTERS; i++) {
		if (!is_counter(prefix, names[i], *series, &pmid))
			continue;
		for (position = found++; position > 0 && pmids[position - 1] > pmid; position--) {
			pmids[position] = pmids[position - 1];
			counters[position] = counters[position - 1];
		}
		pmids[position] = pmid;
		counters[position] = xalloc(strdup(names[i]));
	}
	for (int i = 0; i < found; i++)
		m->counts[m->ncounts].titles[i] =
			title_of(is_common(counters[i]) ? series : "", counters[i]);
	if (found)
		m->counts[m->ncounts++].prefix = xalloc(strdup(prefix));
	free(names);
}

static void add_series(struct module *m, const char *prefix, char *title)
{
	if (m->nseries == MAX_SERIES)
		return;
	m->series[m->nseries].prefix = xalloc(strdup(prefix));
	m->series[m->nseries++].title = title;
}

/*
 * Add the series below `prefix` that count no operations and, if `groups`, the groups that count
 * operations.
 */
static void add_children(struct module *m, const char *prefix, bool groups)
{
	char **names = NULL;
	int n = pmGetChildren(prefix, &names);

	if (n > 0)
		qsort(names, n, sizeof(*names), compare_texts);
	for (int i = 0; i < n; i++) {
		char *full = xasprintf("%s.%s", prefix, names[i]);
		pmDesc desc;

		if (!has_metric(full, "", &desc) && strcmp(names[i], "total") &&
		    !is_common(names[i])) {
			if (!has_operations(full))
				add_counts(m, full, names[i]);
			else if (groups)
				add_series(m, full, title_of("", names[i]));
		}
		free(full);
	}
	free(names);
}

/*
 * Warn if `error`, the estat.module.error of a running module, says that the module does not count
 * all, such as "no estat.journal.wait: the kernel lacks kprobes; no waits for io.max: …". Exits if
 * `error` has "no PREFIX: " with this `prefix`, which the user asked for.
 */
static void note_lacks(const struct options *o, const struct source *s, const char *prefix,
		       const char *error)
{
	char *lacks = xasprintf("no %s: ", prefix);
	const char *found = strstr(error, lacks);

	if (found) {
		found += strlen(lacks);
		die(EXIT_NO_DATA, "%s is not measured on %s: %.*s", o->name, s->host,
		    (int)strcspn(found, ";"), found);
	}
	if (!strncmp(error, "no ", 3))
		note("WARNING: not all of %s is measured on %s: %s", o->name, s->host, error);
	free(lacks);
}

struct module find_module(const struct options *o, struct source *s)
{
	struct module m = { 0 };
	char *prefix = xasprintf("estat.%s.events", o->module);
	pmID events;
	const char *error = check_module(o, s);

	if (find_pmid(prefix, "", &events))
		m.events = layout_events(prefix + strlen("estat."), events);
	*strrchr(prefix, '.') = '\0';
	if (error && !s->archive)
		note_lacks(o, s, prefix, error);
	if (has_operations(prefix))
		add_series(&m, prefix, NULL);
	add_counts(&m, prefix, "");
	add_children(&m, prefix, !m.nseries);
	/* a name that has metrics, but no estat.module.status, is no module: "agent" */
	if (!m.nseries && !m.events && !error)
		unknown_module(o, s);
	if (!m.nseries && !m.events)
		die(EXIT_NO_DATA, "%s has no metrics %s.ops", source_name(s), prefix);
	free(prefix);
	return m;
}
