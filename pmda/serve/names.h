/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Deletes names of ids that no key of a module uses. */
#ifndef ESTAT_PMDA_SERVE_NAMES_H
#define ESTAT_PMDA_SERVE_NAMES_H

struct exports;

/* If a name has found no room since the last call, delete the names of ids that no key has. */
void names_make_room(const struct exports *exports);

#endif /* ESTAT_PMDA_SERVE_NAMES_H */
