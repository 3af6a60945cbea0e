/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A separate thread receives signals, so that Ctrl-C works while pmcd does not answer. */
#ifndef ESTAT_CLIENT_BASE_SIGNALS_H
#define ESTAT_CLIENT_BASE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* SIGINT or SIGTERM, SIGWINCH, SIGTSTP was received. The reader clears the last two. */
extern volatile sig_atomic_t stopped, resized, suspended;

/*
 * Receive SIGINT and SIGTERM from now on. A command with a screen gives `leave`, which restores the
 * terminal, and receives SIGWINCH, SIGTSTP and SIGQUIT, too. The thread calls `leave` before it
 * ends the process on SIGQUIT, or because pmcd does not answer.
 */
void catch_signals(void (*leave)(void));

/* Around a call that blocks if pmcd does not answer: Ctrl-C then ends the process in 0.5 s. */
void blocking_begin(void);
void blocking_end(void);

/* Sleep until clock_time() is `time`. Returns false on a signal or, with `keys`, a pressed key. */
bool sleep_until(double time, bool keys);

#endif /* ESTAT_CLIENT_BASE_SIGNALS_H */
