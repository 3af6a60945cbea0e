/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A terminal: its colours and its alternate screen. */
#ifndef ESTAT_CLIENT_VIEW_SCREEN_H
#define ESTAT_CLIENT_VIEW_SCREEN_H

#include <stdbool.h>
#include <termios.h>

struct screen {
	bool on;               /* the alternate screen is in use */
	bool keys;             /* keys can be read without Enter */
	int colours;           /* 0, 8 or 256 */
	struct termios before; /* to restore; valid if keys were switched on */
};

/* Is the locale's character set UTF-8? */
bool screen_has_utf8(void);

/*
 * Find the number of colours. If `wanted` and the standard output is a terminal that can do so,
 * switch to the alternate screen. Returns whether the alternate screen is in use.
 */
bool screen_enter(struct screen *s, bool wanted);
void screen_leave(struct screen *s);

/* Leave the alternate screen, stop the process as Ctrl-Z does, and restore all after SIGCONT. */
void screen_suspend(struct screen *s);

/* Wait for a key, and return whether the key is q or Q. Returns false if keys are off. */
bool screen_quits(struct screen *s);

/* Print the colour of a level, 1 to LEVELS of shades.h; 0 ends the colour. */
void screen_colour(const struct screen *s, int level);

/* Go to the top left; go to the next line; end the last line and clear what is below. */
void screen_home(const struct screen *s);
void screen_newline(const struct screen *s);
void screen_end(const struct screen *s);

#endif /* ESTAT_CLIENT_VIEW_SCREEN_H */
