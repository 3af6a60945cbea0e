// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds the layout of a series, and the axes of a key by the labels of the key's instance. Before
 * PCP 6.3.4 pmlogger records the labels of a domain's instances only once, so instances that come
 * later have no labels in an archive. The axes of such an instance's key come from the key's name
 * and the layout.
 */
#include <arpa/inet.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/pcptime.h"
#include "label.h"
#include "source.h"
#include "texts.h"

void find_layout(struct source *s, struct series *series, pmInDom indom)
{
	const char *name = series->prefix + strlen("estat.");
	pcp_time end = pcp_time_of(s->finish);
	struct text *axes;
	unsigned int n;

	/* an archive has no labels at its start: read those at the end of the time window */
	if (s->archive)
		pmSetMode(PM_MODE_BACK, &end, 0);
	series->layout = layout_read(name, indom);
	if (series->layout.naxes)
		return;
	/* archives of pmlogreduce(1) lack labels and help texts, but have this metric's values */
	n = source_texts(s, "estat.module.axes", &axes);
	if (text_of(axes, n, name))
		layout_axes(&series->layout, text_of(axes, n, name));
	texts_free(axes, n);
}

const char *key_axis(const struct key *key, const char *axis)
{
	for (unsigned int i = 0; i < key->naxes; i++)
		if (!strcmp(key->axes[i].name, axis))
			return key->axes[i].value;
	return NULL;
}

bool axis_says(const struct axis *axis)
{
	return strcmp(axis->value, "under_way") &&
	       (strcmp(axis->name, "how") || strcmp(axis->value, "none"));
}

char *key_text(const struct key *key, const char *but)
{
	char *text = xalloc(strdup(""));

	for (unsigned int i = 0; i < key->naxes; i++) {
		const struct axis *axis = &key->axes[i];
		char *before = text;

		if ((but && !strcmp(axis->name, but)) || !axis_says(axis))
			continue;
		text = xasprintf("%s%s%s", before, *before ? ", " : "", axis->value);
		free(before);
	}
	return text;
}

/*
 * Is the label an axis? Other labels describe the key, such as device_name, a name of its disk. If
 * the layout has no axes, each label counts as an axis.
 */
static bool is_axis(const struct layout *layout, const char *name, unsigned int length)
{
	for (unsigned int i = 0; i < layout->naxes; i++)
		if (strlen(layout->axes[i]) == length && !strncmp(layout->axes[i], name, length))
			return true;
	return !layout->naxes;
}

/* What the agent writes in an instance name for a blank, because PCP ends a name at a blank. */
#define BLANK "\\040"

/*
 * The length of the beginning of `name` that equals `value`; 0: `name` does not begin with `value`,
 * or `value` is "". A blank in `value` also equals BLANK in `name`.
 */
static size_t begins_with(const char *name, const char *value)
{
	const char *at = name;

	for (; *value; value++) {
		bool blank = *value == ' ' && !strncmp(at, BLANK, strlen(BLANK));

		if (!blank && *at != *value)
			return 0;
		at += blank ? strlen(BLANK) : 1;
	}
	return at - name;
}

/* Replace each BLANK in a value by a blank. Returns `value`. */
static char *with_blanks(char *value)
{
	for (char *at = value; (at = strstr(at, BLANK)); at++) {
		*at = ' ';
		memmove(at + 1, at + strlen(BLANK), strlen(at + strlen(BLANK)) + 1);
	}
	return value;
}

/*
 * If the label is an axis that the key lacks, and the label's value stands at the begin of `rest`,
 * with :: or the end behind it, add the axis. Returns the length that the value has in `rest`, or
 * 0 if no axis is added.
 */
static size_t add_axis(struct key *key, const struct layout *layout, const pmLabelSet *set,
		       const pmLabel *label, const char *rest)
{
	char *name, *value;
	size_t length;

	if (!is_axis(layout, set->json + label->name, label->namelen))
		return 0;
	name = xalloc(strndup(set->json + label->name, label->namelen));
	value = label_text(set, label);
	length = begins_with(rest, value);
	if (length && (!rest[length] || !strncmp(rest + length, "::", 2)) && !key_axis(key, name)) {
		key->axes[key->naxes++] = (struct axis){ name, value };
		return length;
	}
	free(name);
	free(value);
	return 0;
}

/*
 * Set the key's axes from those labels whose values, joined by "::", make up the key's whole name;
 * if no labels do, leave the key without axes.
 */
static void axes_from_labels(struct key *key, const struct layout *layout, const pmLabelSet *set)
{
	const char *rest = key->name;

	while (key->naxes < MAX_AXES) {
		size_t length = 0;

		for (int i = 0; i < set->nlabels && !length; i++)
			length = add_axis(key, layout, set, &set->labels[i], rest);
		rest += length;
		if (length && !*rest)
			return;
		if (!length)
			break;
		rest += 2;
	}
	for (; key->naxes; key->naxes--) {
		free(key->axes[key->naxes - 1].name);
		free(key->axes[key->naxes - 1].value);
	}
}

static bool has_more(const char *name, unsigned int n)
{
	while (n-- && name) {
		name = strstr(name, "::");
		name = name ? name + 2 : NULL;
	}
	return name;
}

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
 * Where the first of n values of a name ends; NULL: at the end of the name. A name with n or more
 * "::" has a value that contains "::". If such a name begins with an IPv6 address, the first value
 * is that address.
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

/*
 * Set the axes of a key for which axes_from_labels() set none: split the key's name at "::". The
 * last axis gets the rest. The overflow key gets only the first axis.
 */
static void axes_from_name(struct key *key, const struct layout *layout)
{
	const char *rest = key->name;
	unsigned int n = strcmp(key->name, ESTAT_OVERFLOW_NAME) ? layout->naxes : 1;

	for (unsigned int i = 0; i < n; i++) {
		const char *end = end_of_value(rest, n - i);

		key->axes[i].name = layout->axes[i];
		key->axes[i].value =
			with_blanks(xalloc(end ? strndup(rest, end - rest) : strdup(rest)));
		rest = end ? end + 2 : "";
	}
	key->naxes = n;
}

void find_axes(struct key *key, const struct layout *layout, const pmLabelSet *labels)
{
	struct layout unknown = { .naxes = 1, .axes = { "instance" } };

	if (labels) {
		axes_from_labels(key, layout, labels);
		key->device = label_find(labels, "device_name");
		key->includes = label_find(labels, "includes");
	}
	if (!key->naxes)
		axes_from_name(key, layout->naxes ? layout : &unknown);
}
