/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals, which a thread of its own takes: neither is a fetch cut off by one, nor does one
 * wait for a host that does not answer.
 */
#ifndef ESTAT_CLIENT_BASE_SIGNALS_H
#define ESTAT_CLIENT_BASE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* Ctrl-C or SIGTERM has come; SIGWINCH has, or Ctrl-Z, if they are caught, until it is cleared. */
extern volatile sig_atomic_t stopped, resized, suspended;

/*
 * Take them from now on. What has a screen to leave gives a function that does it, and also takes
 * SIGWINCH, SIGTSTP and SIGQUIT; it is called, in the thread, before the process ends for want of
 * an answer or by SIGQUIT.
 */
void catch_signals(void (*leave)(void));

/* While a host is asked: if it has not answered half a second after Ctrl-C the process ends. */
void blocking_begin(void);
void blocking_end(void);

/*
 * Sleep until clock_time() is this. False if one of these signals came, or a key was pressed and
 * `keys` is true.
 */
bool sleep_until(double time, bool keys);

#endif /* ESTAT_CLIENT_BASE_SIGNALS_H */
