// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "devices/graph.h"
#include "lib/xalloc.h"
#include "schema/axis.h"
#include "told.h"

static void put_number(FILE *f, const char *name, uint64_t n)
{
	fprintf(f, "%s%s=%" PRIu64, ftell(f) ? " " : "", name, n);
}

static void put_text(FILE *f, const char *name, const char *text, size_t size)
{
	char plain[AXIS_TEXT_LEN], *escaped;

	if (!*text)
		return;
	snprintf(plain, sizeof(plain), "%.*s", (int)size, text);
	escape_controls(plain);
	escaped = graph_escape(plain);
	fprintf(f, "%s%s=%s", ftell(f) ? " " : "", name, escaped);
	free(escaped);
}

char *told_text(const struct series *s, const struct field *oldest, const uint64_t *values)
{
	const struct estat_all_told *all = s->module->now.memory.told;
	uint64_t walk = s->module->now.programs.walk;
	uint32_t number = values[oldest->word + 1] & ESTAT_TOLD_MASK;
	const struct estat_told *t;
	char *text;
	size_t size;
	FILE *f;

	if (!all || !walk || values[oldest->word] != walk || all->walk != walk || !number ||
	    number > ESTAT_TOLD)
		return NULL;
	t = &all->operations[number - 1];
	f = xalloc(open_memstream(&text, &size));
	if (t->sector)
		put_number(f, "sector", t->sector - 1);
	if (t->bytes)
		put_number(f, "bytes", t->bytes);
	if (t->transaction)
		put_number(f, "transaction", t->transaction);
	if (t->pid)
		put_number(f, "pid", t->pid);
	put_text(f, "command", t->command, sizeof(t->command));
	put_text(f, "file", t->file, sizeof(t->file));
	put_text(f, "cgroup", t->cgroup, sizeof(t->cgroup));
	fclose(f);
	xalloc(text);
	if (*text)
		return text;
	free(text);
	return NULL;
}
