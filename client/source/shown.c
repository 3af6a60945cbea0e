// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How the agent says that a series is to be shown.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "shown.h"

#define SEPARATOR "; "
#define SHOWN_AS  "\nShown as\n"

/* What is known of modules where the source says nothing. */
static const struct known {
	const char *name, *axes, *shown;
} all_known[] = {
#include "shown.inc"
};

static const struct known *find_known(const char *name)
{
	static const struct known nothing = { "", "", "" };

	for (size_t i = 0; i < sizeof(all_known) / sizeof(all_known[0]); i++)
		if (!strcmp(all_known[i].name, name))
			return &all_known[i];
	return &nothing;
}

/* pool::op::priority */
static void read_axes(struct shown *shown, const char *axis)
{
	while (*axis && shown->naxes < MAX_AXES) {
		const char *end = strstr(axis, "::");
		size_t length = end ? (size_t)(end - axis) : strlen(axis);

		shown->axes[shown->naxes++] = xalloc(strndup(axis, length));
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
		shown->name = xalloc(comma ? strndup(part, comma - part) : strdup(part));
		shown->axis = xalloc(strdup(comma ? comma + 2 : ""));
	} else {
		return false;
	}
	return true;
}

/* The parts of a declaration. Returns whether there is one. */
static bool read_parts(struct shown *shown, const char *text)
{
	char *copy = xalloc(strdup(text)), *part = copy;
	bool any = false;

	while (part) {
		char *end = strstr(part, SEPARATOR);

		if (end)
			*end = '\0';
		any |= read_part(shown, part);
		part = end ? end + sizeof(SEPARATOR) - 1 : NULL;
	}
	free(copy);
	return any;
}

/* "Keys of estat.zio: pool::op::priority; rows {op}, {priority}" */
static bool read_text(struct shown *shown, char *text)
{
	char *end = strstr(text, SEPARATOR), *axes;

	if (end)
		*end = '\0';
	axes = strstr(text, ": ");
	if (axes)
		read_axes(shown, axes + 2);
	return end && read_parts(shown, end + sizeof(SEPARATOR) - 1);
}

struct shown shown_read(const char *prefix, pmInDom indom)
{
	const struct known *known = find_known(prefix);
	struct shown shown = { 0 };
	bool said = false;
	char *text;

	if (indom != PM_INDOM_NULL && pmLookupInDomText(indom, PM_TEXT_HELP, &text) >= 0) {
		said = read_text(&shown, text);
		free(text);
	}
	if (!shown.naxes)
		read_axes(&shown, known->axes);
	if (!said)
		read_parts(&shown, known->shown);
	return shown;
}

const char *shown_events(const char *name, pmID events)
{
	const char *shown = NULL;
	char *text;

	if (pmLookupText(events, PM_TEXT_HELP, &text) >= 0)
		shown = strstr(text, SHOWN_AS);
	shown = shown ? shown + sizeof(SHOWN_AS) - 1 : find_known(name)->shown;
	return *shown ? shown : NULL;
}
