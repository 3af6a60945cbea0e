// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How the agent says that a series is to be shown.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shown.h"
#include "util.h"

#define SEPARATOR "; "
#define SHOWN_AS  "\nShown as\n"

/* What agents that do not say it had; nothing of a module that came later. */
static const struct {
	const char *name, *shown;
} older[] = {
#include "shown.inc"
};

static const char *find_older(const char *name)
{
	for (size_t i = 0; i < sizeof(older) / sizeof(older[0]); i++)
		if (!strcmp(older[i].name, name))
			return older[i].shown;
	return NULL;
}

/* The axes of "Keys of estat.zio: pool::op::priority". */
static void read_axes(struct shown *shown, const char *part)
{
	const char *axis = strstr(part, ": ");

	for (axis = axis ? axis + 2 : ""; *axis && shown->naxes < MAX_AXES;) {
		const char *end = strstr(axis, "::");
		size_t length = end ? (size_t)(end - axis) : strlen(axis);

		shown->axes[shown->naxes++] = or_die(strndup(axis, length));
		axis += length + (end ? 2 : 0);
	}
}

/* A part of a declaration. Returns whether it is one. */
static bool read_part(struct shown *shown, const char *part)
{
	const char *comma;

	if (!strcmp(part, "nested")) {
		shown->nested = true;
	} else if (!strncmp(part, "every ", 6)) {
		shown->every = strtod(part + 6, NULL);
	} else if (!strncmp(part, "rows ", 5)) {
		part += 5;
		comma = strstr(part, ", ");
		shown->name = or_die(comma ? strndup(part, comma - part) : strdup(part));
		shown->axis = or_die(strdup(comma ? comma + 2 : ""));
	} else {
		return false;
	}
	return true;
}

/* All parts but the first, if `axes` is true: that is the axes. */
static bool read_parts(struct shown *shown, const char *text, bool axes)
{
	char *copy = or_die(strdup(text)), *part = copy;
	bool any = false;

	while (part) {
		char *end = strstr(part, SEPARATOR);

		if (end)
			*end = '\0';
		if (axes)
			read_axes(shown, part);
		else
			any |= read_part(shown, part);
		axes = false;
		part = end ? end + sizeof(SEPARATOR) - 1 : NULL;
	}
	free(copy);
	return any;
}

struct shown shown_read(const char *prefix, pmInDom indom)
{
	struct shown shown = { 0 };
	const char *before = find_older(prefix);
	bool said = false;
	char *text;

	if (indom != PM_INDOM_NULL && pmLookupInDomText(indom, PM_TEXT_HELP, &text) >= 0) {
		said = read_parts(&shown, text, true);
		free(text);
	}
	if (!said && before)
		read_parts(&shown, before, false);
	return shown;
}

const char *shown_events(const char *name, pmID events)
{
	const char *shown;
	char *text;

	if (pmLookupText(events, PM_TEXT_HELP, &text) < 0)
		return find_older(name);
	shown = strstr(text, SHOWN_AS);
	return shown ? shown + sizeof(SHOWN_AS) - 1 : find_older(name);
}
