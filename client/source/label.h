/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads labels of PCP. */
#ifndef ESTAT_CLIENT_SOURCE_LABEL_H
#define ESTAT_CLIENT_SOURCE_LABEL_H

#include <pcp/pmapi.h>

/*
 * The text of a label that is a JSON string: without the quotes, and with those escapes decoded
 * that the agent writes. The caller frees the text.
 */
char *label_text(const pmLabelSet *set, const pmLabel *label);

/* The text of the label `name`, or NULL. The caller frees the text. */
char *label_find(const pmLabelSet *set, const char *name);

#endif /* ESTAT_CLIENT_SOURCE_LABEL_H */
