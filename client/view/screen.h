/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Colours and the alternate screen of a terminal. estat heat uses both, estat layers only the
 * colours.
 */
#ifndef ESTAT_CLIENT_VIEW_SCREEN_H
#define ESTAT_CLIENT_VIEW_SCREEN_H

#include <stdbool.h>
#include <termios.h>

struct screen {
	bool on;               /* the alternate screen is in use */
	bool keys;             /* keys can be read without Enter */
	int colours;           /* number of colours: 0, 8 or 256 */
	struct termios before; /* terminal settings to restore; valid only after `keys` was set */
};

/* Is the locale's character set UTF-8? */
bool screen_has_utf8(void);

/*
 * Set s->colours. If `wanted`, switch the terminal to its alternate screen. Returns false if it was
 * not switched: not wanted, or the standard output has no alternate screen.
 */
bool screen_enter(struct screen *s, bool wanted);
void screen_leave(struct screen *s);

/*
 * Leave the alternate screen, if it is in use, and stop the process as Ctrl-Z does. After SIGCONT
 * use the alternate screen again.
 */
void screen_suspend(struct screen *s);

/* If s->keys is true, wait until the user presses a key. Returns true if the key is q or Q. */
bool screen_quits(struct screen *s);

/*
 * Switch to the colour of a level of shades.h, 1 to LEVELS; 0 switches to the default colour. Does
 * nothing if s->colours is 0.
 */
void screen_colour(const struct screen *s, int level);

/*
 * screen_home() goes to the top left of the alternate screen, and does nothing on the normal
 * screen. screen_newline() begins a line. screen_end() ends the last line, and flushes the output.
 * On the alternate screen the first two functions also clear the line to which they go, and
 * screen_end() clears all lines below the last one.
 */
void screen_home(const struct screen *s);
void screen_newline(const struct screen *s);
void screen_end(const struct screen *s);

#endif /* ESTAT_CLIENT_VIEW_SCREEN_H */
