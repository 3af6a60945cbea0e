// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * PCP's caches of instance numbers.
 *
 * libpcp_pmda saves one by writing its file anew, and does not look whether that went to
 * the disk (src/libpcp_pmda/src/cache.c, save_cache, PCP 6.0 to 7.2): on a full disk the
 * file is cut off, and the next start gives numbers that others have in archives. So the
 * file that was there is kept by another name until the new one is found to be whole.
 *
 * It forgets no name by itself, and writes all whenever one is new; and for each that it reads it
 * goes through all that have lower numbers (insert_cache): tens of thousands would take longer
 * than pmcd waits. So a large file has the higher numbers first, and no more names than a module
 * can have keys; and those that are beyond that while the agent runs are culled.
 */
#include <errno.h>
#include <stdio.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache.h"
#include "lib/xalloc.h"
#include "load/module.h"

/* What the name of the file that is kept ends in, and that of one that is being written. */
#define BEFORE ".before"
#define NEW    ".new"

/* A file is large from here on. */
#define MANY_NAMES 1000

/* How many names there may be while it runs: to cull takes as long as to save a few times. */
#define MOST_NAMES (MODULE_MOST_KEYS + MODULE_MOST_KEYS / 8)

/* A line of such a file after its first: NUMBER WHEN NAME; when it was there last, as time(2). */
struct line {
	long number, when;
	char *text;
	int name; /* where in it that begins */
};

struct file {
	char *first;
	struct line *lines;
	unsigned int n;
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

/* Add the lines of a file after its first. Returns whether it is as such files are. */
static bool add_lines(struct file *file, FILE *f)
{
	char *text = NULL;

	for (size_t size = 0; getline(&text, &size, f) > 0; text = NULL, size = 0) {
		struct line *line;

		if (!(file->n & (file->n - 1))) /* room for twice as many */
			file->lines = xalloc(
				realloc(file->lines, (2 * file->n + 1) * sizeof(*file->lines)));
		line = &file->lines[file->n++];
		*line = (struct line){ .text = text };
		if (sscanf(text, "%ld %ld %n", &line->number, &line->when, &line->name) != 2)
			return false;
	}
	free(text);
	return true;
}

/* Read a file, to be freed by free_file(). Returns whether it is as such files are. */
static bool read_file(struct file *file, const char *path)
{
	FILE *f = fopen(path, "re");
	size_t size = 0;
	bool good = f && getline(&file->first, &size, f) >= 0 && add_lines(file, f);

	if (f)
		fclose(f);
	return good;
}

static void free_file(struct file *file)
{
	for (unsigned int i = 0; i < file->n; i++)
		free(file->lines[i].text);
	free(file->lines);
	free(file->first);
}

/* Write the file with the first n of its lines. */
static void write_file(const struct file *file, const char *path, unsigned int n)
{
	char new[MAXPATHLEN];
	bool good;
	FILE *f;

	pmsprintf(new, sizeof(new), "%s%s", path, NEW);
	f = fopen(new, "we");
	if (!f)
		return;
	fputs(file->first, f);
	for (unsigned int i = 0; i < n; i++)
		fputs(file->lines[i].text, f);
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
	struct file file = {};

	if (read_file(&file, path) && file.n > MANY_NAMES)
		write_file(&file, path, order(file.lines, file.n));
	free_file(&file);
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
	unread = xalloc(realloc(unread, (nunread + 1) * sizeof(*unread)));
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

/* How many names the cache has; PMDA_CACHE_SIZE counts those that were culled, too. */
static int names_of(pmInDom indom)
{
	return pmdaCacheOp(indom, PMDA_CACHE_SIZE_ACTIVE) +
	       pmdaCacheOp(indom, PMDA_CACHE_SIZE_INACTIVE);
}

static void cull(pmInDom indom, struct line *line)
{
	char *name = line->text + line->name;

	name[strcspn(name, "\n")] = '\0';
	if (pmdaCacheLookupName(indom, name, NULL, NULL) == PMDA_CACHE_INACTIVE)
		pmdaCacheStore(indom, PMDA_CACHE_CULL, name, NULL);
}

/*
 * Of names beyond the bound those go that were there last the longest ago, which only the file
 * tells. The one that has the highest number stays: libpcp_pmda holds on to it (redo_hash).
 */
static void cull_names(pmInDom indom, const char *path)
{
	struct file file = {};

	if (read_file(&file, path))
		for (unsigned int i = order(file.lines, file.n); i < file.n; i++)
			cull(indom, &file.lines[i]);
	free_file(&file);
	pmdaCacheOp(indom, PMDA_CACHE_REORG);
}

/* Save, and make sure. Returns 0, also if there was nothing to be saved, or errno's negative. */
static int save(pmInDom indom, const char *path)
{
	int sts;

	note_present(indom);
	sts = pmdaCacheOp(indom, PMDA_CACHE_SAVE);
	if (sts <= 0)
		return sts;
	return is_whole(path, names_of(indom)) ? 0 : -ENOSPC;
}

void cache_save(pmInDom indom)
{
	char path[MAXPATHLEN], before[MAXPATHLEN];
	static bool logged;
	bool had;
	int sts;

	if (is_unread(indom))
		return;
	file_of(indom, "", path);
	file_of(indom, BEFORE, before);
	had = !rename(path, before);
	sts = save(indom, path);
	if (!sts && names_of(indom) > MOST_NAMES) {
		cull_names(indom, path);
		sts = save(indom, path);
	}
	if (sts < 0 && !logged)
		pmNotifyErr(LOG_ERR,
			    "%s: instance numbers cannot be saved and may change with a restart: "
			    "%s",
			    path, pmErrStr(sts));
	logged |= sts < 0;
	if (sts < 0)
		unlink(path);
	if (had && access(path, F_OK))
		rename(before, path);
	else if (had)
		unlink(before);
}
