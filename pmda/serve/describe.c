// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "data/series.h"
#include "describe.h"
#include "devices.h"
#include "help.h"
#include "layers.h"
#include "lib/xalloc.h"
#include "schema/axis.h"

int describe_metric(const struct agent *a, pmID pmid, int type, char **buffer)
{
	const struct metric *m = pmda_tables_find(&a->tables, pmid);
	static char *text; /* owned; freed at the next call, when libpcp_pmda has copied the text */

	if (!m)
		return PM_ERR_PMID;
	free(text);
	text = type & PM_TEXT_ONELINE ? help_oneline(m) : help_text(m);
	*buffer = text;
	return 0;
}

int describe_indom(const struct agent *a, pmInDom indom, char **buffer)
{
	static const char *const own[] = {
		[SERIAL_MODULES] = "Modules of estat",
		[SERIAL_LAYERS] =
			"Layers of the stack that an I/O passes, from the top to the bottom",
		[SERIAL_LAYOUTS] = "Series, groups and event records of modules",
		[SERIAL_LAST] = "Places for the last records of a module: a new record takes the "
				"place of the oldest",
		[SERIAL_DEVICES] = "Block devices, mounts, exports, ZFS pools and vdevs, iSCSI "
				   "sessions, LUNs and swap",
	};
	static char text[1024];
	struct bucket_indom *buckets;
	const struct series *s = agent_series(a, indom, &buckets);
	unsigned int serial = pmInDom_serial(indom);
	char *axes;

	if (serial < sizeof(own) / sizeof(own[0]) && own[serial]) {
		*buffer = (char *)own[serial];
		return 0;
	}
	if (!s)
		return PM_ERR_INDOM;
	/*
	 * this help text has the axes, because older versions of `estat` read them here, and newer
	 * versions do so in archives that lack estat.module.axes
	 */
	axes = layouts_axes(s->schema);
	pmsprintf(text, sizeof(text), "%s of estat.%s%s%s%s", buckets ? "Buckets" : "Keys",
		  s->module->edition->name, buckets && buckets->total ? "" : ": ",
		  buckets && buckets->total ? "" : axes,
		  s->table->overflow ? "; " ESTAT_OVERFLOW_NAME ": all keys without a slot" : "");
	free(axes);
	*buffer = text;
	return 0;
}

/*
 * The newest label set of a bucket that libpcp made. To make a set, libpcp parses JSON, which takes
 * most of the agent's time in a scrape. So the sets of the other buckets of the same key are
 * changed copies of this set.
 */
static struct {
	const struct bucket_indom *buckets;
	int row;
	uint64_t folded; /* when the series' last fold before the set began, as s->folded */
	pmLabelSet set;
} last;

/*
 * Copy a set to `to`, with room for set_label() to write longer texts. libpcp_pmda frees the copy,
 * but remember() frees the copy in `last`.
 */
static int copy_set(const pmLabelSet *from, pmLabelSet *to)
{
	*to = *from;
	to->labels = xalloc(malloc(from->nlabels * sizeof(*to->labels)));
	memcpy(to->labels, from->labels, from->nlabels * sizeof(*to->labels));
	to->json = xalloc(malloc(from->jsonlen + 2 * BUCKET_NAME_LEN));
	memcpy(to->json, from->json, from->jsonlen + 1);
	return to->nlabels;
}

/* Give a label of the set another text, and move the JSON that follows the label. */
static void set_label(pmLabelSet *set, const char *name, const char *text)
{
	pmLabel *label = set->labels, *end = label + set->nlabels;
	size_t length = strlen(text), old;
	char *at;

	while (label < end && (label->namelen != strlen(name) ||
			       memcmp(set->json + label->name, name, label->namelen)))
		label++;
	if (label == end)
		return;
	at = set->json + label->value + 1; /* after the text's opening quote */
	old = label->valuelen - 2;
	memmove(at + length, at + old, strlen(at + old) + 1);
	memcpy(at, text, length);
	for (pmLabel *l = set->labels; l < end; l++)
		if (l->value > label->value) {
			l->name += length - old;
			l->value += length - old;
		}
	label->valuelen += length - old;
	set->jsonlen += length - old;
}

static void remember(const struct bucket_indom *buckets, int row, uint64_t folded,
		     const pmLabelSet *set)
{
	free(last.set.labels);
	free(last.set.json);
	last.buckets = buckets;
	last.row = row;
	last.folded = folded;
	copy_set(set, &last.set);
}

static int add_bucket(struct series *s, const struct bucket_indom *b, int row, unsigned int number,
		      pmLabelSet **set)
{
	const char *axes = row == SERIES_TOTAL ? "" : s->rows[row].labels;
	char le[BUCKET_NAME_LEN], size_le[BUCKET_NAME_LEN], *key;
	int n;

	buckets_edges(b, number, le, size_le);
	if (last.buckets == b && last.row == row && last.folded == s->folded) {
		n = copy_set(&last.set, *set);
		set_label(*set, "le", le);
		set_label(*set, "size_le", size_le);
		return n;
	}
	/*
	 * The buckets of a Prometheus histogram must differ in the label le alone. pmproxy would
	 * add labels instname and instid with each bucket's own name and number. The bucket's
	 * labels instname and instid, with the name and number of the key, prevent this.
	 */
	key = b->kind == BUCKETS_BELOW ? instance_labels(s->rows[row].name, s->rows[row].inst)
				       : NULL;
	n = pmdaAddLabels(set, "{\"le\":\"%s\"%s%s%s%s%s%s%s}", le,
			  *size_le ? ",\"size_le\":\"" : "", size_le, *size_le ? "\"" : "",
			  key ? "," : "", key ?: "", *axes ? "," : "", axes);
	free(key);
	if (n > 0)
		remember(b, row, s->folded, *set);
	return n;
}

int describe_instance(const struct agent *a, struct series *s, const struct bucket_indom *buckets,
		      pmInDom indom, unsigned int inst, pmLabelSet **set)
{
	unsigned int per_key = buckets ? buckets_per_key(buckets) : 1;
	void *module;
	int row;

	switch (pmInDom_serial(indom)) {
	case SERIAL_MODULES:
		if (pmdaCacheLookup(indom, inst, NULL, &module) != PMDA_CACHE_ACTIVE)
			return 0;
		return pmdaAddLabels(set, "{\"module\":\"%s\"}",
				     ((const struct module *)module)->edition->name);
	case SERIAL_LAYERS:
		return layers_label(&a->tables.layers, inst, set);
	case SERIAL_LAYOUTS:
		return layouts_label(&a->tables.layouts, inst, set);
	case SERIAL_DEVICES:
		return devices_label(inst, set);
	}
	if (!s)
		return 0;
	row = buckets && buckets->total ? SERIES_TOTAL : series_row(s, inst / per_key);
	if (row < 0)
		return 0;
	if (buckets)
		return add_bucket(s, buckets, row, inst % per_key, set);
	return pmdaAddLabels(set, "{%s}", s->rows[row].labels);
}
