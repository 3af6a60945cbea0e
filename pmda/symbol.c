// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The functions that the kernel has, with its modules.
 */
#include <stdio.h>
#include <string.h>

#include "abi.h"
#include "symbol.h"

/* The last that was asked for: a module's programs ask for the same one after another. */
static char asked[ESTAT_FUNCTION_LEN];
static bool answer;

/* ADDRESS TYPE NAME [MODULE]; who may not see addresses sees the rest. */
static bool look(const char *function)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[1024], name[ESTAT_FUNCTION_LEN], type;
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, "%*s %c %63s", &type, name) == 2 && strchr("tTwW", type) &&
			!strcmp(name, function);
	if (f)
		fclose(f);
	return found;
}

bool symbol_exists(const char *function)
{
	if (strcmp(asked, function)) {
		snprintf(asked, sizeof(asked), "%s", function);
		answer = look(function);
	}
	return answer;
}

void symbol_forget(void)
{
	*asked = '\0';
}
