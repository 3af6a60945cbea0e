/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Colours and the alternate screen of a terminal, for estat heat. */
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

/* Leave the alternate screen, stop as Ctrl-Z does, and enter that screen again after SIGCONT. */
void screen_suspend(struct screen *s);

/* If s->keys is true, wait until the user presses a key. Returns true if the key is q or Q. */
bool screen_quits(struct screen *s);

/* Switch to the colour of a level of shades.h, 1 to LEVELS; 0 switches to the default colour. */
void screen_colour(const struct screen *s, int level);

/*
 * screen_home(): go to the top left. screen_newline(): begin a line. screen_end(): clear all lines
 * below.
 */
void screen_home(const struct screen *s);
void screen_newline(const struct screen *s);
void screen_end(const struct screen *s);

#endif /* ESTAT_CLIENT_VIEW_SCREEN_H */
