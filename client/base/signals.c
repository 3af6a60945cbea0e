// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "message.h"
#include "signals.h"
#include "times.h"

/* seconds for which a call may block after Ctrl-C; a second Ctrl-C ends the process at once */
#define PATIENCE 3
#define LOOK     0.05 /* after Ctrl-C, seconds between two checks whether the call still blocks */

volatile sig_atomic_t stopped, resized, suspended;

static sigset_t caught;
static void (*leave_screen)(void);
static int wake = -1;        /* eventfd that wakes sleep_until() */
static atomic_bool blocking; /* true between blocking_begin() and blocking_end() */

void blocking_begin(void)
{
	blocking = true;
}

void blocking_end(void)
{
	blocking = false;
}

/*
 * Restore the screen. If leave_screen() waits for another thread, SIGALRM ends the process after a
 * second.
 */
static void leave(void)
{
	alarm(1);
	if (leave_screen)
		leave_screen();
}

__attribute__((noreturn)) static void give_up(void)
{
	leave();
	silent = false;
	note("interrupted: the host did not answer, so the last interval is not known");
	_exit(EXIT_NO_DATA);
}

/* On SIGQUIT: restore the screen, then end the process by SIGQUIT's default action. */
static void quit(void)
{
	sigset_t set;

	leave();
	signal(SIGQUIT, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGQUIT);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	raise(SIGQUIT);
}

/* Wait `seconds` (0: no limit) for a signal of `caught`. Returns the signal, or 0 if none came. */
static int next_signal(double seconds)
{
	struct timespec timeout = { .tv_nsec = seconds * 1e9 };
	int sig;

	do
		sig = sigtimedwait(&caught, NULL, seconds > 0 ? &timeout : NULL);
	while (sig < 0 && errno == EINTR);
	return sig < 0 ? 0 : sig;
}

static void *take_signals(void *unused)
{
	double since = 0; /* clock_time() of the first SIGINT or SIGTERM */
	bool again = false;

	(void)unused;
	for (;;) {
		uint64_t one = 1;

		switch (next_signal(stopped ? LOOK : 0)) {
		case SIGINT:
		case SIGTERM:
			again = stopped;
			if (!stopped)
				since = clock_time();
			stopped = 1;
			break;
		case SIGWINCH:
			resized = 1;
			break;
		case SIGTSTP:
			suspended = 1;
			break;
		case SIGQUIT:
			quit();
		}
		if (write(wake, &one, sizeof(one)) < 0)
			return NULL;
		if (stopped && blocking && (again || clock_time() - since > PATIENCE))
			give_up();
	}
}

void catch_signals(void (*leave)(void))
{
	pthread_t thread;
	int err;

	leave_screen = leave;
	sigemptyset(&caught);
	sigaddset(&caught, SIGINT);
	sigaddset(&caught, SIGTERM);
	if (leave) {
		sigaddset(&caught, SIGWINCH);
		sigaddset(&caught, SIGTSTP);
		sigaddset(&caught, SIGQUIT);
	}
	wake = eventfd(0, EFD_CLOEXEC);
	err = wake < 0 ? errno : pthread_sigmask(SIG_BLOCK, &caught, NULL);
	if (!err)
		err = pthread_create(&thread, NULL, take_signals, NULL);
	if (err)
		die(EXIT_NO_DATA, "cannot take signals: %s", strerror(err));
	pthread_detach(thread);
}

bool sleep_until(double time, bool keys)
{
	struct pollfd fds[] = {
		{ .fd = wake, .events = POLLIN },
		{ .fd = keys ? STDIN_FILENO : -1, .events = POLLIN },
	};
	double left;

	while (!stopped && !resized && !suspended && (left = time - clock_time()) > 0) {
		time_t whole = left;
		struct timespec timeout = { .tv_sec = whole, .tv_nsec = (left - whole) * 1e9 };
		uint64_t n;

		if (ppoll(fds, 2, &timeout, NULL) <= 0)
			continue;
		if (fds[0].revents && read(wake, &n, sizeof(n)) < 0)
			return false;
		if (fds[1].revents)
			return false;
	}
	return !stopped && !resized && !suspended;
}
