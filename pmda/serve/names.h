/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of the ids in a module's keys.
 */
#ifndef ESTAT_PMDA_SERVE_NAMES_H
#define ESTAT_PMDA_SERVE_NAMES_H

struct exports;

/* If one has found no room since the last time, delete those that no key has any more. */
void names_make_room(const struct exports *exports);

#endif /* ESTAT_PMDA_SERVE_NAMES_H */
