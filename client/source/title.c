// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "title.h"

/*
 * All titles are written to one memory stream, because opening a stream takes longer than writing a
 * title.
 */
static char *printed;
static size_t printed_size;

static FILE *begin_text(void)
{
	static FILE *f;

	if (!f)
		f = xalloc(open_memstream(&printed, &printed_size));
	rewind(f);
	return f;
}

static char *end_text(FILE *f)
{
	fflush(f);
	return xalloc(strndup(printed, printed_size));
}

/*
 * A template's list "x=X|y=Y}" replaces the value x by X. Write what the list has for `value` or,
 * if the list has nothing for it, `value` itself.
 */
static void print_choice(FILE *f, const char *list, const char *value)
{
	size_t length = strlen(value);

	while (*list != '}') {
		if (!strncmp(list, value, length) && list[length] == '=') {
			list += length + 1;
			fprintf(f, "%.*s", (int)strcspn(list, "|}"), list);
			return;
		}
		list += strcspn(list, "|}");
		list += *list == '|';
	}
	fputs(value, f);
}

/* Does the key fulfil a condition "axis=x}" of a template? */
static bool condition_holds(const char *condition, const struct key *key)
{
	char axis[64] = "", wanted[64] = "";
	const char *value;

	if (sscanf(condition, "%63[^=}]=%63[^}]", axis, wanted) != 2)
		return false;
	value = key_axis(key, axis);
	return value && !strcmp(value, wanted);
}

/*
 * Write the text of a field of a template, nothing if the key lacks the axis: {axis}, {axis:3} (the
 * first 3 bytes of the value), {axis?x=X|y=Y} (a list), {axis!other=x} (nothing if the axis `other`
 * has the value x).
 */
static void print_axis(FILE *f, const char *text, const struct key *key)
{
	size_t length = strcspn(text, ":?!}");
	char axis[64];
	const char *value;

	snprintf(axis, sizeof(axis), "%.*s", (int)length, text);
	value = key_axis(key, axis);
	if (!value || (text[length] == '!' && condition_holds(text + length + 1, key)))
		return;
	if (text[length] == '?')
		print_choice(f, text + length + 1, value);
	else if (text[length] == ':')
		fprintf(f, "%.*s", atoi(text + length + 1), value);
	else
		fputs(value, f);
}

/* Fill in a template of a layout. The caller frees the text. */
static char *fill_template(const char *format, const struct key *key)
{
	FILE *f = begin_text();

	for (const char *p = format; *p; p++) {
		const char *end = *p == '{' ? strchr(p, '}') : NULL;

		if (end)
			print_axis(f, p + 1, key);
		else
			fputc(*p, f);
		p = end ? end : p;
	}
	return end_text(f);
}

/*
 * The key's values, joined by commas. Left out are the value on the axis `but`, the value on the
 * axis pool if the key has any axis besides pool, and values for which axis_says() is false. The
 * caller frees the text.
 */
static char *other_axes(const struct key *key, const char *but)
{
	FILE *f = begin_text();
	bool any = false;

	for (unsigned int i = 0; i < key->naxes; i++) {
		const char *name = key->axes[i].name;

		if (!strcmp(name, but) || (!strcmp(name, "pool") && key->naxes > 1) ||
		    !axis_says(&key->axes[i]))
			continue;
		fprintf(f, "%s%s", any ? ", " : "", key->axes[i].value);
		any = true;
	}
	return end_text(f);
}

/* Does the layout, without any option, make titles of rows show the whole value of the axis? */
static bool layout_shows(const struct layout *layout, const char *axis)
{
	char field[64];

	if (!layout->name)
		return strcmp(axis, "pool") != 0;
	snprintf(field, sizeof(field), "{%s}", axis);
	return strstr(layout->name, field) || strstr(layout->axis, field);
}

/*
 * A copy of `axis`, followed by the key's values on those --by axes that the layout does not show.
 * Frees `axis`; the caller frees the copy.
 */
static char *add_by(const struct options *o, const struct layout *layout, const struct key *key,
		    char *axis)
{
	FILE *f = begin_text();
	bool any = false;

	fputs(axis, f);
	for (unsigned int i = 0; i < o->nby; i++) {
		const char *value = key_axis(key, o->by[i]);

		if (layout_shows(layout, o->by[i]))
			continue;
		fprintf(f, "%s%s", any ? " " : *axis ? ", " : "", value ? value : "");
		any = true;
	}
	free(axis);
	return end_text(f);
}

void title(const struct options *o, const struct layout *layout, const struct key *key, char **name,
	   char **axis)
{
	const char *op = key_axis(key, "op");

	if (key->naxes == 1 && !strcmp(key->name, ESTAT_OVERFLOW_NAME)) {
		*name = xalloc(strdup(ESTAT_OVERFLOW_NAME));
		*axis = xalloc(strdup(""));
		return;
	}
	if (layout->name) {
		*name = fill_template(layout->name, key);
		*axis = fill_template(layout->axis, key);
	} else {
		*name = op ? xalloc(strdup(op)) : other_axes(key, "");
		*axis = op ? other_axes(key, "op") : xalloc(strdup(""));
	}
	*axis = add_by(o, layout, key, *axis);
}

bool title_has(const char *format, const char *axis)
{
	size_t length = strlen(axis);

	for (const char *p = format; p && (p = strchr(p, '{')); p++)
		if (!strncmp(p + 1, axis, length) && strchr(":?!}", p[1 + length]))
			return true;
	return false;
}
