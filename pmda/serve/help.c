// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "exports.h"
#include "help.h"
#include "lib/xalloc.h"

static const char *module_of(const struct metric *m)
{
	return m->exports->module->edition->name;
}

char *help_oneline(const struct metric *m)
{
	char *text;

	if (m->kind == METRIC_EVENTS)
		return xasprintf("Event records of %s", module_of(m));
	text = xasprintf("%s%s", m->first,
			 m->kind == METRIC_LAYER  ? ", by layer"
			 : m->exports && m->total ? ", over all keys"
						  : "");
	/* a module's help for a field may have several lines */
	for (char *c = m->exports ? strchr(text, '\n') : NULL; c; c = strchr(c, '\n'))
		*c = ' ';
	return text;
}

static char *layer_text(const struct metric *m, const char *oneline)
{
	return xasprintf("%s.\nEach instance is a layer; its name is that of the layer's metrics"
			 "\nwithout estat. Numbers, except rank, are over all keys: devices that"
			 "\nstand on one another each count, where estat layers counts once. Layers"
			 "\nstand from the top of the stack to the bottom.%s",
			 oneline, m->desc.sem == PM_SEM_INSTANT ? "\n" METRICS_INTERVAL : "");
}

static char *events_text(const struct metric *m, const char *oneline)
{
	const struct ring_schema *e = m->events->reader.schema;

	return xasprintf("%s.\n%s.\nA client gets the records since its previous fetch; at its "
			 "first fetch, those\nthat are kept: the last %u. Their parameters are "
			 "estat.%s.event.*.",
			 oneline, e->help, e->records, module_of(m));
}

static char *last_text(const struct metric *m, const char *oneline)
{
	return xasprintf(
		"%s.\n%s.\nAn instance is a place for a record: there are the last %u, and "
		"a new one takes the\nplace of the oldest.",
		oneline, m->last->reader.schema->help, ESTAT_LAST_RECORDS);
}

static char *series_text(const struct metric *m, const char *oneline)
{
	static const char returning[] =
		"If a disk, or what else an instance names, is removed and comes back, the\n"
		"instance counts from 0 again; its earlier counts stay in the total.\n";
	const struct series_schema *s = m->series->schema;
	const char *help = m->group == s->groups ? s->help : m->group->help;

	return xasprintf("%s.\n%s%s%s%s", oneline, help, *help ? ".\n" : "", m->more,
			 m->desc.sem == PM_SEM_COUNTER && !m->total ? returning : "");
}

char *help_text(const struct metric *m)
{
	char *oneline = help_oneline(m), *text;

	if (m->kind == METRIC_LAYER)
		text = layer_text(m, oneline);
	else if (m->kind == METRIC_EVENTS)
		text = events_text(m, oneline);
	else if (m->kind == METRIC_LAST)
		text = last_text(m, oneline);
	else if (m->kind == METRIC_PARAMETER)
		text = xasprintf("%s.\nA parameter of the records of estat.%s.events. It has "
				 "values only there.",
				 oneline, module_of(m));
	else if (m->series)
		text = series_text(m, oneline);
	else
		text = xasprintf("%s\n%s", oneline, m->more);
	free(oneline);
	return text;
}
