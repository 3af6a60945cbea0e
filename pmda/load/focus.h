/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The focus of the module `trace`: the process or cgroup whose operations the module draws apart
 * from all others, to begin journeys.
 */
#ifndef ESTAT_PMDA_LOAD_FOCUS_H
#define ESTAT_PMDA_LOAD_FOCUS_H

#include <stdbool.h>

#include "bpf/abi.h"
#include "schema/label.h"

/* A focus, as pmStore(3) has set it. */
struct focus {
	/* "pid N", "cgroup PATH" as in an instance's name, or "": no focus */
	char text[AXIS_TEXT_LEN];
	struct estat_focus of;
};

/*
 * Set `focus` from `text`. Returns false, and leaves `focus`, if `text` has none of the forms of
 * focus->text, or if there is no such cgroup. Does not check whether the process exists.
 */
bool focus_set(struct focus *focus, const char *text);

#endif /* ESTAT_PMDA_LOAD_FOCUS_H */
