/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds cgroups whose I/O the block layer counts for a cgroup above, because their parent does not
 * give them the controller io.
 */
#ifndef ESTAT_PMDA_LOAD_CGROUPS_H
#define ESTAT_PMDA_LOAD_CGROUPS_H

#include <stddef.h>

/*
 * Write to `text`, in one line, which cgroups share a row with all cgroups below them; "": none.
 * Looks at the root and the cgroups directly below the root, and reads some files of each.
 */
void cgroups_explain(char *text, size_t size);

#endif /* ESTAT_PMDA_LOAD_CGROUPS_H */
