// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * All that the agent serves: its modules, their series and events and the metrics.
 */
#include <dirent.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "agent.h"
#include "client.h"
#include "privilege.h"
#include "proof.h"
#include "status.h"
#include "symbol.h"
#include "util.h"

#define KERNEL_MODULES "/proc/modules"

/* How long modules have to prove themselves between two looks. */
#define LOOK_NS UINT64_C(10000000000)

/* Serials of the agent's own domains, in cluster 0: see series.c for the others. */
#define SERIAL_MODULES  1
#define SERIAL_CLUSTERS 2

/* Modules that bring no cluster of their own get one from here on. */
#define FIRST_FREE_CLUSTER 1024
#define LAST_CLUSTER       4095

/* Whoever can write the folder can put a module there. */
static bool trusted_folder(const char *path)
{
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
	return !fnmatch("[!.]*.bpf.o", entry->d_name, 0);
}

static void add_module(struct agent *a, const char *folder, const char *file)
{
	char *path;

	if (asprintf(&path, "%s/%s", folder, file) < 0)
		or_die(NULL);
	a->modules = or_die(realloc(a->modules, (a->nmodules + 1) * sizeof(*a->modules)));
	a->modules[a->nmodules++] = module_open(path);
	free(path);
}

static void open_modules(struct agent *a, const char *folder)
{
	struct dirent **entries;
	int n;

	if (!trusted_folder(folder))
		return;
	n = scandir(folder, &entries, is_module, alphasort);
	if (n < 0) {
		pmNotifyErr(LOG_ERR, "modules folder %s: %s", folder, osstrerror());
		return;
	}
	for (int i = 0; i < n; i++) {
		add_module(a, folder, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	if (!n)
		pmNotifyErr(LOG_WARNING, "modules folder %s: no *.bpf.o in it", folder);
}

/* A module without a cluster keeps the number that it got first. */
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

/* Names and numbers are the first one's. */
static void check_unique(const struct agent *a, unsigned int index)
{
	struct module *m = a->modules[index];

	for (unsigned int i = 0; i < index && m->status != MODULE_FAILED; i++) {
		const struct module *other = a->modules[i];

		if (!other->schema || other->status == MODULE_FAILED)
			continue;
		if (!strcmp(other->name, m->name))
			module_refuse(m, "%s has a module of this name", other->path);
		else if (other->schema->cluster == m->schema->cluster)
			module_refuse(m, "%s has its cluster, %u", other->path, m->schema->cluster);
	}
}

/*
 * The instance of a module, by its name; a file that failed before its name
 * was known, or whose name is taken, is known by its file name.
 */
static void add_instance(const struct agent *a, unsigned int index)
{
	const struct module *m = a->modules[index];
	const char *name = m->name, *base = strrchr(m->path, '/') + 1;

	for (unsigned int i = 0; i < index; i++)
		if (!strcmp(a->modules[i]->name, m->name))
			name = base;
	pmdaCacheStore(a->module_indom, PMDA_CACHE_ADD, name, (void *)m);
}

/* If one before it has the same maps, they see to them together. */
static void share_maps(const struct agent *a, struct series *s)
{
	for (unsigned int i = 0; i < a->nseries; i++)
		if (a->series[i]->maps == s->maps) {
			series_share(a->series[i]->first, s);
			return;
		}
}

static void add_series(struct agent *a, const struct module *m)
{
	for (unsigned int i = 0; i < m->schema->nseries; i++) {
		struct series *s;

		if (m->schema->series[i].hidden)
			continue;
		s = series_new(m, i, a->domain);
		share_maps(a, s);
		a->series = or_die(realloc(a->series, (a->nseries + 1) * sizeof(*a->series)));
		a->series[a->nseries++] = s;
		metrics_add_series(&a->metrics, s);
	}
}

static void add_events(struct agent *a, const struct module *m)
{
	struct events *e;

	if (!m->schema->events.nparameters)
		return;
	e = events_new(m, a->domain);
	a->events = or_die(realloc(a->events, (a->nevents + 1) * sizeof(*a->events)));
	a->events[a->nevents++] = e;
	metrics_add_events(&a->metrics, e);
}

/* The table that pmdaFetch and pmdaInstance look domains up in. */
static void build_indoms(struct agent *a)
{
	unsigned int n = 1;

	for (unsigned int i = 0; i < a->nseries; i++)
		n += 1 + a->series[i]->nindoms;
	a->indoms = or_die(calloc(n, sizeof(*a->indoms)));
	a->indoms[a->nindoms++].it_indom = a->module_indom;
	for (unsigned int i = 0; i < a->nseries; i++) {
		a->indoms[a->nindoms++].it_indom = a->series[i]->keys;
		for (unsigned int j = 0; j < a->series[i]->nindoms; j++)
			a->indoms[a->nindoms++] = a->series[i]->indoms[j].indom;
	}
}

/*
 * Is none of the kernel's modules on its way in or out? Then *number is one that
 * changes with them. Lines are NAME SIZE USERS BY STATE ADDRESS.
 */
static bool kernel_modules_settled(unsigned long *number)
{
	FILE *f = fopen(KERNEL_MODULES, "re");
	unsigned long sum = 0;
	bool settled = true;
	char *line = NULL;
	size_t size = 0;

	while (f && getline(&line, &size, f) > 0) {
		for (const char *p = line; *p && *p != ' '; p++)
			sum = sum * 31 + (unsigned char)*p;
		settled &= !!strstr(line, " Live ");
	}
	free(line);
	if (f)
		fclose(f);
	if (settled)
		*number = sum;
	return settled;
}

void agent_start(struct agent *a, const char *path, bool optional, void (*before)(void))
{
	struct config *config = config_read(path, optional);
	char folder[MAXPATHLEN];

	pmsprintf(folder, sizeof(folder), "%s/estat/modules", pmGetConfig("PCP_PMDAS_DIR"));
	snprintf(a->error, sizeof(a->error), "%s", config_error(config));
	a->module_indom = pmInDom_build(a->domain, SERIAL_MODULES);
	pmdaCacheOp(a->module_indom, PMDA_CACHE_LOAD);
	pmdaCacheOp(pmInDom_build(a->domain, SERIAL_CLUSTERS), PMDA_CACHE_LOAD);

	kernel_modules_settled(&a->kernel_modules);
	open_modules(a, config_text(config, "agent", "modules", folder));
	status_add_metrics(a);
	for (unsigned int i = 0; i < a->nmodules; i++) {
		struct module *m = a->modules[i];

		if (m->schema)
			find_cluster(a, m);
		if (m->schema)
			check_unique(a, i);
		add_instance(a, i);
		if (m->status == MODULE_FAILED)
			continue;
		module_configure(m, config);
		before();
		module_start(m);
		if (m->status != MODULE_RUNNING && m->status != MODULE_WAITING && !m->again)
			continue;
		add_series(a, m);
		add_events(a, m);
	}
	cache_save(a->module_indom);
	config_report_unknown(config);
	config_free(config);
	metrics_finish(&a->metrics, a->domain);
	build_indoms(a);
}

/* Fold a series, and have the tables show its instances. */
static void fold(struct agent *a, struct series *s)
{
	series_fold(s);
	for (unsigned int i = 0; i < a->nindoms; i++)
		for (unsigned int j = 0; j < s->nindoms; j++)
			if (a->indoms[i].it_indom == s->indoms[j].indom.it_indom)
				a->indoms[i] = s->indoms[j].indom;
}

/* Its module's other series are folded once in a while, for their slots to be given back. */
void agent_fold(struct agent *a, struct series *s)
{
	fold(a, s);
	for (unsigned int i = 0; i < a->nseries; i++)
		if (a->series[i]->module == s->module &&
		    s->folded - a->series[i]->folded > NAMES_CHECK_NS)
			fold(a, a->series[i]);
}

struct series *agent_series(const struct agent *a, pmInDom indom,
			    const struct bucket_indom **buckets)
{
	*buckets = NULL;
	for (unsigned int i = 0; i < a->nseries; i++) {
		struct series *s = a->series[i];

		if (s->keys == indom)
			return s;
		for (unsigned int j = 0; j < s->nindoms; j++) {
			if (s->indoms[j].indom.it_indom != indom)
				continue;
			*buckets = &s->indoms[j];
			return s;
		}
	}
	return NULL;
}

void agent_end_client(struct agent *a, int context)
{
	client_end(context);
	for (unsigned int i = 0; i < a->nevents; i++)
		events_end(a->events[i], context);
}

/* Some module may await what any kernel module brings: have it try again. */
static void look_at_kernel_modules(struct agent *a)
{
	unsigned long before = a->kernel_modules;
	bool awaited = false;

	for (unsigned int i = 0; i < a->nmodules; i++)
		awaited |= module_awaits_any(a->modules[i]);
	if (!awaited || !kernel_modules_settled(&a->kernel_modules))
		return;
	symbol_forget();
	for (unsigned int i = 0; i < a->nmodules; i++)
		module_retry(a->modules[i], a->kernel_modules == before);
}

bool agent_doubts(const struct agent *a)
{
	for (unsigned int i = 0; i < a->nmodules; i++)
		if (proof_is_wanted(a->modules[i]))
			return true;
	return false;
}

void agent_look(struct agent *a)
{
	if (clock_now() - a->looked < LOOK_NS)
		return;
	for (unsigned int i = 0; i < a->nmodules; i++)
		if (proof_is_wanted(a->modules[i]))
			proof_look(a->modules[i]);
	a->looked = clock_now();
}

bool agent_watches(const struct agent *a)
{
	for (unsigned int i = 0; i < a->nmodules; i++) {
		const struct module *m = a->modules[i];

		if (m->status == MODULE_WAITING || m->again || module_awaits_any(m) ||
		    (m->status == MODULE_RUNNING && m->kmod))
			return true;
	}
	return false;
}

bool agent_watch(struct agent *a)
{
	look_at_kernel_modules(a);
	kmods_look();
	for (unsigned int i = 0; i < a->nmodules; i++) {
		if (!module_is_outdated(a->modules[i]))
			continue;
		privilege_raise();
		module_update(a->modules[i]);
		return true;
	}
	return false;
}

void agent_stop(struct agent *a)
{
	for (unsigned int i = 0; i < a->nseries; i++)
		series_free(a->series[i]);
	for (unsigned int i = 0; i < a->nevents; i++)
		events_free(a->events[i]);
	for (unsigned int i = 0; i < a->nmodules; i++)
		module_free(a->modules[i]);
	kmods_free();
	symbol_free();
	metrics_free(&a->metrics);
	free(a->series);
	free(a->events);
	free(a->modules);
	free(a->indoms);
}
