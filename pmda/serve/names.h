/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ESTAT_PMDA_SERVE_NAMES_H
#define ESTAT_PMDA_SERVE_NAMES_H

struct exports;

/*
 * If the module's map of names (id -> name, see bpf/name.bpf.h) has been full since the last call,
 * delete the names of ids that are in no key.
 */
void names_make_room(const struct exports *exports);

#endif /* ESTAT_PMDA_SERVE_NAMES_H */
