// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The axes of a key: the labels of its instance. An archive need not have them, as
 * pmlogger keeps those only that it saw when it began; it has the text of their domain.
 */
#include <arpa/inet.h>
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
static bool is_axis(const struct layout *layout, const char *name, unsigned int length)
{
	for (unsigned int i = 0; i < layout->naxes; i++)
		if (strlen(layout->axes[i]) == length && !strncmp(layout->axes[i], name, length))
			return true;
	return !layout->naxes;
}

/* What a label's text says: in JSON there is a backslash before each quote and backslash. */
static char *text_of_label(const char *json, size_t length)
{
	char *text = xalloc(malloc(length + 1)), *to = text;

	for (const char *end = json + length; json < end; json++) {
		if (*json == '\\' && json + 1 < end)
			json++;
		*to++ = *json;
	}
	*to = '\0';
	return text;
}

/* The value of a label, without its quotes. */
static char *value_of(const pmLabelSet *set, const pmLabel *label)
{
	return text_of_label(set->json + label->value + 1,
			     label->valuelen > 2 ? label->valuelen - 2 : 0);
}

/* Make a label that is an axis, and the next part of the name, one of the key's. Its length. */
static size_t add_axis(struct key *key, const struct layout *layout, const pmLabelSet *set,
		       const pmLabel *label, const char *part)
{
	char *name, *value;
	size_t length;

	if (!is_axis(layout, set->json + label->name, label->namelen))
		return 0;
	name = xalloc(strndup(set->json + label->name, label->namelen));
	value = value_of(set, label);
	length = strlen(value);
	if (length && !strncmp(part, value, length) &&
	    (!part[length] || !strncmp(part + length, "::", 2)) && !key_axis(key, name)) {
		key->axes[key->naxes++] = (struct axis){ name, value };
		return length;
	}
	free(name);
	free(value);
	return 0;
}

/*
 * A key's axes are labels of its instance, in the order of its name's parts. If they are not all
 * of the name, it has none.
 */
static void axes_from_labels(struct key *key, const struct layout *layout, const pmLabelSet *set)
{
	const char *part = key->name;

	while (key->naxes < MAX_AXES) {
		size_t length = 0;

		for (int i = 0; i < set->nlabels && !length; i++)
			length = add_axis(key, layout, set, &set->labels[i], part);
		part += length;
		if (length && !*part)
			return;
		if (!length)
			break;
		part += 2;
	}
	while (key->naxes) {
		key->naxes--;
		free(key->axes[key->naxes].name);
		free(key->axes[key->naxes].value);
	}
}

/* Has a name more than so many parts? */
static bool has_more(const char *name, unsigned int n)
{
	while (n-- && name) {
		name = strstr(name, "::");
		name = name ? name + 2 : NULL;
	}
	return name;
}

/* Is it an address of IPv6? */
static bool is_ipv6(const char *text, size_t length)
{
	char address[INET6_ADDRSTRLEN];
	struct in6_addr octets;

	if (length >= sizeof(address))
		return false;
	memcpy(address, text, length);
	address[length] = '\0';
	return inet_pton(AF_INET6, address, &octets) == 1;
}

/*
 * Where the first of so many parts ends; NULL: with the name. An address of IPv6 may have in it
 * what stands between parts, but only where else there were too many is one looked for.
 */
static const char *end_of_value(const char *name, unsigned int n)
{
	const char *end = n > 1 ? strstr(name, "::") : NULL, *found = end;

	if (!end || !has_more(name, n))
		return end;
	for (; end && has_more(end + 2, n - 2); end = strstr(end + 1, "::"))
		if (is_ipv6(name, end - name))
			found = end;
	return found;
}

/* Of an instance without labels: its name's parts, the last of which is the rest. */
static void axes_from_name(struct key *key, const struct layout *layout)
{
	const char *part = key->name;
	unsigned int n = strcmp(key->name, ESTAT_OTHERS_NAME) ? layout->naxes : 1;

	for (unsigned int i = 0; i < n; i++) {
		const char *end = end_of_value(part, n - i);

		key->axes[i].name = layout->axes[i];
		key->axes[i].value = xalloc(end ? strndup(part, end - part) : strdup(part));
		part = end ? end + 2 : "";
	}
	key->naxes = n;
}

/* The value of the label of this name; NULL if there is none. */
static char *label_value(const pmLabelSet *set, const char *name)
{
	for (int i = 0; i < set->nlabels; i++) {
		const pmLabel *label = &set->labels[i];

		if (label->namelen == strlen(name) && label->valuelen > 2 &&
		    !strncmp(set->json + label->name, name, label->namelen))
			return value_of(set, label);
	}
	return NULL;
}

void find_axes(struct key *key, const struct layout *layout, const pmLabelSet *labels)
{
	struct layout unknown = { .naxes = 1, .axes = { "instance" } };

	if (labels) {
		axes_from_labels(key, layout, labels);
		key->device = label_value(labels, "device_name");
	}
	if (!key->naxes)
		axes_from_name(key, layout->naxes ? layout : &unknown);
}
