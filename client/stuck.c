// SPDX-License-Identifier: GPL-2.0-or-later
/* estat stuck: the keys whose oldest operation has been under way for longer than --longer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "lib/format.h"
#include "source/moment.h"
#include "source/told.h"
#include "verbs.h"
#include "view/output.h"

#define LAYER 16 /* LAYER, KEY, PLACE: widths of columns */
#define KEY   40
#define PLACE 20

#define LOOKS 3 /* look() fetches again after partial walks, but at most so many times in all */

struct names {
	unsigned int n;
	char **names;
};

static bool ends_in(const char *text, const char *end)
{
	size_t length = strlen(text), cut = strlen(end);

	return length > cut && !strcmp(text + length - cut, end);
}

static void keep_name(const char *metric, void *names)
{
	struct names *all = names;

	if (!ends_in(metric, ".inflight") || ends_in(metric, ".total.inflight"))
		return;
	all->names = grow(all->names, all->n, sizeof(*all->names));
	all->names[all->n++] = xalloc(strndup(metric, strrchr(metric, '.') - metric));
}

/*
 * Does the series' module run? True if the source does not tell. A blind module runs, too, but may
 * have missed the begin or the end of an operation.
 */
static bool runs(const struct text *statuses, unsigned int n, const char *series)
{
	const struct text *status = find_owner(statuses, n, series);

	return !status || !strcmp(status->value, "running") || !strcmp(status->value, "blind");
}

static const char *layer_of(const struct series *series)
{
	return series->prefix + strlen("estat.");
}

/* Is the module, texts[i].instance, that of a series whose gauges are read? */
static bool is_looked_at(const struct source *s, const struct text *texts, unsigned int n,
			 unsigned int i)
{
	for (unsigned int k = 0; k < s->nseries; k++)
		if (find_owner(texts, n, layer_of(s->series[k])) == &texts[i])
			return true;
	return false;
}

/*
 * Add to the source each series that has gauges of operations under way, in order of the series'
 * names. Leaves out series whose module is known not to run, and warns of blind modules.
 */
static void find_gauges(struct source *s)
{
	/*
	 * read statuses only from a pmcd, because source_texts() gives the last statuses of an
	 * archive
	 */
	struct text *statuses = NULL;
	unsigned int n = s->archive ? 0 : source_texts(s, "estat.module.status", &statuses);
	struct names all = { 0 };

	pmTraversePMNS_r("estat", keep_name, &all);
	if (all.n)
		qsort(all.names, all.n, sizeof(*all.names), compare_texts);
	for (unsigned int i = 0; i < all.n; i++) {
		if (runs(statuses, n, all.names[i] + strlen("estat.")))
			source_add(s, all.names[i], READ_UNDER_WAY | READ_TOLD, NULL);
		free(all.names[i]);
	}
	free(all.names);
	for (unsigned int i = 0; i < n; i++)
		if (!strcmp(statuses[i].value, "blind") && is_looked_at(s, statuses, n, i))
			note("%s is blind on %s", statuses[i].instance, s->host);
	texts_free(statuses, n);
	if (!s->nseries)
		die(EXIT_NO_DATA,
		    "what is under way on %s is not known, because %s no metrics estat.*.inflight",
		    s->host, s->archive ? "the archive has" : "the modules that run there have");
}

/*
 * The file, sector or transaction of the oldest operation; "": not known. The caller frees the
 * text.
 */
static char *place_of(const char *told)
{
	static const char *const words[] = { "sector", "transaction" };
	char *text = told_word(told, "file");

	for (unsigned int i = 0; !text && i < sizeof(words) / sizeof(words[0]); i++) {
		char *number = told_word(told, words[i]);

		text = number ? xasprintf("%s %s", words[i], number) : NULL;
		free(number);
	}
	return text ?: xalloc(strdup(""));
}

/* The process and the cgroup of the oldest operation; "": not known. The caller frees the text. */
static char *whose(const char *told)
{
	char *pid = told_word(told, "pid"), *command = told_word(told, "command");
	char *cgroup = told_word(told, "cgroup");
	char *text = xasprintf("%s%s%s%s%s", command ?: "", command ? " " : "", pid ?: "",
			       pid && cgroup ? " " : "", cgroup ?: "");

	free(pid);
	free(command);
	free(cgroup);
	return text;
}

/*
 * Print what is known of the oldest operation: bytes; file, sector or transaction; process and
 * cgroup. The line has no blanks at its end.
 */
static void print_told(const char *told)
{
	char *bytes = told_word(told, "bytes"), *place = place_of(told), *owner = whose(told);

	if (bytes || *place || *owner)
		printf(" %9s", bytes ?: "");
	if (*place || *owner)
		putchar(' ');
	if (*owner) {
		print_aligned(place, -PLACE);
		printf(" %s", owner);
	} else {
		print_aligned(place, 0);
	}
	free(bytes);
	free(place);
	free(owner);
}

static void write_told(struct json *j, const char *told)
{
	static const char *const words[] = { "sector",  "bytes", "transaction", "pid",
					     "command", "file",  "cgroup" };

	for (unsigned int i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		char *value = told_word(told, words[i]);

		if (value && i < 4)
			json_put_raw(j, words[i], value);
		else if (value)
			json_put_string(j, words[i], value);
		free(value);
	}
}

static void print_row(const struct source *s, const char *layer, const struct key *key)
{
	char *text = key_text(key, NULL), time[64], n[FORMAT_LEN], age[FORMAT_LEN];

	if (s->archive) {
		print_time(time, sizeof(time), "%D - %H:%M:%S", s->time);
		printf("%s  ", time);
	}
	print_aligned(layer, -LAYER);
	putchar(' ');
	print_aligned(text, -KEY);
	format_number(n, key->values.inflight, 0, 9);
	printf(" %9s %8s", n, format_latency(age, key->values.oldest, 0));
	print_told(key->told);
	putchar('\n');
	free(text);
}

static void write_row(struct json *j, const struct source *s, const char *layer,
		      const struct key *key)
{
	json_begin(j, NULL, '{');
	json_put_number(j, "time", "%.6f", s->time);
	json_put_string(j, "layer", layer);
	write_axes(j, key->axes, key->naxes);
	json_put_integer(j, "inflight", key->values.inflight);
	json_put_integer(j, "oldest", key->values.oldest);
	write_told(j, key->told);
	json_end(j, '}');
}

static void print_heading(const struct source *s)
{
	if (s->archive)
		printf("%-19s  ", "time");
	printf("%-*s %-*s %9s %8s", LAYER, "layer", KEY, "key", "under way", "oldest");
	for (unsigned int i = 0; i < s->nseries; i++)
		if (has(s->series[i], FIELD_TOLD)) {
			printf(" %9s %-*s %s", "bytes", PLACE, "file or sector", "of");
			break;
		}
	putchar('\n');
}

/*
 * Print the rows of the moment or, if `j` is not NULL, write these rows to `j`. `n` is the number
 * of rows of earlier moments. Returns `n` plus the number of this moment's rows.
 */
static unsigned int show_moment(const struct options *o, const struct source *s, struct json *j,
				unsigned int n)
{
	for (unsigned int i = 0; i < s->nseries; i++) {
		const struct series *series = s->series[i];

		for (unsigned int k = 0; k < series->nkeys; k++) {
			const struct key *key = series->keys[k];

			if (!key->values.inflight || key->values.oldest <= o->longer * 1e6)
				continue;
			if (j) {
				write_row(j, s, layer_of(series), key);
			} else {
				if (!n)
					print_heading(s);
				print_row(s, layer_of(series), key);
			}
			n++;
		}
	}
	return n;
}

/*
 * How many of the modules that are read have since `before` made a walk, a look at all operations
 * under way, that left out some? `before`: earlier values of estat.module.walk_truncated. If
 * `tell`, warn of these modules: an operation that was left out may hang.
 */
static unsigned int partial_walks(struct source *s, const struct text *before, unsigned int n,
				  bool tell)
{
	struct text *now;
	unsigned int nnow = source_texts(s, "estat.module.walk_truncated", &now), partial = 0;

	for (unsigned int i = 0; i < nnow; i++) {
		const char *was = text_of(before, n, now[i].instance);

		if (!was || !strcmp(was, now[i].value) || !is_looked_at(s, now, nnow, i))
			continue;
		partial++;
		if (tell)
			note("WARNING: %s saw only a part of what is under way", now[i].instance);
	}
	texts_free(now, nnow);
	return partial;
}

/*
 * Fetch a moment from a pmcd. If partial_walks() is not 0, fetch again, at most LOOKS times in all.
 */
static void look(struct source *s)
{
	unsigned int looks = 0, partial;

	do {
		struct text *before;
		unsigned int n = source_texts(s, "estat.module.walk_truncated", &before);

		if (looks++)
			moment_fetch(s);
		else
			source_begin(s);
		partial = partial_walks(s, before, n, looks == LOOKS);
		texts_free(before, n);
	} while (partial && looks < LOOKS);
}

/*
 * Tell (of a pmcd) which of the modules that are read have missed events: an operation whose begin
 * was missed is not in estat.*.inflight. Writes a JSON object to `j`; `j` NULL: prints warnings.
 */
static void tell_missed(struct source *s, struct json *j)
{
	struct text *missed;
	unsigned int n = s->archive ? 0 : source_texts(s, "estat.module.missed", &missed);

	if (j)
		json_begin(j, "missed", '{');
	for (unsigned int i = 0; i < n; i++) {
		if (!strcmp(missed[i].value, "0") || !is_looked_at(s, missed, n, i))
			continue;
		if (j)
			json_put_raw(j, missed[i].instance, missed[i].value);
		else
			note("WARNING: %s missed %s events, so it can lack an operation that hangs",
			     missed[i].instance, missed[i].value);
	}
	if (j)
		json_end(j, '}');
	if (n)
		texts_free(missed, n);
}

static bool any_seen(const struct source *s)
{
	for (unsigned int i = 0; i < s->nseries; i++)
		if (s->series[i]->seen)
			return true;
	return false;
}

/*
 * The names of the series that were read without an error, also those that had no key, as a text
 * "bio, nvme"; NULL: none was.
 */
static char *looked_at(const struct source *s)
{
	char *text = NULL;

	for (unsigned int i = 0; i < s->nseries; i++) {
		char *before = text;

		if (!s->series[i]->seen)
			continue;
		text = before ? xasprintf("%s, %s", before, layer_of(s->series[i]))
			      : xalloc(strdup(layer_of(s->series[i])));
		free(before);
	}
	return text;
}

static void write_looked_at(struct json *j, const struct source *s)
{
	json_begin(j, "modules", '[');
	for (unsigned int i = 0; i < s->nseries; i++)
		if (s->series[i]->seen)
			json_put_string(j, NULL, layer_of(s->series[i]));
	json_end(j, ']');
}

int run_stuck(struct options *o, struct source *s)
{
	struct json j, *to = o->form == FORM_JSON ? &j : NULL;
	unsigned int n;

	refuse_options(o, "mMapclLzZqQyYtTPjSBeFDIN", "it shows moments, not intervals");
	check_agent(s);
	find_gauges(s);
	if (s->archive)
		source_begin(s);
	else
		look(s);
	if (!any_seen(s) && s->archive)
		source_has_nothing(s->where, "what is under way");
	if (!any_seen(s))
		die(EXIT_NO_DATA, "what is under way is not known: %s", s->why);
	if (to) {
		j = document_begin("stuck", s->host);
		json_put_number(&j, "longer", "%.6f", o->longer);
		json_begin(&j, "rows", '[');
	}
	n = show_moment(o, s, to, 0);
	while (s->archive && !moment_is_last(s)) {
		moment_fetch(s);
		n = show_moment(o, s, to, n);
	}
	if (to) {
		json_end(&j, ']');
		write_looked_at(&j, s);
		tell_missed(s, to);
		document_end(&j);
		return EXIT_SUCCESS;
	}
	if (!n) {
		char *modules = looked_at(s);

		printf("Nothing has been under way for longer than %g s. Modules looked at: %s.\n",
		       o->longer, modules);
		free(modules);
	}
	tell_missed(s, NULL);
	return EXIT_SUCCESS;
}
