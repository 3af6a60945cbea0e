// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * PCP's caches of instance numbers.
 *
 * libpcp_pmda saves one by writing its file anew, and does not look whether that went to
 * the disk (src/libpcp_pmda/src/cache.c, save_cache, PCP 6.0 to 7.2): on a full disk the
 * file is cut off, and the next start gives numbers that others have in archives. So the
 * file that was there is kept by another name until the new one is found to be whole.
 */
#include <errno.h>
#include <stdio.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache.h"
#include "util.h"

/* What the name of the file that is kept ends in. */
#define BEFORE ".before"

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

/* Save, and make sure. Returns 0, also if there was nothing to be saved, or errno's negative. */
static int save(pmInDom indom, const char *path)
{
	int sts = pmdaCacheOp(indom, PMDA_CACHE_SAVE);

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
