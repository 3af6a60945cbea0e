/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's lists (include/linux/types.h). CO-RE finds the members' real offsets at load.
 */
#ifndef ESTAT_TYPES_LIST_H
#define ESTAT_TYPES_LIST_H

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct list_head {
	struct list_head *next;
};

#pragma clang attribute pop

#endif /* ESTAT_TYPES_LIST_H */
