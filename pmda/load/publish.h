/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lets BPF programs find a new page. A page is a map with slots, which the agent adds to a table.
 * BPF programs find a page as soon as it is an element of the table's array of maps.
 */
#ifndef ESTAT_PMDA_LOAD_PUBLISH_H
#define ESTAT_PMDA_LOAD_PUBLISH_H

#include <stdint.h>

/* How many pages can be published before the system call for the first page has returned. */
#define PUBLISH_AT_ONCE 8

/*
 * Store the map `page` as element `number` of the array of maps `pages`, both as descriptors.
 * Returns 0 as soon as BPF programs find the page, or a negative errno.
 */
int publish(int pages, uint32_t number, int page);

/* Wait until the system calls of all pages have returned. */
void publish_end(void);

#endif /* ESTAT_PMDA_LOAD_PUBLISH_H */
