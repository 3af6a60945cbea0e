// SPDX-License-Identifier: GPL-2.0-or-later
/* The list of modules: finds files in the folder; opens, starts, replaces and removes modules. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/cache.h"
#include "lib/clock.h"
#include "lib/xalloc.h"
#include "lifecycle.h"
#include "load/edition.h"
#include "load/kallsyms.h"
#include "load/loaded.h"
#include "load/object.h"
#include "load/publish.h"
#include "load/table.h"
#include "modules.h"
#include "serve/devices.h"
#include "serve/layers.h"
#include "serve/status.h"
#include "watch.h"

/* The range of PMID clusters for modules that declare no cluster. */
#define FIRST_FREE_CLUSTER 1024
#define LAST_CLUSTER       (SECOND_CLUSTER - 1)

/*
 * Is the folder of modules there, and can only root write to it? If not, another user could add a
 * module.
 */
static bool trusts_folder(const struct agent *a)
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
			    "root owns and writes (chown root, chmod go-w): no module is loaded "
			    "from it",
			    path, st.st_uid, st.st_mode & 07777);
		return false;
	}
	return true;
}

static int is_module(const struct dirent *entry)
{
	return object_is_module_file(entry->d_name);
}

/*
 * Give a module that declares no PMID cluster a free cluster, which belongs to the module's name
 * for ever.
 */
static void find_cluster(const struct agent *a, struct edition *e)
{
	pmInDom clusters = pmInDom_build(a->domain, SERIAL_CLUSTERS);
	int number;

	if (e->schema->cluster)
		return;
	number = pmdaCacheStore(clusters, PMDA_CACHE_ADD, e->name, NULL);
	if (number < 0 || FIRST_FREE_CLUSTER + number > LAST_CLUSTER)
		edition_refuse(e, "no free PMID cluster: %s",
			       number < 0 ? pmErrStr(number) : "all are taken");
	else
		e->schema->cluster = FIRST_FREE_CLUSTER + number;
	cache_save(clusters);
}

/*
 * Refuse an edition of `m` (NULL: a new module) if another module has the edition's name or PMID
 * cluster.
 */
static void check_unique(const struct agent *a, struct edition *e, const struct module *m)
{
	for (unsigned int i = 0; i < a->nmodules && !*e->error; i++) {
		const struct edition *other = a->modules[i]->edition;

		if (a->modules[i] == m || !module_owns_name(a->modules[i]))
			continue;
		if (!strcmp(other->name, e->name))
			edition_refuse(e, "%s has the same module name", other->path);
		else if (other->schema->cluster == e->schema->cluster)
			edition_refuse(e, "%s has the same PMID cluster, %u", other->path,
				       e->schema->cluster);
		e->clashes = *e->error;
	}
}

/*
 * Open the file `path` as an edition, choose its PMID cluster, and read its settings. `m`: the
 * file's module; NULL: the module is new.
 */
static struct edition *open_edition(const struct agent *a, const char *path, const struct module *m)
{
	struct edition *e = edition_open(path);

	if (e->schema)
		find_cluster(a, e);
	if (e->schema)
		check_unique(a, e, m);
	if (!*e->error)
		edition_configure(e, a->settings);
	else
		config_leave(a->settings, e->name);
	return e;
}

static void discard(struct module *m)
{
	agent_withdraw(m);
	module_free(m);
}

/* Try refused files again, because a name and a PMID cluster that they may want are free now. */
static void retry_clashes(const struct agent *a)
{
	if (!trusts_folder(a))
		return;
	for (unsigned int i = 0; i < a->nmodules; i++)
		a->modules[i]->wish.changed |= a->modules[i]->edition->clashes ||
					       *a->modules[i]->refused;
}

void modules_remove(struct agent *a, unsigned int index)
{
	struct module *m = a->modules[index];

	pmNotifyErr(LOG_INFO, "module %s: its file is gone", m->edition->name);
	discard(m);
	memmove(&a->modules[index], &a->modules[index + 1],
		(--a->nmodules - index) * sizeof(*a->modules));
	retry_clashes(a);
}

/*
 * Export or withdraw a module's metrics after a step. If the step has replaced the edition `old`,
 * free `old` and its exports. If `goes_on`, the new exports take over the rows and counts of the
 * old exports. Returns whether the caller must call agent_build().
 */
static bool serve(const struct agent *a, struct module *m, struct edition *old, bool goes_on)
{
	const struct edition *e = m->edition;
	struct exports *had = m->exports;
	bool owned = old->schema && !old->clashes, frees;

	if (e == old)
		return agent_serve(a, m);
	m->wish.off = edition_is_off(e);
	m->exports = NULL;
	agent_serve(a, m);
	if (goes_on)
		exports_carry(m->exports, had);
	agent_free_exports(had);
	frees = owned && !(module_owns_name(m) && !strcmp(e->name, old->name) &&
			   e->schema->cluster == old->schema->cluster);
	edition_free(old);
	if (frees)
		retry_clashes(a);
	return true;
}

static bool change(const struct agent *a, struct module *m, struct edition *e, uint64_t ns)
{
	struct edition *old = m->edition;
	bool was_attached = module_is_attached(m), goes_on = false, changed;
	enum module_change change = module_change(m, e, ns);

	if (change == CHANGE_GOES_ON)
		return false;
	if (change == CHANGE_READY) {
		goes_on = e != old && m->exports && loaded_goes_on(m->next, &m->now);
		if (goes_on)
			exports_gather(m->exports);
		module_commit(m);
	}
	changed = serve(a, m, old, goes_on);
	if (m->edition->settings.demand && !was_attached && module_is_attached(m)) {
		/*
		 * count the `linger` seconds, after which an unread module is detached, from now,
		 * because the module counts only from now on
		 */
		m->fetched = clock_now();
		exports_begin(m->exports);
	}
	return changed;
}

bool modules_change(struct agent *a, struct module *m, uint64_t ns)
{
	return change(a, m, m->next ? m->next->edition : m->edition, ns);
}

bool modules_start(struct agent *a, struct module *m, uint64_t ns)
{
	module_stand_by(m);
	return modules_change(a, m, ns);
}

bool modules_replace(struct agent *a, struct module *m, uint64_t ns)
{
	struct edition *e = open_edition(a, m->edition->path, m);

	m->wish.changed = false;
	if (!*e->error || !m->wish.off)
		return change(a, m, e, ns);
	edition_free(e); /* the module stays off */
	return false;
}

bool modules_switch_off(struct agent *a, struct module *m)
{
	m->wish.changed = false;
	edition_configure(m->edition, a->settings);
	module_switch_off(m, m->edition);
	return agent_serve(a, m);
}

static const char *file_of(const struct module *m)
{
	return strrchr(m->edition->path, '/') + 1;
}

static bool is_known(const struct agent *a, const char *file)
{
	for (unsigned int i = 0; i < a->nmodules; i++)
		if (!strcmp(file_of(a->modules[i]), file))
			return true;
	return false;
}

/*
 * Add the module of a file. reconcile() will start the module, unless the module is off or refused.
 */
static void add_module(struct agent *a, const char *file)
{
	struct edition *e = open_edition(a, xasprintf("%s/%s", a->folder, file), NULL);
	struct module *m = module_new(e);

	a->modules = grow(a->modules, a->nmodules, sizeof(*a->modules));
	a->modules[a->nmodules++] = m;
	m->wish.off = edition_is_off(e);
}

/*
 * If `all`, add a module for each module file in the folder; else, for each changed one that has no
 * module. Returns whether a module was added.
 */
static bool add_modules(struct agent *a, bool all)
{
	unsigned int had = a->nmodules;
	struct dirent **entries;
	int n = scandir(a->folder, &entries, is_module, alphasort);

	if (n < 0) {
		pmNotifyErr(LOG_ERR, "modules folder %s: %s", a->folder, osstrerror());
		return false;
	}
	for (int i = 0; i < n; i++) {
		const char *file = entries[i]->d_name;

		if (all || (watch_changed(file) && !is_known(a, file)))
			add_module(a, file);
		free(entries[i]);
	}
	free(entries);
	if (all && !n)
		pmNotifyErr(LOG_WARNING, "modules folder %s: no *.bpf.o in it", a->folder);
	return a->nmodules > had;
}

static bool is_there(const char *path)
{
	return !access(path, F_OK) || errno != ENOENT;
}

bool modules_look(struct agent *a)
{
	bool trusted = trusts_folder(a);

	for (unsigned int i = 0; i < a->nmodules; i++) {
		struct module *m = a->modules[i];

		if (!watch_changed(file_of(m)))
			continue;
		m->wish.gone = !is_there(m->edition->path);
		m->wish.changed |= trusted && !m->wish.gone;
	}
	return trusted && add_modules(a, false);
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
	cache_load(a->module_indom);
	cache_load(pmInDom_build(a->domain, SERIAL_CLUSTERS));
	watch_begin(a->folder, a->config);

	if (trusts_folder(a))
		add_modules(a, true);
	status_add_metrics(a);
	layers_add_metrics(&a->metrics, pmInDom_build(a->domain, SERIAL_LAYERS));
	layouts_add_metric(&a->metrics, a->domain);
	devices_add_metrics(&a->metrics, a->domain);
	for (unsigned int i = 0; i < a->nmodules; i++) {
		struct module *m = a->modules[i];

		if (m->state == MODULE_NEW && !m->wish.off)
			agent_offer(a, m);
	}
	config_report_unknown(a->settings);
	agent_build(a);
}

bool modules_is_starting(const struct agent *a)
{
	for (unsigned int i = 0; i < a->nmodules; i++)
		if (module_is_starting(a->modules[i]))
			return true;
	return false;
}

void modules_grow(const struct agent *a)
{
	for (unsigned int i = 0; i < a->nmodules; i++) {
		struct module *m = a->modules[i];

		if (loaded_is_there(&m->now))
			table_grow_all(&m->now);
		if (m->next && loaded_is_there(m->next) && !m->next->shares)
			table_grow_all(m->next);
	}
}

void modules_stop(struct agent *a)
{
	watch_end();
	for (unsigned int i = 0; i < a->nmodules; i++)
		discard(a->modules[i]);
	publish_end();
	kmods_free();
	kallsyms_free();
	devices_end();
	metrics_free(&a->metrics);
	pmda_tables_free(&a->tables);
	config_free(a->settings);
	free(a->modules);
	free(a->folder);
}
