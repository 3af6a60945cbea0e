// SPDX-License-Identifier: GPL-2.0-or-later
/* Computes the desired state of each module, and does the next step towards it. */
#include <malloc.h>
#include <string.h>

#include "data/series.h"
#include "due.h"
#include "lib/clock.h"
#include "lifecycle.h"
#include "load/edition.h"
#include "load/kallsyms.h"
#include "load/kernel.h"
#include "load/kernel_btf.h"
#include "load/kmod_events.h"
#include "load/liveness.h"
#include "modules.h"
#include "reconcile.h"
#include "serve/names.h"
#include "watch.h"

/*
 * Nanoseconds from one look to the next: WATCH_NS for kernel modules that can change without an
 * event, SELDOM_NS for other kernel modules, LOOK_NS for look_at_liveness().
 */
#define WATCH_NS  UINT64_C(1000000000)
#define SELDOM_NS UINT64_C(5000000000)
#define LOOK_NS   UINT64_C(10000000000)
#define STEP_NS   UINT64_C(50000000) /* how long a step may attach or detach BPF programs */

/*
 * Set *number to the checksum of all kernel modules. Returns false, and leaves *number, if a kernel
 * module is being loaded or unloaded.
 */
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

/*
 * If module_awaits_any() is true for any module, and no kernel module is being loaded or unloaded,
 * forget the kernel's symbols and types, and call module_retry() for all modules.
 */
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

static void look_at_liveness(struct agent *a)
{
	unsigned int off;

	if (clock_now() - a->looked < LOOK_NS)
		return;
	off = kernel_switched_off();
	for (unsigned int i = 0; i < a->nmodules; i++) {
		if (module_runs(a->modules[i]))
			liveness_switches(a->modules[i], off);
		if (liveness_is_wanted(a->modules[i]))
			liveness_look(a->modules[i]);
	}
	a->looked = clock_now();
}

/*
 * Nanoseconds between two looks at the kernel module that the module probes; UINT64_MAX: no look is
 * needed. A look is needed even at a kernel module that has no folder in /sys/module, because the
 * kernel module can be built in. No event tells when a built-in kernel module comes into use, but a
 * look then finds a file that matches the pattern in_use of ESTAT_NEEDS.
 */
static uint64_t watch_pause(const struct module *m)
{
	if (m->state <= MODULE_OFF || !m->edition->kmod)
		return UINT64_MAX;
	return kmod_events_fd() < 0 || kmod_changes_alone(m->edition->kmod) ? WATCH_NS : SELDOM_NS;
}

/*
 * The desired state of a module follows from its file, estat.conf, kernel modules and clients. Of
 * the states below, the first whose comment is true is the desired state.
 */
enum desired {
	DESIRED_GONE,    /* the file is gone */
	DESIRED_OFF,     /* m->wish.off is set, and the module is not off yet */
	DESIRED_CHANGED, /* file or settings have changed, or refused ones are to be tried again */
	/*
	 * the module's kernel module has come, gone or got its BTF; or the module does not run, and
	 * a failed start is due again or module_retry() has asked for a start
	 */
	DESIRED_STARTED,
	DESIRED_PROBED, /* other BPF programs may fit the kernel modules as they are now */
	DESIRED_IDLE,   /* `attach = demand`, and no client reads the module */
	DESIRED_ATTACHED,
	DESIRED_STATES,
};

static enum desired desired(const struct module *m)
{
	if (m->wish.gone)
		return DESIRED_GONE;
	if (m->wish.off && m->state != MODULE_OFF)
		return DESIRED_OFF;
	if (m->wish.changed || (*m->refused && module_runs(m) && module_try_is_due(m)))
		return DESIRED_CHANGED;
	if (module_must_start(m))
		return DESIRED_STARTED;
	if (module_must_probe(m))
		return DESIRED_PROBED;
	if (!module_is_wanted(m))
		return DESIRED_IDLE;
	return DESIRED_ATTACHED;
}

enum step {
	NONE,
	REMOVE,  /* free the module */
	OFF,     /* drop the counters, and withdraw the metrics; no object is in the kernel */
	REPLACE, /* open the file again, and replace the object */
	/*
	 * load an object and attach it; if the module is on demand and no client reads the module,
	 * only check the object
	 */
	START,
	/*
	 * go on with a change that is under way; else choose the BPF programs again and, if those
	 * of the object do not fit any more, replace the object
	 */
	PROBE,
	ATTACH, /* load the object, and attach it */
	DETACH, /* detach BPF programs for STEP_NS; after the last, unload the object */
};

/* The life cycle of a module. docs/architecture.md has the same table. */
static const enum step steps[][DESIRED_STATES] = {
	/* desired:            gone    off     changed  started probed  idle    attached */
	[MODULE_NEW] = { REMOVE, OFF, REPLACE, START, START, START, START },
	[MODULE_OFF] = { REMOVE, NONE, REPLACE, NONE, NONE, NONE, NONE },
	[MODULE_WAITING] = { REMOVE, OFF, REPLACE, START, NONE, NONE, NONE },
	[MODULE_FAILED] = { REMOVE, OFF, REPLACE, START, START, NONE, NONE },
	[MODULE_IDLE] = { REMOVE, OFF, REPLACE, START, NONE, NONE, ATTACH },
	[MODULE_ATTACHED] = { DETACH, DETACH, REPLACE, DETACH, PROBE, DETACH, NONE },
	[MODULE_DETACHING] = { DETACH, DETACH, DETACH, DETACH, DETACH, DETACH, DETACH },
};

/* The step that the module needs: PROBE if a change is under way, else the one in the table. */
static enum step step_of(const struct module *m)
{
	return m->next ? PROBE : steps[m->state][desired(m)];
}

static uint64_t since(uint64_t then)
{
	return clock_now() - then;
}

/*
 * Do one step of detaching: detach some of the module's BPF programs, and leave the others to later
 * steps. When the last fentry of a function is detached, the kernel waits for grace periods of
 * Tasks RCU, which takes a tenth of a second (ftrace_shutdown in kernel/trace/ftrace.c).
 */
static void detach(struct module *m)
{
	bool idle = !module_is_wanted(m);

	if (!module_detach(m, STEP_NS) || !idle)
		return;
	m->fetched = 0;
	pmNotifyErr(LOG_INFO, "module %s: detached, because no client has read it for %u s",
		    m->edition->name, m->edition->settings.linger);
}

/*
 * Do `step` for module number `index`. Returns whether modules or metrics have changed, so that
 * agent_build() must be called.
 */
static bool do_step(struct agent *a, unsigned int index, enum step step)
{
	struct module *m = a->modules[index];

	switch (step) {
	case REMOVE:
		modules_remove(a, index);
		return true;
	case OFF:
		return modules_switch_off(a, m);
	case REPLACE:
		return modules_replace(a, m, STEP_NS);
	case START:
		return modules_start(a, m, STEP_NS);
	case PROBE:
	case ATTACH:
		return modules_change(a, m, STEP_NS);
	default:
		detach(m);
		return false;
	}
}

/* Read estat.conf, which has changed, and note in each module whether its settings have changed. */
static void take_settings(struct agent *a)
{
	if (!modules_configure(a))
		return;
	for (unsigned int i = 0; i < a->nmodules; i++) {
		struct module *m = a->modules[i];
		const struct edition *e = m->next ? m->next->edition : m->edition;

		if (!module_owns_name(m)) {
			config_leave(a->settings, e->name);
			continue;
		}
		m->wish.off = config_switch(a->settings, e->name, "enabled") == SWITCH_OFF;
		m->wish.changed |= !edition_is_configured(e, a->settings) || *m->refused;
	}
	if (strcmp(config_text(a->settings, "agent", "modules", a->folder), a->folder))
		pmNotifyErr(LOG_WARNING, "%s: another folder of modules needs a restart",
			    a->config);
	config_report_unknown(a->settings);
	pmNotifyErr(LOG_INFO, "%s: read again", a->config);
}

/*
 * Read estat.conf again if it has changed, note in each module whether its file or settings have
 * changed, and add modules for new files. Returns whether the function has added a module.
 */
static bool take_changes(struct agent *a)
{
	bool changed = false;

	if (watch_configured())
		take_settings(a);
	if (watch_any())
		changed = modules_look(a);
	watch_done();
	return changed;
}

/*
 * Do the periodic work of exported series: find new keys, evict keys, take baselines, set
 * thresholds of slow operations, retire slots of keys that name something deleted or renamed, make
 * room for names.
 */
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

/* Do the next step for a module, if the module needs a step. */
static enum reconcile_done go_on(struct agent *a, unsigned int index)
{
	enum step step = step_of(a->modules[index]);

	if (step == NONE)
		return RECONCILE_NOTHING;
	return do_step(a, index, step) ? RECONCILE_CHANGED : RECONCILE_LOADED;
}

enum reconcile_done reconcile_module(struct agent *a, const struct module *m)
{
	unsigned int i = 0;

	while (i < a->nmodules && a->modules[i] != m)
		i++;
	return i < a->nmodules ? go_on(a, i) : RECONCILE_NOTHING;
}

enum reconcile_done reconcile(struct agent *a)
{
	bool changed = false;

	if (since(a->watched) >= WATCH_NS) {
		look_at_kernel_modules(a);
		kmods_look();
		a->watched = clock_now();
	}
	watch_look();
	if (!watch_wait())
		changed = take_changes(a);
	for (unsigned int i = 0; i < a->nmodules; i++) {
		enum reconcile_done done = go_on(a, i);

		if (done != RECONCILE_NOTHING)
			return changed ? RECONCILE_CHANGED : done;
	}
	look_at_liveness(a);
	look_at_served(a);
	return changed ? RECONCILE_CHANGED : RECONCILE_NOTHING;
}

/*
 * When reconcile() next has something to do for the module: a step of the life cycle, the work of
 * its exports, the look at its liveness, or look_at_kernel_modules() if module_awaits_any().
 * UINT64_MAX: nothing. kmods_look() is left out, because reconcile_rests() calls it without
 * reconcile(). The result and `now` are CLOCK_MONOTONIC nanoseconds.
 */
static uint64_t due(const struct agent *a, const struct module *m, uint64_t now)
{
	uint64_t when = m->exports ? exports_due(m->exports) : UINT64_MAX;

	if (step_of(m) != NONE)
		return 0;
	if (module_runs(m))
		when = MIN(when, a->looked + LOOK_NS);
	if (module_awaits_any(m))
		when = MIN(when, now + WATCH_NS);
	if (m->tries.next)
		when = MIN(when, MAX(m->tries.next, now + WATCH_NS));
	if (m->exports && module_is_attached(m))
		when = MIN(when, m->exports->looked + BASELINE_NS);
	if (m->edition->settings.demand && m->state == MODULE_ATTACHED)
		when = MIN(when, m->fetched + m->edition->settings.linger * UINT64_C(1000000000));
	return when;
}

/* when reconcile() next has something to do besides kmods_look(), CLOCK_MONOTONIC nanoseconds */
static uint64_t next;
static uint64_t pause_ns; /* from one kmods_look() to the next; UINT64_MAX: none is needed */

static int wait_for_next(const struct agent *a, uint64_t now)
{
	uint64_t when = pause_ns == UINT64_MAX ? next : MIN(next, now + pause_ns);

	if (!a->watched)
		return 0;
	if (when == UINT64_MAX)
		return -1;
	return when > now ? (when - now) / 1000000 + 1 : 0;
}

int reconcile_wait(const struct agent *a)
{
	uint64_t now = clock_now();
	int wait = watch_wait();

	next = wait < 0 ? UINT64_MAX : now + wait * UINT64_C(1000000);
	pause_ns = UINT64_MAX;
	for (unsigned int i = 0; i < a->nmodules; i++) {
		next = MIN(next, due(a, a->modules[i], now));
		pause_ns = MIN(pause_ns, watch_pause(a->modules[i]));
	}
	return wait_for_next(a, now);
}

bool reconcile_rests(struct agent *a, int *wait)
{
	uint64_t now = clock_now();

	if (now >= next)
		return false;
	a->watched = now;
	*wait = wait_for_next(a, now);
	return !kmods_look();
}
