// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * PCP's caches of instance numbers.
 *
 * libpcp_pmda saves one by writing its file anew, and does not look whether that went to
 * the disk (src/libpcp_pmda/src/cache.c, save_cache, PCP 6.0 to 7.2): on a full disk the
 * file is cut off, and the next start gives numbers that others have in archives. So the
 * file that was there is kept by another name until the new one is found to be whole.
 *
 * It forgets no name, and for each that it reads it goes through all that have lower numbers
 * (insert_cache): tens of thousands would take longer than pmcd waits. So a large file has the
 * higher numbers first, and no more names than a module can have keys.
 */
#include <errno.h>
#include <stdio.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache.h"
#include "module.h"
#include "util.h"

/* What the name of the file that is kept ends in, and that of one that is being written. */
#define BEFORE ".before"
#define NEW    ".new"

/* A file is large from here on. */
#define MANY_NAMES 1000

/* A line of such a file after its first: NUMBER WHEN NAME; when it was there last, as time(2). */
struct line {
	long number, when;
	char *text;
};

/* Domains whose file is there and could not be read: it is not written over. */
static pmInDom *unread;
static unsigned int nunread;

static void file_of(pmInDom indom, const char *suffix, char *path)
{
	char name[64];

	pmInDomStr_r(indom, name, sizeof(name));
	pmsprintf(path, MAXPATHLEN, "%s/config/pmda/%s%s", pmGetConfig("PCP_VAR_DIR"), name,
		  suffix);
}

static bool is_unread(pmInDom indom)
{
	for (unsigned int i = 0; i < nunread; i++)
		if (unread[i] == indom)
			return true;
	return false;
}

static int by_number(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return x->number < y->number ? 1 : -(x->number > y->number);
}

static int by_when(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return x->when < y->when ? 1 : x->when > y->when ? -1 : by_number(a, b);
}

/* Read a file: its first line, and n others. Returns whether it is as such files are. */
static bool read_lines(FILE *f, char **first, struct line **lines, unsigned int *n)
{
	size_t size = 0;
	char *text = NULL;

	if (getline(first, &size, f) < 0)
		return false;
	for (size = 0; getline(&text, &size, f) > 0; text = NULL, size = 0) {
		struct line *line;

		*lines = or_die(realloc(*lines, (*n + 1) * sizeof(**lines)));
		line = &(*lines)[(*n)++];
		line->text = text;
		if (sscanf(text, "%ld %ld", &line->number, &line->when) != 2)
			return false;
	}
	free(text);
	return true;
}

static void write_lines(const char *path, const char *first, const struct line *lines,
			unsigned int n)
{
	char new[MAXPATHLEN];
	bool good;
	FILE *f;

	pmsprintf(new, sizeof(new), "%s%s", path, NEW);
	f = fopen(new, "we");
	if (!f)
		return;
	fputs(first, f);
	for (unsigned int i = 0; i < n; i++)
		fputs(lines[i].text, f);
	good = !fflush(f) && !ferror(f);
	fclose(f);
	if (!good || rename(new, path))
		unlink(new);
}

/* The highest number stays first, for the next that is given is higher. Returns how many stay. */
static unsigned int order(struct line *lines, unsigned int n)
{
	qsort(lines, n, sizeof(*lines), by_number);
	if (n <= MODULE_MOST_KEYS)
		return n;
	qsort(lines + 1, n - 1, sizeof(*lines), by_when);
	qsort(lines + 1, MODULE_MOST_KEYS - 1, sizeof(*lines), by_number);
	return MODULE_MOST_KEYS;
}

/* Have a large file be read quickly. If that cannot be, it stays as it is. */
static void prepare(const char *path)
{
	FILE *f = fopen(path, "re");
	struct line *lines = NULL;
	char *first = NULL;
	unsigned int n = 0;

	if (f && read_lines(f, &first, &lines, &n) && n > MANY_NAMES)
		write_lines(path, first, lines, order(lines, n));
	for (unsigned int i = 0; i < n; i++)
		free(lines[i].text);
	free(lines);
	free(first);
	if (f)
		fclose(f);
}

void cache_load(pmInDom indom)
{
	char path[MAXPATHLEN], before[MAXPATHLEN];
	int sts;

	if (pmdaCacheOp(indom, PMDA_CACHE_CHECK) > 0)
		return;
	file_of(indom, "", path);
	file_of(indom, BEFORE, before);
	if (!access(before, F_OK))
		rename(before, path); /* the agent was killed while it saved */
	prepare(path);
	sts = pmdaCacheOp(indom, PMDA_CACHE_LOAD);
	if (sts >= 0 || sts == -ENOENT)
		return;
	pmNotifyErr(LOG_ERR,
		    "%s: instance numbers cannot be read, and those of now are not saved, until it "
		    "is put right, or removed to begin anew",
		    path);
	unread = or_die(realloc(unread, (nunread + 1) * sizeof(*unread)));
	unread[nunread++] = indom;
}

/* Has a file as many lines as the cache has instances, and its first? */
static bool is_whole(const char *path, int instances)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	int n = -1;

	while (f && getline(&line, &size, f) > 0 && line[strlen(line) - 1] == '\n')
		n++;
	free(line);
	if (f)
		fclose(f);
	return n >= instances;
}

/* All that is there was there last: by itself libpcp_pmda notes when it came. */
static void note_present(pmInDom indom)
{
	void *private;
	char *name;
	int inst;

	pmdaCacheOp(indom, PMDA_CACHE_WALK_REWIND);
	while ((inst = pmdaCacheOp(indom, PMDA_CACHE_WALK_NEXT)) >= 0)
		if (pmdaCacheLookup(indom, inst, &name, &private) == PMDA_CACHE_ACTIVE)
			pmdaCacheStore(indom, PMDA_CACHE_ADD, name, private);
}

/* Save, and make sure. Returns 0, also if there was nothing to be saved, or errno's negative. */
static int save(pmInDom indom, const char *path)
{
	int sts;

	note_present(indom);
	sts = pmdaCacheOp(indom, PMDA_CACHE_SAVE);
	if (sts <= 0)
		return sts;
	return is_whole(path, pmdaCacheOp(indom, PMDA_CACHE_SIZE)) ? 0 : -ENOSPC;
}

void cache_save(pmInDom indom)
{
	char path[MAXPATHLEN], before[MAXPATHLEN];
	static bool told;
	bool had;
	int sts;

	if (is_unread(indom))
		return;
	file_of(indom, "", path);
	file_of(indom, BEFORE, before);
	had = !rename(path, before);
	sts = save(indom, path);
	if (sts < 0 && !told)
		pmNotifyErr(LOG_ERR,
			    "%s: instance numbers cannot be saved and may change with a restart: "
			    "%s",
			    path, pmErrStr(sts));
	told |= sts < 0;
	if (sts < 0)
		unlink(path);
	if (had && access(path, F_OK))
		rename(before, path);
	else if (had)
		unlink(before);
}
