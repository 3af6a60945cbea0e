/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fetches the moments of a source: from a pmcd, or records of an archive. */
#ifndef ESTAT_CLIENT_SOURCE_MOMENT_H
#define ESTAT_CLIENT_SOURCE_MOMENT_H

#include "metrics.h"

/*
 * Fetch the next moment into s->now. False: the archive has no further moment; or pmcd or the agent
 * did not answer, and s->why says why.
 */
bool moment_fetch(struct source *s);

/*
 * Have all records of the archive's time window been used? False does not promise a moment: the
 * records that are left may be a gap, or have no metric of a main series. Always false for a pmcd.
 */
bool moment_is_last(const struct source *s);

/* Forget the records that were read ahead, and set s->ended to false. */
void moment_rewind(struct source *s);

__attribute__((format(printf, 2, 3))) void set_reason(struct source *s, const char *format, ...);

#endif /* ESTAT_CLIENT_SOURCE_MOMENT_H */
