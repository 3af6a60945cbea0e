/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The screen and the keyboard of estat top. Only terminal.c uses ncurses. */
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
	LOOK_LEVEL, /* LOOK_LEVEL + i: colour of level i + 1 of shades.h; without colours: plain */
};

/* Exit with a hint if the standard input or output is no terminal that can be drawn on. */
void terminal_check(void);

/* Start to draw on the terminal. Exits if ncurses cannot use the terminal. */
void terminal_enter(void);

/* Restore the terminal and the redirected standard error. Not safe in a signal handler. */
void terminal_leave(void);

/* Restore the terminal, stop the process as Ctrl-Z does, and use the terminal again on SIGCONT. */
void terminal_suspend(void);

/* Read the size of the terminal again, after SIGWINCH. */
void terminal_resize(void);
int terminal_width(void);
int terminal_height(void);

/* Start a drawing on a blank screen; terminal_end() shows the drawing. */
void terminal_begin(void);
void terminal_end(void);

/*
 * Draw a text in line y from column x on, at most `width` columns and to the screen's edge. If the
 * look is not LOOK_PLAIN, the rest of the `width` columns is filled with blanks of this look.
 */
void terminal_text(int y, int x, int width, enum look look, const char *text);

/*
 * The next byte of a typed character, or one of enum terminal_key. Does not wait for a key. After
 * an ESC, waits up to ESCAPE_MS (terminal.c) for the next byte of a key's escape sequence.
 */
int terminal_key(void);

#endif /* ESTAT_CLIENT_VIEW_TERMINAL_H */
