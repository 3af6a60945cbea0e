/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens an edition of a module: its file and its section of estat.conf. */
#ifndef ESTAT_PMDA_LOAD_EDITION_H
#define ESTAT_PMDA_LOAD_EDITION_H

#include "module.h"

/*
 * Open a module's file, and read the schema. Never returns NULL: if the file is refused, for
 * example because a user other than root can have written the file, the edition's `error` says why.
 * The caller frees the edition with edition_free().
 */
struct edition *edition_open(const char *path);
void edition_free(struct edition *e);

/* Set e->error to the text, and log the text. */
void edition_refuse(struct edition *e, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Set e->settings from estat.conf. Unless estat.conf switches the module off, set e->kmod and
 * e->also to the kernel modules that the module probes. The edition must have a schema.
 */
void edition_configure(struct edition *e, struct config *config);

/* Are e->settings what estat.conf says now? */
bool edition_is_configured(const struct edition *e, struct config *config);

#endif /* ESTAT_PMDA_LOAD_EDITION_H */
