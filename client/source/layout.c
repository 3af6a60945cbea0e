// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "label.h"
#include "layout.h"
#include "lib/xalloc.h"

/* The lines before the layout in the help text that older agents have for event records. */
#define SHOWN_AS "\nShown as\n"

/* The labels of the instances of estat.module.axes, read once for each context. */
struct labels {
	int context, n;
	pmLabelSet *sets;
};

static const struct labels *read_labels(void)
{
	static struct labels *read;
	static unsigned int nread;
	struct labels *labels;
	const char *name = "estat.module.axes";
	pmDesc desc;
	pmID pmid;

	for (unsigned int i = 0; i < nread; i++)
		if (read[i].context == pmWhichContext())
			return &read[i];
	read = grow(read, nread, sizeof(*read));
	labels = &read[nread++];
	*labels = (struct labels){ .context = pmWhichContext() };
	if (pmLookupName(1, &name, &pmid) == 1 && pmLookupDesc(pmid, &desc) >= 0)
		labels->n = pmGetInstancesLabels(desc.indom, &labels->sets);
	return labels;
}

char *layout_label(const char *name, const char *label)
{
	const struct labels *labels = read_labels();

	for (int i = 0; i < labels->n; i++) {
		char *series = label_find(&labels->sets[i], "series");
		bool is_wanted = series && !strcmp(series, name);

		free(series);
		if (is_wanted)
			return label_find(&labels->sets[i], label);
	}
	return NULL;
}

void layout_axes(struct layout *layout, const char *axis)
{
	while (*axis && layout->naxes < MAX_AXES) {
		const char *end = strstr(axis, "::");
		size_t length = end ? (size_t)(end - axis) : strlen(axis);

		layout->axes[layout->naxes++] = xalloc(strndup(axis, length));
		axis += length + (end ? 2 : 0);
	}
}

static const char *const clauses[] = { "rows", "nested", "every" };

/*
 * Set what clauses[i] tells of the layout. The value of `rows` is "NAME" or "NAME, AXIS", that of
 * `every` a number of seconds such as "5 s"; the value of `nested` is not used.
 */
static void take_clause(struct layout *layout, unsigned int i, const char *value)
{
	const char *comma = strstr(value, ", ");

	if (i == 0) {
		layout->name = xalloc(comma ? strndup(value, comma - value) : strdup(value));
		layout->axis = xalloc(strdup(comma ? comma + 2 : ""));
	} else if (i == 1) {
		layout->nested = true;
	} else {
		layout->every = strtod(value, NULL);
	}
}

/* Read a text such as "Keys of estat.zio: pool::op; rows {op}; every 5 s". */
static void read_text(struct layout *layout, char *text)
{
	char *next = strstr(text, "; "), *axes;

	if (next)
		*next = '\0';
	axes = strstr(text, ": ");
	if (axes)
		layout_axes(layout, axes + 2);
	while (next) {
		char *clause = next + 2, *value;

		next = strstr(clause, "; ");
		if (next)
			*next = '\0';
		value = strchrnul(clause, ' ');
		if (*value)
			*value++ = '\0';
		for (unsigned int i = 0; i < sizeof(clauses) / sizeof(clauses[0]); i++)
			if (!strcmp(clause, clauses[i]))
				take_clause(layout, i, value);
	}
}

struct layout layout_read(const char *name, pmInDom indom)
{
	struct layout layout = { 0 };
	char *text = layout_label(name, "axes");

	if (text) {
		layout_axes(&layout, text);
		for (unsigned int i = 0; i < sizeof(clauses) / sizeof(clauses[0]); i++) {
			char *value = layout_label(name, clauses[i]);

			if (value)
				take_clause(&layout, i, value);
			free(value);
		}
	} else if (indom != PM_INDOM_NULL && pmLookupInDomText(indom, PM_TEXT_HELP, &text) >= 0) {
		read_text(&layout, text);
	}
	free(text);
	return layout;
}

char *layout_events(const char *name, pmID events)
{
	char *layout = layout_label(name, "record"), *text, *found;

	if (!layout && pmLookupText(events, PM_TEXT_HELP, &text) >= 0) {
		found = strstr(text, SHOWN_AS);
		layout = found ? xalloc(strdup(found + sizeof(SHOWN_AS) - 1)) : NULL;
		free(text);
	}
	return layout && *layout ? layout : NULL;
}
