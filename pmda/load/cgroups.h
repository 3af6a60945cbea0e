/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds cgroups without the controller io, whose I/O the block layer counts for a cgroup above. */
#ifndef ESTAT_PMDA_LOAD_CGROUPS_H
#define ESTAT_PMDA_LOAD_CGROUPS_H

#include <stddef.h>

/*
 * Write to `text`, in one line, which cgroups share a row with all cgroups below them; "": none.
 * Looks only at the root and at the cgroups directly below the root.
 */
void cgroups_explain(char *text, size_t size);

#endif /* ESTAT_PMDA_LOAD_CGROUPS_H */
