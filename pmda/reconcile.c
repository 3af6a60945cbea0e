// SPDX-License-Identifier: GPL-2.0-or-later
/* Brings each module from its actual to its desired state. */
#include <dirent.h>
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/series.h"
#include "lib/clock.h"
#include "lifecycle.h"
#include "load/kallsyms.h"
#include "load/kernel.h"
#include "load/kernel_btf.h"
#include "load/liveness.h"
#include "load/object.h"
#include "modules.h"
#include "reconcile.h"
#include "serve/names.h"
#include "watch.h"

#define WATCH_NS UINT64_C(1000000000)  /* nanoseconds between two looks at kernel modules */
#define LOOK_NS  UINT64_C(10000000000) /* nanoseconds between two looks at modules' liveness */
#define STEP_NS  UINT64_C(50000000)    /* nanoseconds of one step that attaches or detaches */

/* Is no kernel module being loaded or unloaded? If so, set *number to the checksum of all. */
static bool kernel_modules_settled(unsigned long *number)
{
	bool settled;
	unsigned long now = kernel_modules_now(&settled);

	if (settled)
		*number = now;
	return settled;
}

void reconcile_begin(struct agent *a)
{
	kernel_modules_settled(&a->kernel_modules);
}

/* After a change of kernel modules have modules start again that wait for any kernel module. */
static void look_at_kernel_modules(struct agent *a)
{
	unsigned long before = a->kernel_modules;
	bool awaited = false;

	for (unsigned int i = 0; i < a->nmodules; i++)
		awaited |= module_awaits_any(a->modules[i]);
	if (!awaited || !kernel_modules_settled(&a->kernel_modules))
		return;
	kallsyms_forget();
	kernel_btf_forget();
	for (unsigned int i = 0; i < a->nmodules; i++)
		module_retry(a->modules[i], a->kernel_modules == before);
}

static bool awaits_liveness(const struct agent *a)
{
	for (unsigned int i = 0; i < a->nmodules; i++)
		if (liveness_is_wanted(a->modules[i]))
			return true;
	return false;
}

static void look_at_liveness(struct agent *a)
{
	if (clock_now() - a->looked < LOOK_NS)
		return;
	for (unsigned int i = 0; i < a->nmodules; i++)
		if (liveness_is_wanted(a->modules[i]))
			liveness_look(a->modules[i]);
	a->looked = clock_now();
}

/* Must the agent look at kernel modules each WATCH_NS, as a module waits for one or probes one? */
static bool watches(const struct agent *a)
{
	for (unsigned int i = 0; i < a->nmodules; i++) {
		const struct module *m = a->modules[i];

		if (m->status == MODULE_WAITING || m->starts.next || m->takes.next ||
		    module_awaits_any(m) || (m->status != MODULE_OFF && m->kmod))
			return true;
	}
	return false;
}

/* Is the module to be attached now, because a client reads it? */
static bool is_awaited(const struct module *m)
{
	return m->status == MODULE_RUNNING && m->wanted && !module_is_attached(m);
}

static uint64_t since(uint64_t then)
{
	return clock_now() - then;
}

/* Will the module be detached once no client has read it for `linger` seconds? */
static bool may_idle(const struct module *m)
{
	return m->settings.demand && m->exports && m->wanted && module_is_attached(m);
}

static bool is_idle(const struct module *m)
{
	return may_idle(m) &&
	       since(m->exports->fetched) >= m->settings.linger * UINT64_C(1000000000);
}

/* Attach the module for one step; after the last, its baselines begin. True: metrics changed. */
static bool attend(const struct agent *a, struct module *m)
{
	if (!module_attend(m, STEP_NS))
		return false;
	if (m->status != MODULE_RUNNING)
		return agent_serve(a, m);
	m->exports->fetched = clock_now(); /* `linger` begins now: no client could fetch earlier */
	for (unsigned int i = 0; i < m->exports->nseries; i++) {
		series_fold(m->exports->series[i]);
		baseline_begin(m->exports->series[i]);
	}
	m->exports->looked = clock_now();
	return false;
}

/* Adapt the module to its kernel modules for one step. Returns true if its metrics changed. */
static bool update(const struct agent *a, struct module *m)
{
	bool changed;

	if (!module_update(m, STEP_NS))
		return false;
	changed = agent_serve(a, m);
	/* try again the file or settings that were refused while the module waited */
	m->due = m->status == MODULE_RUNNING && *m->stale;
	return changed;
}

static const char *file_of(const struct module *m)
{
	return strrchr(m->path, '/') + 1;
}

static bool is_there(const struct agent *a, const char *file)
{
	char path[MAXPATHLEN];

	pmsprintf(path, sizeof(path), "%s/%s", a->folder, file);
	return !access(path, F_OK) || errno != ENOENT;
}

static bool is_known(const struct agent *a, const char *file)
{
	for (unsigned int i = 0; i < a->nmodules; i++)
		if (!strcmp(file_of(a->modules[i]), file))
			return true;
	return false;
}

/*
 * Detach a module for one step: its file or settings changed, its file is gone, or no client reads
 * it. To remove a function's last fentry the kernel waits a tenth of a second, until each task was
 * scheduled (ftrace_shutdown in kernel/trace/ftrace.c). Returns true if metrics may have changed.
 */
static bool leave(struct agent *a, unsigned int index)
{
	struct module *m = a->modules[index];
	bool idle = is_idle(m); /* false if a client has read the module since the last step */

	m->leaving = !module_leave(m, STEP_NS);
	if (m->leaving)
		return false;
	if (!is_there(a, file_of(m)))
		return modules_remove(a, index);
	if (idle)
		pmNotifyErr(LOG_INFO, "module %s: detached, because no client has read it for %u s",
			    m->name, m->settings.linger);
	m->due = false;
	m->wanted &= !idle;
	modules_replace(a, index);
	return true;
}

/* Add the modules of new files in the folder. Returns true if there are new files. */
static bool add_new(struct agent *a)
{
	DIR *folder = opendir(a->folder);
	const struct dirent *entry;
	bool added = false;

	while (folder && (entry = readdir(folder)))
		if (object_is_module_file(entry->d_name) && watch_changed(entry->d_name) &&
		    !is_known(a, entry->d_name)) {
			modules_add(a, entry->d_name);
			added = true;
		}
	if (folder)
		closedir(folder);
	return added;
}

/* Files have changed: add, replace and remove modules. Returns true if metrics have changed. */
static bool take_files(struct agent *a)
{
	bool trusted = modules_trusts_folder(a), changed = false;

	for (unsigned int i = a->nmodules; i-- > 0;) {
		struct module *m = a->modules[i];
		const char *file = file_of(m);

		if (watch_changed(file) && !is_there(a, file))
			changed |= modules_remove(a, i);
		else if (trusted && watch_changed(file))
			m->due = true;
	}
	if (trusted)
		changed |= add_new(a);
	return changed;
}

/* estat.conf has changed: modules whose settings have changed are due to be replaced. */
static void take_settings(struct agent *a)
{
	if (!modules_configure(a))
		return;
	for (unsigned int i = 0; i < a->nmodules; i++) {
		struct module *m = a->modules[i];

		if (m->schema && !m->clashes)
			m->due |= !module_is_configured(m, a->settings) || *m->stale;
		else
			config_leave(a->settings, m->name);
	}
	if (strcmp(config_text(a->settings, "agent", "modules", a->folder), a->folder))
		pmNotifyErr(LOG_WARNING, "%s: another folder of modules needs a restart",
			    a->config);
	config_report_unknown(a->settings);
	pmNotifyErr(LOG_INFO, "%s: read again", a->config);
}

/* Take changes of files and of estat.conf. Returns true if metrics have changed. */
static bool take_changes(struct agent *a)
{
	bool changed = false;

	if (watch_configured())
		take_settings(a);
	if (watch_any())
		changed = take_files(a);
	watch_done();
	return changed;
}

static bool is_due(const struct module *m)
{
	return m->due || (m->takes.next && clock_now() >= m->takes.next);
}

/* Start or replace a module that is due. Returns true if metrics have changed. */
static bool deal_with(struct agent *a, unsigned int index)
{
	struct module *m = a->modules[index];

	m->due = false;
	if (!m->begun && m->status != MODULE_FAILED)
		return modules_begin(a, index);
	return modules_replace(a, index);
}

/* Do the periodic work of exported series: new keys, eviction, baselines, names. */
static void look_at_served(struct agent *a)
{
	bool looked = false;

	for (unsigned int i = 0; i < a->nmodules; i++) {
		struct exports *exports = a->modules[i]->exports;

		if (exports && exports_due(exports) <= clock_now())
			exports_go_on(exports);
		if (exports && exports_look(exports)) {
			names_make_room(exports);
			looked = true;
		}
	}
	if (looked)
		malloc_trim(0);
}

enum reconcile_done reconcile(struct agent *a)
{
	bool changed = false;

	if (watches(a) && since(a->watched) >= WATCH_NS) {
		look_at_kernel_modules(a);
		kmods_look();
		a->watched = clock_now();
	}
	watch_look();
	if (!watch_wait())
		changed = take_changes(a);
	for (unsigned int i = 0; i < a->nmodules; i++) {
		struct module *m = a->modules[i];

		if (m->leaving)
			changed |= leave(a, i);
		else if (is_due(m))
			changed |= deal_with(a, i);
		else if (is_idle(m))
			changed |= leave(a, i);
		else if (module_is_outdated(m))
			changed |= update(a, m);
		else if (is_awaited(m))
			changed |= attend(a, m);
		else
			continue;
		return changed ? RECONCILE_CHANGED : RECONCILE_LOADED;
	}
	look_at_liveness(a);
	look_at_served(a);
	return changed ? RECONCILE_CHANGED : RECONCILE_NOTHING;
}

/* The shorter of two waits, milliseconds; -1 means for ever. */
static int sooner(int a, int b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

/* Milliseconds until the time `then`, CLOCK_MONOTONIC nanoseconds; 0: it has passed. */
static int until(uint64_t then)
{
	uint64_t now = clock_now();

	return then > now ? (then - now) / 1000000 + 1 : 0;
}

static int wait_for(const struct module *m)
{
	uint64_t due = m->exports ? exports_due(m->exports) : UINT64_MAX;
	int wait = -1;

	if (m->due || m->leaving || is_awaited(m) || module_is_outdated(m))
		return 0;
	if (m->exports && module_is_attached(m))
		wait = until(m->exports->looked + BASELINE_NS);
	if (due != UINT64_MAX)
		wait = sooner(wait, until(due));
	if (may_idle(m))
		wait = sooner(wait, until(m->exports->fetched +
					  m->settings.linger * UINT64_C(1000000000)));
	return wait;
}

int reconcile_wait(const struct agent *a)
{
	int wait = watch_wait();

	if (watches(a) || awaits_liveness(a))
		wait = sooner(wait, WATCH_NS / 1000000);
	for (unsigned int i = 0; i < a->nmodules; i++)
		wait = sooner(wait, wait_for(a->modules[i]));
	return wait;
}
