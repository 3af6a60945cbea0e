// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "base/message.h"
#include "lib/utf8.h"
#include "picture.h"

/* The text after its first `n` characters; a byte that is not UTF-8 is one character. */
static const char *after(const char *text, size_t n)
{
	while (*text && n-- > 0)
		text += utf8_length(text) ?: 1;
	return text;
}

/* Write the text up to `end` as XML. */
static void put(FILE *f, const char *text, const char *end)
{
	while (text < end) {
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

void picture_put(FILE *f, const char *text)
{
	put(f, text, text + strlen(text));
}

void picture_put_cut(FILE *f, const char *text, size_t room)
{
	bool fits = !*after(text, room);

	put(f, text, after(text, fits ? room : room - 2));
	if (!fits)
		fputs("..", f);
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

static const char style[] = "svg{--page:#fff;--text:#16202c}.page{fill:var(--page)}"
			    "svg text.head{font:600 15px system-ui,sans-serif;fill:var(--text)}"
			    "@media(prefers-color-scheme:dark){svg{--page:#161d26;--text:#e6edf3}}";

void svg_begin(FILE *f, const struct svg *svg)
{
	if (svg->alone)
		fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", f);
	fprintf(f,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"%s\" role=\"img\" "
		"width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n<title>",
		svg->class, svg->width, svg->height, svg->width, svg->height);
	picture_put(f, svg->title);
	fprintf(f,
		"</title>\n<style>%s%s</style>\n"
		"<rect class=\"page\" width=\"100%%\" height=\"100%%\"/>\n",
		style, svg->style);
	if (!svg->alone)
		return;
	fputs("<text class=\"head\" x=\"12\" y=\"20\">", f);
	picture_put(f, svg->title);
	fputs("</text>\n", f);
}

void svg_end(FILE *f)
{
	fputs("</svg>\n", f);
}
