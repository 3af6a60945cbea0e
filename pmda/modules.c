// SPDX-License-Identifier: GPL-2.0-or-later
/* The list of modules. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "data/cache.h"
#include "lib/xalloc.h"
#include "lifecycle.h"
#include "load/kallsyms.h"
#include "load/object.h"
#include "modules.h"
#include "serve/layers.h"
#include "serve/status.h"
#include "watch.h"

/* Serials of the agent's own instance domains, in cluster 0. series.c has those of modules. */
#define SERIAL_MODULES  1
#define SERIAL_CLUSTERS 2
#define SERIAL_LAYERS   3

/* The range of PMID clusters that the agent gives to modules that declare none. */
#define FIRST_FREE_CLUSTER 1024
#define LAST_CLUSTER       (SECOND_CLUSTER - 1)

bool modules_trusts_folder(const struct agent *a)
{
	const char *path = a->folder;
	struct stat st;

	if (stat(path, &st) < 0) {
		pmNotifyErr(LOG_ERR, "modules folder %s: %s", path, osstrerror());
		return false;
	}
	if (!S_ISDIR(st.st_mode) || st.st_uid != 0 || st.st_mode & (S_IWGRP | S_IWOTH)) {
		pmNotifyErr(LOG_ERR,
			    "modules folder %s: owner %u, mode %04o: it must be a folder that only "
			    "root owns and writes (chown root, chmod go-w): no module is loaded",
			    path, st.st_uid, st.st_mode & 07777);
		return false;
	}
	return true;
}

static int is_module(const struct dirent *entry)
{
	return object_is_module_file(entry->d_name);
}

/* A module that declares no PMID cluster gets a free one, which it keeps for ever by name. */
static void find_cluster(const struct agent *a, struct module *m)
{
	pmInDom clusters = pmInDom_build(a->domain, SERIAL_CLUSTERS);
	int number;

	if (m->schema->cluster)
		return;
	number = pmdaCacheStore(clusters, PMDA_CACHE_ADD, m->name, NULL);
	if (number < 0 || FIRST_FREE_CLUSTER + number > LAST_CLUSTER)
		module_refuse(m, "no free PMID cluster: %s",
			      number < 0 ? pmErrStr(number) : "all are taken");
	else
		m->schema->cluster = FIRST_FREE_CLUSTER + number;
	cache_save(clusters);
}

/* Refuse a module if another module, except `old`, has its name or PMID cluster already. */
static void check_unique(const struct agent *a, struct module *m, const struct module *old)
{
	for (unsigned int i = 0; i < a->nmodules && m->status != MODULE_FAILED; i++) {
		const struct module *other = a->modules[i];

		if (other == m || other == old || !module_owns_name(other))
			continue;
		if (!strcmp(other->name, m->name))
			module_refuse(m, "%s has the same module name", other->path);
		else if (other->schema->cluster == m->schema->cluster)
			module_refuse(m, "%s has the same PMID cluster, %u", other->path,
				      m->schema->cluster);
		else
			continue;
		m->clashes = true;
	}
}

/* Open a file, find its module's cluster and settings. `old`: the module to replace, or NULL. */
static struct module *open_module(const struct agent *a, const char *path, const struct module *old)
{
	struct module *m = module_open(path);

	if (m->schema)
		find_cluster(a, m);
	if (m->schema)
		check_unique(a, m, old);
	if (m->status != MODULE_FAILED)
		module_configure(m, a->settings);
	else
		config_leave(a->settings, m->name);
	return m;
}

static void discard(struct module *m)
{
	agent_withdraw(m);
	module_free(m);
}

void modules_add(struct agent *a, const char *file)
{
	struct module *m;
	char *path = xasprintf("%s/%s", a->folder, file);

	m = open_module(a, path, NULL);
	free(path);
	a->modules = xalloc(realloc(a->modules, (a->nmodules + 1) * sizeof(*a->modules)));
	a->modules[a->nmodules++] = m;
	m->due = m->status != MODULE_FAILED;
}

/* A name and a PMID cluster are free now: let modules start that were refused for either. */
static void retry_clashes(const struct agent *a)
{
	if (!modules_trusts_folder(a))
		return;
	for (unsigned int i = 0; i < a->nmodules; i++)
		a->modules[i]->due |= a->modules[i]->clashes || a->modules[i]->stale_clashes;
}

/* Does neither a name nor a PMID cluster become free when `m` replaces `old`? */
static bool takes_numbers(const struct module *m, const struct module *old)
{
	if (!module_owns_name(old))
		return true;
	return module_owns_name(m) && !strcmp(m->name, old->name) &&
	       m->schema->cluster == old->schema->cluster;
}

bool modules_remove(struct agent *a, unsigned int index)
{
	struct module *m = a->modules[index];

	m->leaving = module_takes_long(m);
	if (m->leaving)
		return false;
	pmNotifyErr(LOG_INFO, "module %s: its file is gone", m->name);
	discard(m);
	memmove(&a->modules[index], &a->modules[index + 1],
		(--a->nmodules - index) * sizeof(*a->modules));
	retry_clashes(a);
	return true;
}

/* The new file or settings are refused: the old module `m` stays, and m->stale says why. */
static void keep(struct module *m, struct module *refused)
{
	snprintf(m->stale, sizeof(m->stale), "its new file or settings are refused: %s",
		 refused->error);
	m->stale_clashes = refused->clashes;
	m->takes = refused->starts.next ? refused->starts : (struct tries){};
	discard(refused);
}

/* Does estat.conf switch the module off? */
static bool is_off(const struct agent *a, const struct module *m)
{
	return m->schema && config_switch(a->settings, m->name, "enabled") == SWITCH_OFF;
}

bool modules_replace(struct agent *a, unsigned int index)
{
	struct module *old = a->modules[index], *m = open_module(a, old->path, old);
	enum module_replaced how = MODULE_KEPT;
	bool off = m->status == MODULE_FAILED && is_off(a, old); /* off even with a refused file */

	old->leaving = (off || m->status != MODULE_FAILED) && module_takes_long(old);
	if (off || old->leaving)
		discard(m);
	if (old->leaving)
		return false;
	if (off) {
		module_switch_off(old, a->settings);
		return agent_serve(a, old);
	}
	m->starts.pause = old->takes.pause;
	if (m->status != MODULE_FAILED)
		how = module_replace(m, old);
	else if (!old->object)
		how = MODULE_RESET;
	if (how == MODULE_KEPT) {
		keep(old, m);
		agent_serve(a, old); /* its status has changed if it could not be attached again */
		return true;
	}
	m->begun = true;
	agent_serve(a, m);
	if (how == MODULE_CARRIED)
		exports_carry(m->exports, old->exports);
	a->modules[index] = m;
	if (!takes_numbers(m, old))
		retry_clashes(a);
	discard(old);
	return true;
}

bool modules_begin(struct agent *a, unsigned int index)
{
	struct module *m = a->modules[index];

	m->begun = true;
	module_start(m);
	return agent_serve(a, m);
}

static void open_modules(struct agent *a)
{
	struct dirent **entries;
	int n;

	if (!modules_trusts_folder(a))
		return;
	n = scandir(a->folder, &entries, is_module, alphasort);
	if (n < 0) {
		pmNotifyErr(LOG_ERR, "modules folder %s: %s", a->folder, osstrerror());
		return;
	}
	for (int i = 0; i < n; i++) {
		modules_add(a, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	if (!n)
		pmNotifyErr(LOG_WARNING, "modules folder %s: no *.bpf.o in it", a->folder);
}

bool modules_configure(struct agent *a)
{
	struct config *config = config_read(a->config, a->optional);

	snprintf(a->error, sizeof(a->error), "%s", config_error(config));
	if (*a->error)
		pmNotifyErr(LOG_ERR, "%s: %s", a->error,
			    a->settings ? "the previous settings stay"
					: "all modules are off, because it may switch some off");
	if (a->settings && *a->error) {
		config_free(config);
		return false;
	}
	if (a->settings)
		config_free(a->settings);
	a->settings = config;
	return true;
}

void modules_open(struct agent *a)
{
	char folder[MAXPATHLEN];

	pmsprintf(folder, sizeof(folder), "%s/estat/modules", pmGetConfig("PCP_PMDAS_DIR"));
	modules_configure(a);
	a->folder = xalloc(strdup(config_text(a->settings, "agent", "modules", folder)));
	a->module_indom = pmInDom_build(a->domain, SERIAL_MODULES);
	a->layer_indom = pmInDom_build(a->domain, SERIAL_LAYERS);
	cache_load(a->module_indom);
	cache_load(pmInDom_build(a->domain, SERIAL_CLUSTERS));
	watch_begin(a->folder, a->config);

	open_modules(a);
	status_add_metrics(a);
	layers_add_metrics(&a->metrics, a->layer_indom);
	layouts_add_metric(&a->metrics, a->domain);
	for (unsigned int i = 0; i < a->nmodules; i++) {
		struct module *m = a->modules[i];

		if (m->due && m->settings.enabled != SWITCH_OFF)
			agent_offer(a, m);
	}
	config_report_unknown(a->settings);
	agent_build(a);
}

bool modules_is_starting(const struct agent *a)
{
	for (unsigned int i = 0; i < a->nmodules; i++)
		if (a->modules[i]->due && !a->modules[i]->begun)
			return true;
	return false;
}

void modules_stop(struct agent *a)
{
	watch_end();
	for (unsigned int i = 0; i < a->nmodules; i++)
		discard(a->modules[i]);
	kmods_free();
	kallsyms_free();
	metrics_free(&a->metrics);
	pmda_tables_free(&a->tables);
	config_free(a->settings);
	free(a->modules);
	free(a->folder);
}
