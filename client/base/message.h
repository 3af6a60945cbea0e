/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages to the user, and exit statuses. */
#ifndef ESTAT_CLIENT_BASE_MESSAGE_H
#define ESTAT_CLIENT_BASE_MESSAGE_H

#include <stdbool.h>

#include "lib/xalloc.h"

/* Exit statuses besides 0. EXIT_USAGE: wrong usage, or the output cannot be written. */
enum {
	EXIT_USAGE = 1,
	EXIT_NO_DATA = 2,
};

/* Print a message to the standard error and exit. */
__attribute__((noreturn, format(printf, 2, 3))) void die(int status, const char *format, ...);

/* The function that die() calls before the message, to restore the terminal; or NULL. */
extern void (*before_dying)(void);

/* note() prints a note about the data to the standard error, or nothing while `silent` is true. */
extern bool silent;
__attribute__((format(printf, 1, 2))) void note(const char *format, ...);

/* Flush the standard output. If that fails, returns false, and prints a message the first time. */
bool flush_output(void);

#endif /* ESTAT_CLIENT_BASE_MESSAGE_H */
