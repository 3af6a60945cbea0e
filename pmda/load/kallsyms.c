// SPDX-License-Identifier: GPL-2.0-or-later
/* Symbols of the kernel and of kernel modules, from /proc/kallsyms. */
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "kallsyms.h"
#include "lib/xalloc.h"
#include "symbols.h"

struct symbol {
	char *name;
	char *module; /* the kernel module that has the function, or NULL */
	uint64_t address;
	bool is_function;
	bool known; /* a reading has looked for `name`, and kallsyms_forget() has not run since */
};

/*
 * The most readings of /proc/kallsyms in a row. Another reading follows if kernel modules came or
 * went during the last one.
 */
#define LOOKS 8

#define PAGE  4096 /* with pages of 4 KiB, read(2) of /proc/kallsyms returns no more bytes */

static void *symbols; /* a tree of struct symbol, see tsearch(3) */
static FILE *kallsyms;
/* at the newest reading neither /proc/kallsyms nor symbols_open() showed an address */
static bool hidden;

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

void kallsyms_want(const char *name)
{
	struct symbol *s;

	if (find(name))
		return;
	s = xalloc(calloc(1, sizeof(*s)));
	s->name = xalloc(strdup(name));
	xalloc(tsearch(s, &symbols, compare));
}

static void note_unknown(const void *node, VISIT visit, int depth)
{
	struct symbol *s = *(struct symbol *const *)node;

	(void)depth;
	if (visit != postorder && visit != leaf)
		return;
	free(s->module);
	*s = (struct symbol){ .name = s->name };
}

static void note_known(const void *node, VISIT visit, int depth)
{
	(void)depth;
	if (visit == postorder || visit == leaf)
		(*(struct symbol *const *)node)->known = true;
}

/*
 * Store in *s what a line ADDRESS TYPE NAME [MODULE] of /proc/kallsyms says of the symbol. If
 * several lines have the name, s->module is of the first function, and s->address is the first that
 * is not 0.
 */
static void note(struct symbol *s, const char *address, char type, const char *module)
{
	if (!s->is_function && strchr("tTwW", type)) {
		s->is_function = true;
		if (module)
			s->module = xalloc(strdup(module));
	}
	if (!s->address)
		s->address = strtoull(address, NULL, 16);
}

void kallsyms_open(void)
{
	if (kallsyms)
		return;
	kallsyms = fopen("/proc/kallsyms", "re");
	if (kallsyms)
		setvbuf(kallsyms, NULL, _IOFBF, PAGE); /* stdio would read 1024 bytes at a time */
}

/*
 * Look in `f` for the wanted symbols. Returns false if all addresses in `f` are 0, because the
 * kernel hides them.
 */
static bool read_symbols(FILE *f)
{
	bool shown = false;
	char line[1024];

	while (fgets(line, sizeof(line), f)) {
		char *type = strchr(line, ' '), *save = NULL;
		const char *name;
		struct symbol *s;

		if (!type || !type[1] || !type[2])
			continue;
		shown |= strspn(line, "0") < (size_t)(type - line);
		type++;
		name = strtok_r(type + 2, "\t\n", &save);
		s = name ? find(name) : NULL;
		if (s)
			note(s, line, *type, strtok_r(NULL, "[]\n", &save));
	}
	return shown;
}

static void read_all(void)
{
	FILE *f;

	rewind(kallsyms);
	hidden = !read_symbols(kallsyms);
	f = hidden ? symbols_open() : NULL;
	if (!f)
		return;
	hidden = !read_symbols(f);
	fclose(f);
}

/*
 * The kernel keeps a reader's position as a number of symbols. If a kernel module's symbols go away
 * during a reading, the reader misses as many others. So read again until no kernel module comes or
 * goes during a reading, but not more than LOOKS times in all.
 */
void kallsyms_read(void)
{
	unsigned long before;
	bool settled;
	int looks = 0;

	twalk(symbols, note_known);
	kallsyms_open();
	if (!kallsyms)
		return;
	do {
		before = kernel_modules_now(&settled);
		read_all();
	} while (kernel_modules_now(&settled) != before && ++looks < LOOKS);
}

static const struct symbol *known(const char *name)
{
	kallsyms_want(name);
	if (!find(name)->known)
		kallsyms_read();
	return find(name);
}

bool kallsyms_is_function(const char *name)
{
	return known(name)->is_function;
}

const char *kallsyms_module(const char *name)
{
	return known(name)->module;
}

uint64_t kallsyms_address(const char *name)
{
	return known(name)->address;
}

bool kallsyms_hides(const char *name)
{
	return !known(name)->address && hidden;
}

void kallsyms_forget(void)
{
	twalk(symbols, note_unknown);
}

static void free_symbol(void *symbol)
{
	struct symbol *s = symbol;

	free(s->module);
	free(s->name);
	free(s);
}

void kallsyms_free(void)
{
	tdestroy(symbols, free_symbol);
	symbols = NULL;
	if (kallsyms)
		fclose(kallsyms);
	kallsyms = NULL;
}
