// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "lib/xalloc.h"
#include "options.h"

/* The duration, in seconds, in the command line of table_to_type(). */
#define SECONDS "5"

/* Print a word, quoted for the shell if need be. */
static void print_quoted(FILE *f, const char *word)
{
	bool plain = *word &&
		     !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					"0123456789_-+=./:@%,")];

	if (!plain)
		fputc('\'', f);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", f);
		else
			fputc(*word, f);
	if (!plain)
		fputc('\'', f);
}

/*
 * Print the option `name` of PCP with the value of the environment variable `variable`. Prints
 * nothing if the variable is not set, or empty.
 */
static void print_pcp_option(FILE *f, const char *name, const char *variable)
{
	const char *value = getenv(variable);

	if (!value || !*value)
		return;
	fprintf(f, " --%s ", name);
	print_quoted(f, value);
}

char *command_to_type(const char *words, char *const *filters, bool window)
{
	char *text = NULL;
	size_t size;
	FILE *f = xalloc(open_memstream(&text, &size));

	fprintf(f, "estat %s", words);
	for (; filters && *filters; filters++) {
		fputs(" --filter ", f);
		print_quoted(f, *filters);
	}
	print_pcp_option(f, "host", "PCP_HOST");
	print_pcp_option(f, "archive", "PCP_ARCHIVE");
	if (window) {
		print_pcp_option(f, "start", "PCP_START_TIME");
		print_pcp_option(f, "finish", "PCP_FINISH_TIME");
		print_pcp_option(f, "timezone", "PCP_TIMEZONE");
	}
	fclose(f);
	return xalloc(text);
}

char *table_to_type(const char *name, const char *options, char *const *filters)
{
	const struct command_word *command = find_command(name);
	const char *option = command ? command->table_option : NULL;
	char *words = xasprintf("%s%s%s%s%s%s", name, option ? " " : "", option ?: "",
				getenv("PCP_ARCHIVE") ? "" : " " SECONDS, *options ? " " : "",
				options);
	char *text = command_to_type(words, filters, true);

	free(words);
	return text;
}
