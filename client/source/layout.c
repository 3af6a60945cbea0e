// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "layout.h"

#define SEPARATOR "; "
#define SHOWN_AS  "\nShown as\n"

/* The modules' layouts when this command was built, for a source that has no layouts. */
static const struct known {
	const char *name, *axes, *layout;
} all_known[] = {
#include "layout.inc"
};

static const struct known *find_known(const char *name)
{
	static const struct known nothing = { "", "", "" };

	for (size_t i = 0; i < sizeof(all_known) / sizeof(all_known[0]); i++)
		if (!strcmp(all_known[i].name, name))
			return &all_known[i];
	return &nothing;
}

/* Read axes from a text such as "pool::op::priority". */
static void read_axes(struct layout *layout, const char *axis)
{
	while (*axis && layout->naxes < MAX_AXES) {
		const char *end = strstr(axis, "::");
		size_t length = end ? (size_t)(end - axis) : strlen(axis);

		layout->axes[layout->naxes++] = xalloc(strndup(axis, length));
		axis += length + (end ? 2 : 0);
	}
}

/* Read a layout's clause: "nested", "every 10" or "rows NAME, AXIS". False: any other clause. */
static bool read_clause(struct layout *layout, const char *clause)
{
	const char *comma;

	if (!strcmp(clause, "nested")) {
		layout->nested = true;
	} else if (!strncmp(clause, "every ", 6)) {
		layout->every = strtod(clause + 6, NULL);
	} else if (!strncmp(clause, "rows ", 5)) {
		clause += 5;
		comma = strstr(clause, ", ");
		layout->name = xalloc(comma ? strndup(clause, comma - clause) : strdup(clause));
		layout->axis = xalloc(strdup(comma ? comma + 2 : ""));
	} else {
		return false;
	}
	return true;
}

/* Read the clauses of a layout's text. Returns false if read_clause() knows none of them. */
static bool read_clauses(struct layout *layout, const char *text)
{
	char *copy = xalloc(strdup(text)), *clause = copy;
	bool any = false;

	while (clause) {
		char *end = strstr(clause, SEPARATOR);

		if (end)
			*end = '\0';
		any |= read_clause(layout, clause);
		clause = end ? end + sizeof(SEPARATOR) - 1 : NULL;
	}
	free(copy);
	return any;
}

/* Read a text "Keys of estat.zio: pool::op; rows {op}". Returns false if the text has no clause. */
static bool read_text(struct layout *layout, char *text)
{
	char *end = strstr(text, SEPARATOR), *axes;

	if (end)
		*end = '\0';
	axes = strstr(text, ": ");
	if (axes)
		read_axes(layout, axes + 2);
	return end && read_clauses(layout, end + sizeof(SEPARATOR) - 1);
}

struct layout layout_read(const char *prefix, pmInDom indom)
{
	const struct known *known = find_known(prefix);
	struct layout layout = { 0 };
	bool found = false;
	char *text;

	if (indom != PM_INDOM_NULL && pmLookupInDomText(indom, PM_TEXT_HELP, &text) >= 0) {
		found = read_text(&layout, text);
		free(text);
	}
	if (!layout.naxes)
		read_axes(&layout, known->axes);
	if (!found)
		read_clauses(&layout, known->layout);
	return layout;
}

const char *layout_events(const char *name, pmID events)
{
	const char *layout = NULL;
	char *text;

	if (pmLookupText(events, PM_TEXT_HELP, &text) >= 0)
		layout = strstr(text, SHOWN_AS);
	layout = layout ? layout + sizeof(SHOWN_AS) - 1 : find_known(name)->layout;
	return *layout ? layout : NULL;
}
