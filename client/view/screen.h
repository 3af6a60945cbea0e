/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A terminal: its colours, and its other screen, which leaves the first as it was.
 */
#ifndef ESTAT_CLIENT_VIEW_SCREEN_H
#define ESTAT_CLIENT_VIEW_SCREEN_H

#include <stdbool.h>
#include <termios.h>

struct screen {
	bool on;     /* the other screen */
	bool keys;   /* it is heard when one is pressed */
	int colours; /* 0, 8 or 256 */
	struct termios before;
};

/* Is text in UTF-8 here? */
bool screen_has_utf8(void);

/* See what the output can; where it is wanted and can be, use the other screen. Returns whether. */
bool screen_enter(struct screen *s, bool wanted);
void screen_leave(struct screen *s);

/* Leave it, stop as Ctrl-Z does, and come back when the shell goes on with this. */
void screen_suspend(struct screen *s);

/* If a key was pressed: is it q? */
bool screen_quits(struct screen *s);

/* Print the colour of a level, 1 to 8; 0: none any more. */
void screen_colour(const struct screen *s, int level);

/* From the top; to the next line; that was the last one. */
void screen_home(const struct screen *s);
void screen_newline(const struct screen *s);
void screen_end(const struct screen *s);

#endif /* ESTAT_CLIENT_VIEW_SCREEN_H */
