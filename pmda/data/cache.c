// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libpcp_pmda saves a cache of instance numbers by writing the cache's file anew, without checking
 * that the data reached the disk (src/libpcp_pmda/src/cache.c, save_cache, PCP 6.0 to 7.2). On a
 * full disk the file is cut off, and after a restart new keys get numbers that archives have for
 * other keys. So the old file is kept, renamed, until the new file is known to be complete.
 *
 * By itself libpcp_pmda never forgets an instance name. So cache_load() drops the names of a large
 * file beyond MODULE_MOST_KEYS, and cache_save() culls names of a domain that has more than
 * MOST_NAMES. libpcp_pmda reads a file quickly only if the file is sorted by number: of an unsorted
 * file, libpcp_pmda goes for most names over all names with lower numbers (insert_cache). With tens
 * of thousands of names the agent's start would take longer than pmcd waits. So cache_load() sorts
 * the names that it keeps, the highest number first.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache.h"
#include "lib/xalloc.h"
#include "load/module.h"

/*
 * Suffixes of file names. While cache_save() runs, the old file's name ends in BEFORE; while
 * write_file() runs, the new file's name ends in NEW.
 */
#define BEFORE ".before"
#define NEW    ".new"

/* cache_load() sorts a file that has more names than this. */
#define MANY_NAMES 1000

/*
 * cache_save() culls names of a domain that has more names than this: 1/8 more than the most keys,
 * so that culling is rare.
 */
#define MOST_NAMES (MODULE_MOST_KEYS + MODULE_MOST_KEYS / 8)

/*
 * A line of a cache's file, NUMBER WHEN NAME. WHEN: when the name was last in use, as time(2) tells
 * it.
 */
struct line {
	long number, when;
	char *text;
	int name; /* offset of NAME in `text` */
};

struct file {
	char *first; /* the file's first line, which is no instance */
	struct line *lines;
	unsigned int n;
};

/* Domains whose file of numbers exists but could not be read, so the file is never overwritten. */
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

	return (x->number < y->number) - (x->number > y->number);
}

static int by_when(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return x->when < y->when ? 1 : x->when > y->when ? -1 : by_number(a, b);
}

/* Read a file's lines after the first. Returns whether all lines are well formed. */
static bool add_lines(struct file *file, FILE *f)
{
	char *text = NULL;

	for (size_t size = 0; getline(&text, &size, f) > 0; text = NULL, size = 0) {
		struct line *line;

		if (!(file->n & (file->n - 1))) /* `n` is 0 or a power of two */
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

/* Read a file, for free_file() to free. Returns whether the file was read and is well formed. */
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

/*
 * Have the kernel begin to write the file's content to the disk. Otherwise the kernel may write the
 * file's name half a minute before the content, and a loss of power in between would leave the file
 * empty. The function does not call fsync(2), which waits for the disk: the disk may be slow, or
 * hang.
 */
static void begin_writing(int fd)
{
	sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
}

/* Write the first `n` instances of `file` to a new file, and rename the new file to `path`. */
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
	begin_writing(fileno(f));
	fclose(f);
	if (!good || rename(new, path))
		unlink(new);
}

/*
 * Move the lines to keep to the front, ordered by number, the highest first. Returns how many lines
 * to keep: at most MODULE_MOST_KEYS. The line with the highest number is kept, because new numbers
 * must be higher; the other lines kept are those whose names were in use most recently.
 */
static unsigned int order(struct line *lines, unsigned int n)
{
	qsort(lines, n, sizeof(*lines), by_number);
	if (n <= MODULE_MOST_KEYS)
		return n;
	qsort(lines + 1, n - 1, sizeof(*lines), by_when);
	qsort(lines + 1, MODULE_MOST_KEYS - 1, sizeof(*lines), by_number);
	return MODULE_MOST_KEYS;
}

/*
 * Sort a large file, so that libpcp_pmda reads the file quickly, and drop the names beyond
 * MODULE_MOST_KEYS. After an error the file is as before.
 */
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
		/* an earlier agent was killed while it saved, so go back to the old file */
		rename(before, path);
	prepare(path);
	sts = pmdaCacheOp(indom, PMDA_CACHE_LOAD);
	if (sts >= 0 || sts == -ENOENT)
		return;
	pmNotifyErr(LOG_ERR,
		    "%s: instance numbers cannot be read, and new ones are not saved: repair the "
		    "file, or remove it to begin with new numbers",
		    path);
	unread = grow(unread, nunread, sizeof(*unread));
	unread[nunread++] = indom;
}

/*
 * Is the file complete: has it a first line, and a line for each instance of the cache? The
 * function also has the kernel begin to write the file, which libpcp_pmda has closed, to the disk.
 */
static bool finish_file(const char *path, int instances)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	int n = -1;

	while (f && getline(&line, &size, f) > 0 && line[strlen(line) - 1] == '\n')
		n++;
	free(line);
	if (f) {
		begin_writing(fileno(f));
		fclose(f);
	}
	return n >= instances;
}

/*
 * Set the time of last use of all active instances to now, because libpcp_pmda itself sets that
 * time only at PMDA_CACHE_ADD.
 */
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

/* The number of names in a domain's cache. PMDA_CACHE_SIZE would count culled names, too. */
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
 * Cull the names beyond MODULE_MOST_KEYS: those that have been out of use for the longest time
 * according to the file at `path`. A name that is in use stays. The name with the highest number
 * stays, because libpcp_pmda holds a pointer to that name's entry (redo_hash).
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

/*
 * Save a cache, and check the new file. Returns 0 if the new file has all names. Returns 0, too, if
 * libpcp_pmda writes no file, because no name is new or culled since libpcp_pmda last read or wrote
 * a file, even a file that was cut off. Else returns a negative errno or PM_ERR_*.
 */
static int save(pmInDom indom, const char *path)
{
	int sts;

	note_present(indom);
	sts = pmdaCacheOp(indom, PMDA_CACHE_SAVE);
	if (sts <= 0)
		return sts;
	return finish_file(path, names_of(indom)) ? 0 : -ENOSPC;
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
