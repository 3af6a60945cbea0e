// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the rows of keys are called.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "title.h"

/*
 * The original's name and axis of a key. {AXIS} is that axis' value, {AXIS:N} its first N
 * characters. Other programs' name is their axis op, and their axis the others.
 */
static const struct title {
	const char *module, *name, *axis;
} titles[] = {
	{ "backend_io", "{op}", "" },
	{ "zio", "{op}", "{priority}" },
	{ "zio_queue", "{op}", "{priority}" },
	{ "zpl", "zfs_{op} {sync}", "" },
	{ "zvol", "{op}", "{sync}" },
	{ "metaslab_alloc", "{vdev}", "{result}" },
	{ "nfs", "{version:2}/{op}", "{how}" },
	{ "nfs_by_client", "{version:2}/{op}/{how}", "{client}" },
	{ "iscsi", "{op}", "" },
};

/* The original's names of zil's stages. */
static const struct {
	const char *stage, *name;
} stages[] = {
	{ "write_sync", "zfs_write sync" }, { "write_async", "zfs_write async" },
	{ "fsync", "zfs_fsync" },           { "commit", "zil_commit" },
	{ "allocation", "allocation" },     { "io_wait", "io wait" },
};

static char *fill(const char *format, const struct key *key)
{
	char *text = NULL;
	size_t size;
	FILE *f = or_die(open_memstream(&text, &size));

	for (const char *p = format; *p; p++) {
		int length = 0, most = INT_MAX;
		char axis[64];

		if ((sscanf(p, "{%63[^:}]}%n", axis, &length) == 1 && length) ||
		    (sscanf(p, "{%63[^:}]:%d}%n", axis, &most, &length) == 2 && length)) {
			const char *value = key_axis(key, axis);

			fprintf(f, "%.*s", most, value ? value : "");
			p += length - 1;
		} else {
			fputc(*p, f);
		}
	}
	fclose(f);
	return or_die(text);
}

/* All axes but these, joined. */
static char *other_axes(const struct key *key, const char *but)
{
	char *text = NULL;
	size_t size;
	FILE *f = or_die(open_memstream(&text, &size));
	bool any = false;

	for (unsigned int i = 0; i < key->naxes; i++) {
		if (!strcmp(key->axes[i].name, but) || !strcmp(key->axes[i].name, "pool"))
			continue;
		fprintf(f, "%s%s", any ? ", " : "", key->axes[i].value);
		any = true;
	}
	fclose(f);
	return or_die(text);
}

/* The axis of a key with -a lun. */
static const char *by_disk(const struct key *key)
{
	return key_axis(key, "lun") ? "{target} {lun} {initiator}" : "{disk}";
}

void title(const struct options *o, const struct key *key, char **name, char **axis)
{
	const char *stage = key_axis(key, "stage");

	for (size_t i = 0; stage && i < sizeof(stages) / sizeof(stages[0]); i++)
		if (!strcmp(stage, stages[i].stage)) {
			*name = or_die(strdup(stages[i].name));
			*axis = or_die(strdup(""));
			return;
		}
	if (key->naxes == 1 && !strcmp(key->name, ESTAT_OTHERS_NAME)) {
		*name = or_die(strdup(ESTAT_OTHERS_NAME));
		*axis = or_die(strdup(""));
		return;
	}
	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		if (!strcmp(o->module, titles[i].module)) {
			*name = fill(titles[i].name, key);
			*axis = fill(o->by_disk ? by_disk(key) : titles[i].axis, key);
			if (key_axis(key, "volume") && !strcmp(*name, "read"))
				**axis = '\0'; /* the original does not tell them apart */
			return;
		}
	*name = key_axis(key, "op") ? fill("{op}", key) : other_axes(key, "");
	*axis = key_axis(key, "op") ? other_axes(key, "op") : or_die(strdup(""));
}
