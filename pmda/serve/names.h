/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ESTAT_PMDA_SERVE_NAMES_H
#define ESTAT_PMDA_SERVE_NAMES_H

struct exports;

/* If the module's map id -> name (bpf/name.bpf.h) is full, delete names of ids that no key has. */
void names_make_room(const struct exports *exports);

#endif /* ESTAT_PMDA_SERVE_NAMES_H */
