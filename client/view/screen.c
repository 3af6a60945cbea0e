// SPDX-License-Identifier: GPL-2.0-or-later
/* Drives a terminal by control sequences of ECMA-48 and xterm, without terminfo. */
#include <langinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "screen.h"
#include "shades.h"

/* The number of colours to use: 0, 8 or 256. NO_COLOR (no-color.org) forbids colours. */
static int find_colours(void)
{
	static const char *const coloured[] = { "color", "xterm", "screen", "tmux",   "linux",
						"rxvt",  "ansi",  "putty",  "konsole" };
	const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
	const char *color_term = getenv("COLORTERM");

	if (!isatty(STDOUT_FILENO) || !term || (no_color && *no_color))
		return 0;
	if (strstr(term, "256color") || (color_term && *color_term))
		return 256;
	for (size_t i = 0; i < sizeof(coloured) / sizeof(coloured[0]); i++)
		if (strstr(term, coloured[i]))
			return 8;
	return 0;
}

bool screen_has_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

/* Make keys readable without Enter, but not in the background, where tcsetattr() raises SIGTTOU. */
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

/* Switch to the alternate screen, without cursor and line wrap, or back to the normal screen. */
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
		s->keys = false; /* end of file or an error: do not read again */
	return key == 'q' || key == 'Q';
}

void screen_colour(const struct screen *s, int level)
{
	struct shade_colour colour;

	if (!s->colours)
		return;
	if (!level) {
		fputs("\033[0m", stdout);
		return;
	}
	colour = shade_colour(level, s->colours);
	printf(s->colours == 256 ? "\033[38;5;%d;48;5;%dm" : "\033[3%d;4%dm", colour.text,
	       colour.background);
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
