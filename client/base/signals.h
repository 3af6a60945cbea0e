/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A separate thread receives signals, so that Ctrl-C works while pmcd does not answer. */
#ifndef ESTAT_CLIENT_BASE_SIGNALS_H
#define ESTAT_CLIENT_BASE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/*
 * Not 0 after a signal: `stopped` after SIGINT or SIGTERM, or after the key that quits; `resized`
 * after SIGWINCH; `suspended` after SIGTSTP. The command sets the last two to 0 again.
 */
extern volatile sig_atomic_t stopped, resized, suspended;

/*
 * Receive SIGINT and SIGTERM from now on. A command that draws a screen passes `leave`, a function
 * that restores the terminal; then SIGWINCH, SIGTSTP and SIGQUIT are received, too. The signal
 * thread calls `leave` before it ends the process, on SIGQUIT or if pmcd does not answer.
 */
void catch_signals(void (*leave)(void));

/*
 * Call blocking_begin() before, and blocking_end() after, a call that can wait for pmcd. SIGINT or
 * SIGTERM can come before the call or during it. The process ends if such a call is under way more
 * than 3 s after the first of these signals, or at any time after the second. Needs
 * catch_signals().
 */
void blocking_begin(void);
void blocking_end(void);

/*
 * Sleep until clock_time() is `time`. Returns false if a signal came first or, with `keys`, the
 * user pressed a key first.
 */
bool sleep_until(double time, bool keys);

#endif /* ESTAT_CLIENT_BASE_SIGNALS_H */
