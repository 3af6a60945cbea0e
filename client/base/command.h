/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Command lines that messages and results suggest to the user. */
#ifndef ESTAT_CLIENT_BASE_COMMAND_H
#define ESTAT_CLIENT_BASE_COMMAND_H

#include <stdbool.h>

/*
 * The command line "estat WORDS" with the filters, and with the options of this process for the
 * host or archive and, if `window` is true, for the time window. Filters and values of options are
 * quoted for the shell if need be, `words` is not. `filters`: texts AXIS=GLOB, and NULL after the
 * last one; or NULL: no filters. The caller frees the text.
 */
char *command_to_type(const char *words, char *const *filters, bool window);

/*
 * The command line, made by command_to_type(), that shows the table of a module or series in the
 * time window of this process. If the source is a host, the command line also has a duration.
 * `options`: more words, or "".
 */
char *table_to_type(const char *name, const char *options, char *const *filters);

#endif /* ESTAT_CLIENT_BASE_COMMAND_H */
