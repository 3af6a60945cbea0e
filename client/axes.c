// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The axes of a key: the labels of its instance. An archive need not have them, as
 * pmlogger keeps those only that it saw when it began; it has the text of their domain.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "source.h"

const char *key_axis(const struct key *key, const char *axis)
{
	for (unsigned int i = 0; i < key->naxes; i++)
		if (!strcmp(key->axes[i].name, axis))
			return key->axes[i].value;
	return NULL;
}

/* Is a label an axis? Others say more of one, as device_name does of a disk. */
static bool is_axis(const struct shown *shown, const char *name, unsigned int length)
{
	for (unsigned int i = 0; i < shown->naxes; i++)
		if (strlen(shown->axes[i]) == length && !strncmp(shown->axes[i], name, length))
			return true;
	return !shown->naxes;
}

/* A key's axes are labels of its instance, in the order of its name's parts. */
static void axes_from_labels(struct key *key, const struct shown *shown, const pmLabelSet *set)
{
	const char *part = key->name;

	for (int turn = 0; turn < set->nlabels && key->naxes < MAX_AXES; turn++) {
		for (int i = 0; i < set->nlabels; i++) {
			const pmLabel *label = &set->labels[i];
			const char *value = set->json + label->value + 1;
			int length = label->valuelen - 2; /* without its quotes */
			char *name;

			if (!is_axis(shown, set->json + label->name, label->namelen))
				continue;
			if (length <= 0 || strncmp(part, value, length) ||
			    (part[length] && strncmp(part + length, "::", 2)))
				continue;
			name = or_die(strndup(set->json + label->name, label->namelen));
			if (key_axis(key, name)) {
				free(name);
				continue;
			}
			key->axes[key->naxes++] =
				(struct axis){ name, or_die(strndup(part, length)) };
			part += length;
			if (!*part)
				return;
			part += 2;
			break;
		}
	}
}

/* Of an instance without labels: its name's parts, the last of which is the rest. */
static void axes_from_name(struct key *key, const struct shown *shown)
{
	const char *part = key->name;
	unsigned int n = strcmp(key->name, ESTAT_OTHERS_NAME) ? shown->naxes : 1;

	for (unsigned int i = 0; i < n; i++) {
		const char *end = i + 1 < n ? strstr(part, "::") : NULL;

		key->axes[i].name = shown->axes[i];
		key->axes[i].value = or_die(end ? strndup(part, end - part) : strdup(part));
		part = end ? end + 2 : "";
	}
	key->naxes = n;
}

/* The value of a label, without its quotes; NULL if there is none. */
static char *label_value(const pmLabelSet *set, const char *name)
{
	for (int i = 0; i < set->nlabels; i++) {
		const pmLabel *label = &set->labels[i];

		if (label->namelen == strlen(name) && label->valuelen > 2 &&
		    !strncmp(set->json + label->name, name, label->namelen))
			return or_die(strndup(set->json + label->value + 1, label->valuelen - 2));
	}
	return NULL;
}

void find_axes(struct key *key, const struct shown *shown, const pmLabelSet *labels)
{
	struct shown unknown = { .naxes = 1, .axes = { "instance" } };

	if (labels) {
		axes_from_labels(key, shown, labels);
		key->device = label_value(labels, "device_name");
	}
	if (!key->naxes)
		axes_from_name(key, shown->naxes ? shown : &unknown);
}
