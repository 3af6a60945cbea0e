// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "agent.h"
#include "client.h"
#include "data/cache.h"

/*
 * Of the modules with the name `name`, that for which module_owns_name() is true; if there is none,
 * the first of them.
 */
static const struct module *find_owner(const struct agent *a, const char *name)
{
	const struct module *first = NULL;

	for (unsigned int i = 0; i < a->nmodules; i++) {
		const struct module *m = a->modules[i];

		if (strcmp(m->edition->name, name))
			continue;
		if (module_owns_name(m))
			return m;
		if (!first)
			first = m;
	}
	return first;
}

/*
 * The instance name of a module: the module's name, if find_owner() finds the module, else the name
 * of the module's file.
 */
static const char *instance_of(const struct agent *a, const struct module *m)
{
	return find_owner(a, m->edition->name) == m ? m->edition->name
						    : strrchr(m->edition->path, '/') + 1;
}

/*
 * Update all instances of module_indom, because a module added or removed may change which module
 * owns a module's name.
 */
static void show_modules(const struct agent *a)
{
	pmdaCacheOp(a->module_indom, PMDA_CACHE_INACTIVE);
	for (unsigned int i = 0; i < a->nmodules; i++)
		pmdaCacheStore(a->module_indom, PMDA_CACHE_ADD, instance_of(a, a->modules[i]),
			       a->modules[i]);
}

void agent_offer(const struct agent *a, struct module *m)
{
	m->exports = exports_new(m, a->domain);
	layers_begin(m->exports);
}

void agent_withdraw(struct module *m)
{
	agent_free_exports(m->exports);
	m->exports = NULL;
}

void agent_free_exports(struct exports *exports)
{
	if (!exports)
		return;
	clients_forget(exports);
	layers_end(exports);
	exports_free(exports);
}

bool agent_serve(const struct agent *a, struct module *m)
{
	bool may_run = module_runs(m) || m->state == MODULE_WAITING || m->tries.next ||
		       /*
			* if the kernel forbids the BPF programs, or lacks the kind of probe that
			* they use, the metrics are exported without values
			*/
		       (m->state == MODULE_FAILED && m->unfit);
	bool is_current = m->exports && m->exports->stops == m->history.stops;

	if (may_run ? is_current : !m->exports)
		return false;
	agent_withdraw(m);
	if (may_run)
		agent_offer(a, m);
	return true;
}

void agent_build(struct agent *a)
{
	show_modules(a);
	cache_save(a->module_indom);
	pmda_tables_build(&a->tables, &a->metrics, a->modules, a->nmodules);
}

struct series *agent_series(const struct agent *a, pmInDom indom, struct bucket_indom **buckets)
{
	for (unsigned int i = 0; i < a->nmodules; i++) {
		const struct exports *exports = a->modules[i]->exports;
		struct series *s = exports ? exports_series(exports, indom, buckets) : NULL;

		if (s)
			return s;
	}
	*buckets = NULL;
	return NULL;
}

void agent_end_client(struct agent *a, int context)
{
	client_end(context);
	for (unsigned int i = 0; i < a->nmodules; i++)
		if (a->modules[i]->exports && a->modules[i]->exports->events)
			events_end(a->modules[i]->exports->events, context);
}
