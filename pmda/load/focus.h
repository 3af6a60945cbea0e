/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads whose operations a module of journeys follows beside those of the whole host. */
#ifndef ESTAT_PMDA_LOAD_FOCUS_H
#define ESTAT_PMDA_LOAD_FOCUS_H

#include <stdbool.h>

#include "bpf/abi.h"
#include "schema/label.h"

/* As pmStore(3) has set it. */
struct focus {
	/* "pid N", "cgroup PATH" as in an instance's name, or "": no focus */
	char text[AXIS_TEXT_LEN];
	struct estat_focus of;
};

/*
 * Set `focus` from `text`. False: `text` has another form than focus->text can have, or there is no
 * such cgroup.
 */
bool focus_set(struct focus *focus, const char *text);

#endif /* ESTAT_PMDA_LOAD_FOCUS_H */
