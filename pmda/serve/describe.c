// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "data/series.h"
#include "describe.h"
#include "devices.h"
#include "help.h"
#include "layers.h"
#include "schema/axis.h"

int describe_metric(const struct agent *a, pmID pmid, int type, char **buffer)
{
	const struct metric *m = pmda_tables_find(&a->tables, pmid);
	static char *text; /* libpcp_pmda does not free it */

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
		[SERIAL_DEVICES] = "Block devices, mounts and what else they stand on",
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
	/* older commands, and readers of archives without estat.module.axes, read the axes here */
	axes = layouts_axes(s->schema);
	pmsprintf(text, sizeof(text), "%s of estat.%s%s%s%s", buckets ? "Buckets" : "Keys",
		  s->module->edition->name, buckets && buckets->total ? "" : ": ",
		  buckets && buckets->total ? "" : axes,
		  s->table->overflow ? "; " ESTAT_OTHERS_NAME ": all keys without a slot" : "");
	free(axes);
	*buffer = text;
	return 0;
}

/*
 * Add the labels instname and instid of a key to the key's buckets: pmproxy would add these with
 * each bucket's own name and number, but buckets of a Prometheus histogram must differ in le alone.
 */
static int add_instance_labels(const struct row *row, pmLabelSet **set)
{
	char *labels = instance_labels(row->name, row->inst);
	int sts = pmdaAddLabels(set, "{%s}", labels);

	free(labels);
	return sts;
}

int describe_instance(const struct agent *a, pmInDom indom, unsigned int inst, pmLabelSet **set)
{
	struct bucket_indom *buckets;
	const struct series *s = agent_series(a, indom, &buckets);
	unsigned int per_key = 1;
	void *module;
	int row, sts = 0;

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
	if (buckets) {
		per_key = buckets_per_key(buckets);
		sts = buckets_labels(buckets, inst % per_key, set);
		if (sts < 0)
			return sts;
	}
	row = buckets && buckets->total ? SERIES_TOTAL : series_row(s, inst / per_key);
	if (row < 0)
		return sts;
	if (buckets && buckets->kind == BUCKETS_BELOW)
		sts = add_instance_labels(&s->rows[row], set);
	if (sts < 0 || row == SERIES_TOTAL)
		return sts;
	return pmdaAddLabels(set, "{%s}", s->rows[row].labels);
}
