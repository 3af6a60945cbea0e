/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A separate thread receives signals, so that Ctrl-C works while pmcd does not answer. */
#ifndef ESTAT_CLIENT_BASE_SIGNALS_H
#define ESTAT_CLIENT_BASE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* A signal came: SIGINT or SIGTERM; SIGWINCH; SIGTSTP. The drawing loop clears the last two. */
extern volatile sig_atomic_t stopped, resized, suspended;

/*
 * Receive SIGINT and SIGTERM from now on. A command that draws a screen passes `leave`, a function
 * that restores the terminal: SIGWINCH, SIGTSTP and SIGQUIT are then received, too. The signal
 * thread calls `leave` before it ends the process on SIGQUIT, or because pmcd does not answer.
 */
void catch_signals(void (*leave)(void));

/* Begin and end a call that can wait for pmcd: if it lasts 0.4 s after Ctrl-C, the process ends. */
void blocking_begin(void);
void blocking_end(void);

/* Sleep until clock_time() is `time`. Returns false, early, on a signal or, if `keys`, a key. */
bool sleep_until(double time, bool keys);

#endif /* ESTAT_CLIENT_BASE_SIGNALS_H */
