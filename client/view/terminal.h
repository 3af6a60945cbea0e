/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A terminal to draw on, which gives keys: ncurses, of which nothing else knows. Only what has
 * changed is written to it.
 */
#ifndef ESTAT_CLIENT_VIEW_TERMINAL_H
#define ESTAT_CLIENT_VIEW_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

#include "shades.h"

/* What terminal_key() gives but characters. */
enum terminal_key {
	TERMINAL_LOST = -1, /* the terminal is gone */
	TERMINAL_NONE = 0,
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
	LOOK_LEVEL, /* and those after it: 1 to LEVELS, as colours; plain if there are none */
};

/* Exit, with what to do, if there is none, or one that cannot be drawn on. */
void terminal_check(void);

/* Take it. */
void terminal_enter(void);

/* Leave it as it was. A signal handler may, too. */
void terminal_leave(void);

/* Leave it, stop as Ctrl-Z does, and come back when the shell goes on with this. */
void terminal_suspend(void);

/* Learn its size anew. */
void terminal_resize(void);
int terminal_width(void);
int terminal_height(void);

/* Has it the characters of Unicode? */
bool terminal_is_unicode(void);

/* Begin to draw, on a blank screen; a text in so many columns; show what was drawn. */
void terminal_begin(void);
void terminal_text(int y, int x, int width, enum look look, const char *text);
void terminal_end(void);

/* The next key that was pressed. */
int terminal_key(void);

#endif /* ESTAT_CLIENT_VIEW_TERMINAL_H */
