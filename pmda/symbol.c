// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel's symbols.
 */
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol.h"
#include "util.h"

struct symbol {
	char *name;
	uint64_t address;
	bool is_function;
	bool known; /* as of the last reading */
};

static void *symbols; /* a tree, tsearch(3) */

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct symbol *)a)->name, ((const struct symbol *)b)->name);
}

static struct symbol *find(const char *name)
{
	struct symbol wanted = { .name = (char *)name };
	struct symbol **found = tfind(&wanted, &symbols, compare);

	return found ? *found : NULL;
}

void symbol_want(const char *name)
{
	struct symbol *s;

	if (find(name))
		return;
	s = or_die(calloc(1, sizeof(*s)));
	s->name = or_die(strdup(name));
	or_die(tsearch(s, &symbols, compare));
}

static void note_unknown(const void *node, VISIT visit, int depth)
{
	struct symbol *s = *(struct symbol *const *)node;

	(void)depth;
	if (visit == postorder || visit == leaf)
		*s = (struct symbol){ .name = s->name };
}

static void note_known(const void *node, VISIT visit, int depth)
{
	(void)depth;
	if (visit == postorder || visit == leaf)
		(*(struct symbol *const *)node)->known = true;
}

/* Find all that are wanted. Lines are ADDRESS TYPE NAME [MODULE]. */
static void look(void)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[1024];

	twalk(symbols, note_known);
	while (f && fgets(line, sizeof(line), f)) {
		char *type = strchr(line, ' ');
		struct symbol *s;

		if (!type || !type[1] || !type[2])
			continue;
		type++;
		type[2 + strcspn(type + 2, "\t\n")] = '\0';
		s = find(type + 2);
		if (!s)
			continue;
		s->is_function |= !!strchr("tTwW", *type);
		if (!s->address)
			s->address = strtoull(line, NULL, 16);
	}
	if (f)
		fclose(f);
}

static const struct symbol *known(const char *name)
{
	symbol_want(name);
	if (!find(name)->known)
		look();
	return find(name);
}

bool symbol_is_function(const char *name)
{
	return known(name)->is_function;
}

uint64_t symbol_address(const char *name)
{
	return known(name)->address;
}

void symbol_forget(void)
{
	twalk(symbols, note_unknown);
}

static void free_symbol(void *symbol)
{
	free(((struct symbol *)symbol)->name);
	free(symbol);
}

void symbol_free(void)
{
	tdestroy(symbols, free_symbol);
	symbols = NULL;
}
