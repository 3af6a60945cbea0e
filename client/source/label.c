// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "label.h"
#include "lib/xalloc.h"

/*
 * Decodes the escapes that the agent writes: \", \\ and \u0001 to \u001f. \ufffd, which the agent
 * writes in place of a byte that is not UTF-8, becomes the byte 0xfd.
 */
char *label_text(const pmLabelSet *set, const pmLabel *label)
{
	size_t length = label->valuelen > 2 ? label->valuelen - 2 : 0;
	const char *json = set->json + label->value + 1, *end = json + length;
	char *text = xalloc(malloc(length + 1)), *to = text;
	unsigned int code;

	for (; json < end; json++) {
		if (*json != '\\' || json + 1 == end)
			*to++ = *json;
		else if (*++json == 'u' && sscanf(json, "u%4x", &code) == 1) {
			*to++ = code;
			json += 4;
		} else
			*to++ = *json;
	}
	*to = '\0';
	return text;
}

char *label_find(const pmLabelSet *set, const char *name)
{
	for (int i = 0; i < set->nlabels; i++) {
		const pmLabel *label = &set->labels[i];

		if (label->namelen == strlen(name) &&
		    !strncmp(set->json + label->name, name, label->namelen))
			return label_text(set, label);
	}
	return NULL;
}
