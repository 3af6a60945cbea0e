/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Command lines that messages and results suggest to the user. */
#ifndef ESTAT_CLIENT_BASE_COMMAND_H
#define ESTAT_CLIENT_BASE_COMMAND_H

#include <stdbool.h>

/*
 * The command line "estat WORDS" for the same host or archive as this process reads and, if
 * `window`, for the same time window, quoted for the shell. `filters`: texts AXIS=GLOB, and NULL
 * after the last one; or NULL. The caller frees the text.
 */
char *command_to_type(const char *words, char *const *filters, bool window);

/*
 * The command line that shows the table of a module or series: that of command_to_type() with the
 * time window, and with a duration if the source is a host. `options`: more words, or "".
 */
char *table_to_type(const char *name, const char *options, char *const *filters);

#endif /* ESTAT_CLIENT_BASE_COMMAND_H */
