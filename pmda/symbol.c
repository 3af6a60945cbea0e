// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The functions that the kernel has, with its modules.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol.h"
#include "util.h"

static struct symbol {
	char *name;
	bool known, exists;
} * symbols;
static unsigned int nsymbols;

static struct symbol *find(const char *function, size_t length)
{
	for (unsigned int i = 0; i < nsymbols; i++)
		if (!strncmp(symbols[i].name, function, length) && !symbols[i].name[length])
			return &symbols[i];
	return NULL;
}

void symbol_want(const char *function)
{
	if (find(function, strlen(function)))
		return;
	symbols = or_die(realloc(symbols, (nsymbols + 1) * sizeof(*symbols)));
	symbols[nsymbols++] = (struct symbol){ .name = or_die(strdup(function)) };
}

/* Find all that are wanted. Lines are ADDRESS TYPE NAME [MODULE]. */
static void look(void)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[1024];

	for (unsigned int i = 0; i < nsymbols; i++)
		symbols[i].known = true;
	while (f && fgets(line, sizeof(line), f)) {
		const char *type = strchr(line, ' ');
		struct symbol *s;

		if (!type || !strchr("tTwW", *++type))
			continue;
		s = find(type + 2, strcspn(type + 2, "\t\n"));
		if (s)
			s->exists = true;
	}
	if (f)
		fclose(f);
}

bool symbol_exists(const char *function)
{
	struct symbol *s;

	symbol_want(function);
	s = find(function, strlen(function));
	if (!s->known)
		look();
	return s->exists;
}

void symbol_forget(void)
{
	for (unsigned int i = 0; i < nsymbols; i++)
		free(symbols[i].name);
	free(symbols);
	symbols = NULL;
	nsymbols = 0;
}
