// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads estat.conf, with libinih. */
#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <pcp/pmapi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "lib/xalloc.h"

struct setting {
	char *section, *key, *value;
	int line;
	/* the agent has read the setting, or config_leave() was called for its section */
	bool asked;
	bool logged; /* a bad value has been reported */
};

struct config {
	const char *path;
	FILE *file;
	int line;
	char error[256];     /* why estat.conf cannot be read; "": it was read, or is missing */
	char complaint[256]; /* the first bad line or value; "": none */
	/* the text of config_complaint() on the first setting that the agent has not read so far */
	char unknown[256];
	unsigned int nsettings;
	struct setting *settings;
};

/* Log a bad line or value, and keep the first for config_complaint(). */
__attribute__((format(printf, 3, 4))) static void complain(struct config *c, int line,
							   const char *format, ...)
{
	char what[sizeof(c->complaint)];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	pmNotifyErr(LOG_ERR, "%s:%d: %s: skipped", c->path, line, what);
	if (!*c->complaint)
		pmsprintf(c->complaint, sizeof(c->complaint), "%s:%d: %s: skipped", c->path, line,
			  what);
}

/* Can libinih parse the line? libinih reports only the first malformed line of a file. */
static bool well_formed(const char *line)
{
	return !*line || strchr(";#", *line) || strchr(line, *line == '[' ? ']' : '=') ||
	       (*line != '[' && strchr(line, ':'));
}

/*
 * The function from which libinih gets lines. Cuts leading blanks, because a line that begins with
 * a blank would continue the line before. Counts lines, because Debian's libinih reports no line
 * numbers.
 */
static char *read_line(char *buffer, int size, void *data)
{
	struct config *c = data;
	char *allocated = NULL;
	const char *line;
	size_t space = 0;

	if (getline(&allocated, &space, c->file) < 0) {
		free(allocated);
		return NULL;
	}
	c->line++;
	strcpy(buffer, "\n");
	line = allocated + strspn(allocated, " \t\r\n");
	if (!well_formed(line))
		complain(c, c->line, "neither [section] nor key = value");
	else if (*line && strlen(line) < (size_t)size)
		strcpy(buffer, line);
	else if (*line && !strchr(";#", *line))
		complain(c, c->line, "a line of more than 198 characters");
	free(allocated);
	return buffer;
}

static int add_setting(void *data, const char *section, const char *key, const char *value)
{
	struct config *c = data;
	size_t size = (c->nsettings + 1) * sizeof(*c->settings);

	c->settings = xalloc(realloc(c->settings, size));
	c->settings[c->nsettings++] = (struct setting){
		.section = xalloc(strdup(section)),
		.key = xalloc(strdup(key)),
		.value = xalloc(strdup(value)),
		.line = c->line,
	};
	return 1;
}

/*
 * Make config_switch() return SWITCH_OFF for all modules, because the file that cannot be read may
 * switch some of them off.
 */
static void set_unreadable(struct config *c)
{
	snprintf(c->error, sizeof(c->error), "%s: %s", c->path, osstrerror());
}

struct config *config_read(const char *path, bool optional)
{
	struct config *c = xalloc(calloc(1, sizeof(*c)));

	c->path = path;
	c->file = fopen(path, "r");
	if (!c->file) {
		if (errno != ENOENT)
			set_unreadable(c);
		else if (!optional)
			pmNotifyErr(LOG_ERR, "%s: %s: the defaults are used", path, osstrerror());
		return c;
	}
	ini_parse_stream(read_line, c, add_setting, c);
	if (ferror(c->file))
		set_unreadable(c);
	fclose(c->file);
	return c;
}

const char *config_error(const struct config *c)
{
	return c->error;
}

static void describe_unknown(const struct config *c, const struct setting *s, char *what,
			     size_t size)
{
	bool section = false;

	for (unsigned int i = 0; i < c->nsettings; i++)
		section |= c->settings[i].asked && !strcmp(c->settings[i].section, s->section);
	pmsprintf(what, size, "%s:%d: unknown %s [%s] %s: skipped", c->path, s->line,
		  section ? "key" : "section or key", s->section, s->key);
}

void config_report_unknown(const struct config *c)
{
	char what[sizeof(c->unknown)];

	for (unsigned int i = 0; i < c->nsettings; i++)
		if (!c->settings[i].asked) {
			describe_unknown(c, &c->settings[i], what, sizeof(what));
			pmNotifyErr(LOG_ERR, "%s", what);
		}
}

const char *config_complaint(struct config *c)
{
	*c->unknown = '\0';
	for (unsigned int i = 0; i < c->nsettings && !*c->unknown; i++)
		if (!c->settings[i].asked)
			describe_unknown(c, &c->settings[i], c->unknown, sizeof(c->unknown));
	return *c->complaint ? c->complaint : c->unknown;
}

void config_leave(struct config *c, const char *section)
{
	for (unsigned int i = 0; i < c->nsettings; i++)
		c->settings[i].asked |= !strcmp(c->settings[i].section, section);
}

void config_free(struct config *c)
{
	for (unsigned int i = 0; i < c->nsettings; i++) {
		free(c->settings[i].section);
		free(c->settings[i].key);
		free(c->settings[i].value);
	}
	free(c->settings);
	free(c);
}

/*
 * Find a setting, and note that it was read. If the file sets it twice, the last value counts, as
 * usual in ini files. NULL: not set.
 */
static struct setting *find(struct config *c, const char *section, const char *key)
{
	struct setting *found = NULL;

	for (unsigned int i = 0; i < c->nsettings; i++) {
		struct setting *s = &c->settings[i];

		if (!strcmp(s->section, section) && !strcmp(s->key, key)) {
			s->asked = true;
			found = s;
		}
	}
	return found;
}

static void bad_value(struct config *c, struct setting *s, const char *expected)
{
	if (s->logged)
		return;
	s->logged = true;
	complain(c, s->line, "[%s] %s = %s: expected %s", s->section, s->key, s->value, expected);
}

const char *config_text(struct config *c, const char *section, const char *key,
			const char *fallback)
{
	struct setting *s = find(c, section, key);

	return s ? s->value : fallback;
}

long config_number(struct config *c, const char *section, const char *key, long low, long high,
		   long fallback)
{
	struct setting *s = find(c, section, key);
	char expected[64], *end;
	long n;

	if (!s)
		return fallback;
	errno = 0;
	n = strtol(s->value, &end, 10);
	if (errno || end == s->value || *end || n < low || n > high) {
		snprintf(expected, sizeof(expected), "a number from %ld to %ld", low, high);
		bad_value(c, s, expected);
		return fallback;
	}
	return n;
}

unsigned int config_part(struct config *c, const char *section, const char *key, unsigned int most)
{
	struct setting *s = find(c, section, key);
	char expected[64], end;
	unsigned int n;

	if (!s)
		return 1;
	if (sscanf(s->value, "1/%u%c", &n, &end) == 1 && n >= 1 && n <= most)
		return n;
	if (most > 1)
		snprintf(expected, sizeof(expected), "1/N, N from 1 to %u", most);
	else
		snprintf(expected, sizeof(expected), "1/1: this module counts all operations");
	bad_value(c, s, expected);
	return 1;
}

uint64_t config_time(struct config *c, const char *section, const char *key, uint64_t fallback)
{
	static const struct {
		const char *name;
		unsigned int ns;
	} units[] = { { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };
	struct setting *s = find(c, section, key);
	unsigned long n;
	char *unit;

	if (!s)
		return fallback;
	if (!strcmp(s->value, "off"))
		return 0;
	n = strtoul(s->value, &unit, 10); /* also takes a sign */
	unit += strspn(unit, " \t");
	if (isdigit((unsigned char)*s->value) && n && n <= UINT32_MAX)
		for (unsigned int i = 0; i < sizeof(units) / sizeof(units[0]); i++)
			if (!strcmp(unit, units[i].name))
				return n * (uint64_t)units[i].ns;
	bad_value(c, s, "a time such as 100ms (us, ms or s), or off");
	return fallback;
}

/*
 * Returns the index of a setting's value in `words`, which end with NULL. Returns `fallback` if the
 * setting is not set, or if its value is not in `words`.
 */
static int config_word(struct config *c, const char *section, const char *key,
		       const char *const *words, const char *expected, int fallback)
{
	struct setting *s = find(c, section, key);

	for (int i = 0; s && words[i]; i++)
		if (!strcmp(s->value, words[i]))
			return i;
	if (s)
		bad_value(c, s, expected);
	return fallback;
}

bool config_flag(struct config *c, const char *section, const char *key, bool fallback)
{
	static const char *const words[] = { "off", "on", NULL };

	return config_word(c, section, key, words, "on or off", fallback);
}

enum config_switch config_switch(struct config *c, const char *section, const char *key)
{
	/* in the order of enum config_switch */
	static const char *const words[] = { "auto", "on", "off", NULL };

	if (*c->error)
		return SWITCH_OFF;
	return config_word(c, section, key, words, "on, off or auto", SWITCH_AUTO);
}

bool config_demand(struct config *c, const char *section, const char *key, bool fallback)
{
	static const char *const words[] = { "always", "demand", NULL };

	return config_word(c, section, key, words, "always or demand", fallback);
}
