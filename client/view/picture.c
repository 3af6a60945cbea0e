// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "base/message.h"
#include "lib/utf8.h"
#include "picture.h"

void picture_put(FILE *f, const char *text)
{
	while (*text) {
		unsigned int n = utf8_length(text);

		if (*text == '<')
			fputs("&lt;", f);
		else if (*text == '&')
			fputs("&amp;", f);
		else if (*text == '>')
			fputs("&gt;", f);
		else if (*text == '"')
			fputs("&quot;", f);
		else if (!n || ((unsigned char)*text < ' ' && *text != '\n'))
			fputc('?', f);
		else
			fwrite(text, n, 1, f);
		text += n ? n : 1;
	}
}

FILE *picture_open(const char *file, const char *mode)
{
	FILE *f = fopen(file, mode);

	if (!f)
		die(EXIT_USAGE, "cannot write %s: %s", file, strerror(errno));
	return f;
}

void picture_close(FILE *f, const char *file)
{
	bool bad = ferror(f);

	if (fclose(f) || bad)
		die(EXIT_USAGE, "cannot write %s: %s", file, strerror(errno));
}

void picture_check(const char *file)
{
	picture_close(picture_open(file, "a"), file);
}
