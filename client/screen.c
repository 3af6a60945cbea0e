// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A terminal, by the control sequences that all of today's know (ECMA-48, xterm).
 */
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "screen.h"
#include "util.h"

/* Of 256 colours and of 8: the background, on which the shades' characters are seen. */
static const unsigned char colours256[] = { 25, 31, 37, 41, 76, 184, 208, 196 };
static const unsigned char colours8[] = { 4, 4, 6, 6, 2, 3, 5, 1 };

/* How many colours the terminal has, and are wanted (no-color.org). */
static int find_colours(void)
{
	static const char *const coloured[] = { "color", "xterm", "screen", "tmux",   "linux",
						"rxvt",  "ansi",  "putty",  "konsole" };
	const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");

	if (!isatty(STDOUT_FILENO) || !term || (no_color && *no_color))
		return 0;
	if (strstr(term, "256color") || getenv("COLORTERM"))
		return 256;
	for (size_t i = 0; i < sizeof(coloured) / sizeof(coloured[0]); i++)
		if (strstr(term, coloured[i]))
			return 8;
	return 0;
}

bool screen_has_utf8(void)
{
	return setlocale(LC_CTYPE, "") && !strcmp(nl_langinfo(CODESET), "UTF-8");
}

/* Hear keys at once; not in the background, where that would stop the program. */
static void take_keys(struct screen *s)
{
	struct termios raw;

	s->keys = isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp() &&
		  !tcgetattr(STDIN_FILENO, &s->before);
	if (!s->keys)
		return;
	raw = s->before;
	raw.c_lflag &= ~(ICANON | ECHO);
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

/* Without a cursor, and new lines where one is full; and back. */
static void use(struct screen *s, bool on)
{
	s->on = on;
	fputs(on ? "\033[?1049h\033[?25l\033[?7l" : "\033[?7h\033[?25h\033[?1049l", stdout);
	flush_output();
	if (on)
		take_keys(s);
	else if (s->keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &s->before);
}

bool screen_enter(struct screen *s, bool wanted)
{
	const char *term = getenv("TERM");

	s->colours = find_colours();
	if (!wanted || !isatty(STDOUT_FILENO) || !term || !strcmp(term, "dumb"))
		return false;
	use(s, true);
	return true;
}

void screen_leave(struct screen *s)
{
	use(s, false);
}

void screen_suspend(struct screen *s)
{
	bool on = s->on;

	if (on)
		use(s, false);
	kill(getpid(), SIGSTOP);
	if (on)
		use(s, true);
}

bool screen_quits(struct screen *s)
{
	char key = 0;

	if (s->keys && read(STDIN_FILENO, &key, 1) != 1)
		s->keys = false; /* there come no more */
	return key == 'q' || key == 'Q';
}

void screen_colour(const struct screen *s, int level)
{
	if (s->colours && !level)
		fputs("\033[0m", stdout);
	else if (s->colours == 256)
		printf("\033[38;5;%d;48;5;%dm", level > 2 ? 16 : 231, colours256[level - 1]);
	else if (s->colours)
		printf("\033[%d;%dm", level == 1 || level == 2 || level == 8 ? 37 : 30,
		       40 + colours8[level - 1]);
}

void screen_home(const struct screen *s)
{
	if (s->on)
		fputs("\033[H\033[K", stdout);
}

void screen_newline(const struct screen *s)
{
	fputs(s->on ? "\r\n\033[K" : "\n", stdout);
}

void screen_end(const struct screen *s)
{
	fputs(s->on ? "\r\n\033[J" : "\n", stdout);
	flush_output();
}
