/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A terminal to draw on and to read keys from. No other file uses ncurses. Only changed cells are
 * written to the terminal.
 */
#ifndef ESTAT_CLIENT_VIEW_TERMINAL_H
#define ESTAT_CLIENT_VIEW_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

#include "shades.h"

/* Results of terminal_key() that are no printable characters. */
enum terminal_key {
	TERMINAL_LOST = -1,         /* the terminal was closed */
	TERMINAL_NONE = 0,          /* no key was pressed */
	TERMINAL_CLEAR = 'U' - '@', /* Ctrl-U */
	TERMINAL_ENTER = '\n',
	TERMINAL_ESCAPE = 27,
	TERMINAL_ERASE = 127,
	TERMINAL_UP = 256,
	TERMINAL_DOWN,
	TERMINAL_LEFT,
	TERMINAL_RIGHT,
	TERMINAL_HOME,
	TERMINAL_END,
	TERMINAL_PAGE_UP,
	TERMINAL_PAGE_DOWN,
};

enum look {
	LOOK_PLAIN,
	LOOK_BOLD,
	LOOK_REVERSE,
	LOOK_WARNING,
	LOOK_LEVEL, /* LOOK_LEVEL + i: colour of level i + 1 of shades.h; plain without colours */
};

/* Exit with a hint if the standard input or output is no terminal that can be drawn on. */
void terminal_check(void);

/* Take over the terminal. Exits if ncurses cannot use it. */
void terminal_enter(void);

/* Restore the terminal and the standard error. Not for signal handlers. */
void terminal_leave(void);

/* Restore the terminal, stop the process as Ctrl-Z does, and take the terminal again on SIGCONT. */
void terminal_suspend(void);

/* Read the size of the terminal again, after SIGWINCH. */
void terminal_resize(void);
int terminal_width(void);
int terminal_height(void);

/* Is the locale's character set UTF-8? */
bool terminal_is_unicode(void);

/*
 * terminal_begin starts a drawing on a blank screen, and terminal_end shows the drawing.
 * terminal_text draws a text from column x of line y in at most `width` columns; what is outside
 * the screen is cut off.
 */
void terminal_begin(void);
void terminal_text(int y, int x, int width, enum look look, const char *text);
void terminal_end(void);

/* The next key: a character, or one of enum terminal_key. Does not block. */
int terminal_key(void);

#endif /* ESTAT_CLIENT_VIEW_TERMINAL_H */
