// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>

#include "json.h"
#include "utf8.h"

static void put_string(FILE *f, const char *text)
{
	fputc('"', f);
	while (*text) {
		unsigned int n = utf8_length(text);

		if (*text == '"' || *text == '\\')
			fprintf(f, "\\%c", *text);
		else if ((unsigned char)*text < ' ')
			fprintf(f, "\\u%04x", *text);
		else if (!n)
			fputs("\\ufffd", f);
		else
			fwrite(text, n, 1, f);
		text += n ? n : 1;
	}
	fputc('"', f);
}

/* Write what precedes a value: a comma, unless the value is the first, and the member's name. */
static void begin(struct json *j, const char *name)
{
	if (j->filled)
		fputs(j->comma ? j->comma : ",", j->f);
	j->filled = true;
	if (name) {
		put_string(j->f, name);
		fputc(':', j->f);
	}
}

void json_begin(struct json *j, const char *name, char bracket)
{
	begin(j, name);
	j->filled = false;
	fputc(bracket, j->f);
}

void json_end(struct json *j, char bracket)
{
	j->filled = true;
	fputc(bracket, j->f);
}

void json_put_string(struct json *j, const char *name, const char *text)
{
	begin(j, name);
	if (text)
		put_string(j->f, text);
	else
		fputs("null", j->f);
}

void json_put_number(struct json *j, const char *name, const char *format, double n)
{
	begin(j, name);
	if (isnan(n))
		fputs("null", j->f);
	else
		fprintf(j->f, format, n);
}

void json_put_integer(struct json *j, const char *name, uint64_t n)
{
	begin(j, name);
	fprintf(j->f, "%" PRIu64, n);
}

void json_put_raw(struct json *j, const char *name, const char *text)
{
	begin(j, name);
	fputs(text, j->f);
}
