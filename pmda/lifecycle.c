// SPDX-License-Identifier: GPL-2.0-or-later
/* The steps that bring a module from one state to another. */
#include <errno.h>
#include <pcp/pmapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "due.h"
#include "lib/clock.h"
#include "lib/xalloc.h"
#include "lifecycle.h"
#include "load/edition.h"
#include "load/failure.h"
#include "load/kallsyms.h"
#include "load/kernel.h"
#include "load/kernel_btf.h"
#include "load/liveness.h"
#include "load/loaded.h"
#include "load/object.h"
#include "load/programs.h"
#include "serve/exports.h"

/*
 * The first and the longest pause before a failed start or a refused edition is tried again,
 * seconds.
 */
#define FIRST_PAUSE   10
#define LONGEST_PAUSE 3600

struct module *module_new(struct edition *e)
{
	struct module *m = xalloc(calloc(1, sizeof(*m)));

	m->edition = e;
	m->state = *e->error ? MODULE_FAILED : MODULE_NEW;
	snprintf(m->error, sizeof(m->error), "%s", e->error);
	m->liveness.stats = -1;
	loaded_begin(&m->now, e, NULL);
	return m;
}

/* Unload and free the object that was to replace m->now. */
static void drop_next(struct module *m)
{
	loaded_end(m->next);
	if (m->next->edition != m->edition)
		free(m->next->memory.maps);
	free(m->next);
	m->next = NULL;
}

/* Note that the module's counters are lost, and begin at 0 with the next object. */
static void begin_anew(struct module *m)
{
	m->history = (struct history){ .stops = m->history.stops + (m->history.started != 0) };
}

static void set_detached(struct module *m)
{
	liveness_end(m);
	m->history.attached_for = module_attached(m);
	m->history.attached_since = 0;
	m->untyped = false;
}

/*
 * Detach those BPF programs of the module that are still attached, and unload the module's object.
 * The rows keep the counters.
 */
static void rest(struct module *m)
{
	if (m->edition->schema->every)
		programs_last_walk(&m->now);
	focus_set(&m->focus, "");
	exports_keep(m->exports);
	loaded_rest(&m->now, &m->history.before);
	exports_gather(m->exports);
	set_detached(m);
}

/* Detach and unload the module's object. The module's counters are lost. */
static void stop(struct module *m)
{
	liveness_end(m);
	loaded_end(&m->now);
	begin_anew(m);
}

void module_free(struct module *m)
{
	struct edition *e = m->next ? m->next->edition : m->edition;

	if (m->next)
		drop_next(m);
	if (e != m->edition)
		edition_free(e);
	stop(m);
	free(m->now.memory.maps);
	free((char *)m->edition->path);
	edition_free(m->edition);
	free(m);
}

/*
 * Try again after a pause, which doubles with each failure. `again`: the error is the same as at
 * the previous try, so do not log the time of the next try once more.
 */
static void try_later(struct module *m, bool again)
{
	struct tries *t = &m->tries;

	t->pause = t->pause ? 2 * t->pause : FIRST_PAUSE;
	if (t->pause > LONGEST_PAUSE)
		t->pause = LONGEST_PAUSE;
	t->next = clock_now() + t->pause * UINT64_C(1000000000);
	if (!again)
		pmNotifyErr(LOG_INFO, "module %s: next try in %u s", m->edition->name, t->pause);
}

/* Detach and unload the module's object. Make `e` the module's edition, if it is not already. */
static void take(struct module *m, struct edition *e)
{
	stop(m);
	if (e == m->edition)
		return;
	free(m->now.memory.maps);
	loaded_begin(&m->now, e, NULL);
	m->edition = e;
	*m->refused = '\0';
}

void module_switch_off(struct module *m, struct edition *e)
{
	take(m, e);
	m->state = MODULE_OFF;
	m->tries = (struct tries){};
	*m->refused = '\0';
	snprintf(m->error, sizeof(m->error), "%s",
		 e->settings.unknown ? "estat.conf cannot be read: see estat.agent.error"
				     : "off in estat.conf");
}

/*
 * Refuse and free `e`, so that the module keeps its edition and its counters. Does nothing, and
 * returns false, in four cases: `e` is the module's edition; the module has no counters; the module
 * does not run, `e` has no error, and the counters of `e` have other types; the module is idle, and
 * the kernel can attach no edition of it.
 */
static bool refuses(struct module *m, struct edition *e, const struct failure *f)
{
	if (e == m->edition || !m->history.started || (m->state == MODULE_IDLE && f->is_kernels) ||
	    !(module_runs(m) || *e->error || schema_counts_alike(e->schema, m->edition->schema)))
		return false;
	edition_free(e);
	snprintf(m->refused, sizeof(m->refused), "its new file or settings are refused: %s",
		 f->error);
	if (module_runs(m))
		m->tries.next = 0;
	/*
	 * try the refused file or settings again after a pause, even if they only wait for a
	 * kernel module to be loaded (MODULE_WAITING): the agent looks at kernel modules only for
	 * m->edition, so it may not notice that this kernel module is loaded
	 */
	if (!m->tries.next && (f->passes || f->state == MODULE_WAITING))
		try_later(m, false);
	return true;
}

/*
 * The edition `e` cannot run. If refuses() refuses `e`, the module stays as it is. Else `e` becomes
 * the module's edition, and the module waits or has failed: m->state becomes f->state.
 */
static void fail(struct module *m, struct edition *e, const struct failure *f)
{
	bool again = e == m->edition && m->state == f->state && !strcmp(m->error, f->error);

	if (again)
		; /* log nothing, because the log has the error already */
	else if (f->state == MODULE_WAITING)
		pmNotifyErr(LOG_INFO, "module %s: waiting: %s", e->name, f->error);
	else if (!*e->error)
		pmNotifyErr(LOG_ERR, "module %s (%s): %s", e->name, e->path, f->error);
	if (refuses(m, e, f))
		return;
	if (e != m->edition || !m->history.started || (f->state == MODULE_FAILED && !f->passes))
		take(m, e);
	else if (loaded_is_there(&m->now))
		rest(m);
	m->state = f->state;
	m->unfit = f->is_kernels;
	snprintf(m->error, sizeof(m->error), "%s", f->error);
	m->tries.next = 0;
	if (f->passes)
		try_later(m, again);
}

void module_stand_by(struct module *m)
{
	if (!module_runs(m))
		return;
	m->state = MODULE_WAITING;
	snprintf(m->error, sizeof(m->error), "detached, to start again");
}

static void begin_change(struct module *m, struct edition *e, bool kprobes)
{
	if (m->tries.next) {
		kallsyms_forget();
		kernel_btf_forget();
	}
	m->next = xalloc(calloc(1, sizeof(*m->next)));
	loaded_begin(m->next, e, &m->now);
	m->next->programs.kprobes = kprobes;
	m->next->attaches = !e->settings.demand || module_is_read(m) || m->next->shares;
	m->untyped = false;
}

/*
 * Make m->next an object that prefers kprobes, after `l`, which preferred fentry, has failed with
 * the error `err`. Returns false if `l` preferred kprobes, too, or if kprobes cannot be used.
 */
static bool falls_back(struct module *m, const struct loaded *l, int err)
{
	struct edition *e = l->edition;

	if (l->programs.kprobes || !e->has_kprobes || kernel_is_confidential())
		return false;
	if (m->next)
		drop_next(m);
	begin_change(m, e, true);
	m->untyped = failure_is_missing(err);
	return true;
}

/*
 * Load and attach m->next in the place of m->now, and detach m->now; if m->next shall not be
 * attached, only check it. Returns 0 if that is done, 1 if the caller shall call again, or a
 * negative errno. libbpf_log_end() sets *reason.
 */
static int advance(struct module *m, uint64_t ns, char *reason, size_t size)
{
	struct loaded *l = m->next;
	const struct edition *e = l->edition;
	int err = *e->error ? -ENOEXEC : e->kmod && !e->kmod->ready ? -ENOENT : 0;

	libbpf_log_begin();
	if (!err && !l->attaches && !l->checked) {
		err = loaded_check(l);
		l->checked = true;
	}
	if (!err && l->attaches && !loaded_is_there(l))
		err = loaded_load(l, &m->now);
	if (!err && l->attaches)
		err = programs_attach(l, &m->now, ns);
	libbpf_log_end(e->name, failure_is_logged(err), reason, size);
	return err || programs_detach(&m->now, ns) ? err : 1;
}

/*
 * Log by what the BPF programs are attached, such as fexit, and why they were chosen again: a
 * kernel module was loaded or unloaded, has come into use or is no longer in use, or may have got
 * its BTF. `before`: the state of the kernel modules for which the previous BPF programs were
 * chosen. `reason`: why the change failed, so that the old BPF programs stay; NULL: the change
 * succeeded.
 */
static void log_probes(const struct module *m, const struct seen *before, const char *reason)
{
	const struct edition *e = m->edition;
	const struct seen *now = &m->now.seen;
	char types[128], occasion[128] = "BTF may be there now";

	if (before->also_loaded != now->also_loaded)
		snprintf(occasion, sizeof(occasion), "%s has %s", e->also->needs.module,
			 now->also_loaded ? "been loaded" : "been unloaded");
	else if (e->kmod)
		snprintf(occasion, sizeof(occasion), "%s is %s", e->kmod->needs.module,
			 now->in_use ? "in use" : "not in use");
	programs_types(&m->now, types, sizeof(types));
	pmNotifyErr(LOG_INFO, "module %s: %s: %s%s%s", e->name, occasion, types,
		    reason ? " still: " : "", reason ? reason : "");
}

/*
 * If a failed change has detached some BPF programs of the running object, begin to load the object
 * once more, with the same maps. As a rule the agent has closed libbpf's struct of the running
 * object (see loaded_replace()), and without that struct cannot attach the detached BPF programs
 * again.
 */
static void resume(struct module *m)
{
	bool untyped = m->untyped;

	if (programs_are_all_attached(&m->now))
		return;
	begin_change(m, m->edition, m->now.programs.kprobes);
	m->next->restores = true;
	m->untyped = untyped;
}

/*
 * End a change that has failed. If the module's old object runs, the module goes on with it, except
 * if the change was to attach again what an earlier change has detached (`restores`).
 */
static void give_up(struct module *m, int err, const char *reason)
{
	struct failure f;
	struct edition *e = m->next->edition;
	struct seen before = m->now.seen, seen = m->next->seen;
	bool same = e == m->edition, goes_on = loaded_is_there(&m->now) && !m->next->restores;

	failure_judge(m, m->next, err, reason, &f);
	drop_next(m);
	if (same) {
		m->untyped = goes_on && failure_is_missing(err) && m->retry != RETRY_LAST;
		m->now.seen = seen;
		m->retry = RETRY_NOT;
		m->wish.changed |= *m->refused; /* try the refused file or settings again */
	}
	if (same && goes_on)
		log_probes(m, &before, reason);
	else
		fail(m, e, &f);
	if (goes_on)
		resume(m);
}

/*
 * Do the module's BPF programs fit the present state of the kernel modules? If they do, note
 * that state, and that no retry is due.
 */
static bool fits(struct module *m)
{
	const struct edition *e = m->edition;

	if (m->now.programs.kprobes != module_wants_kprobes(e) || module_also_changed(m))
		return false;
	m->now.seen.in_use = e->kmod && e->kmod->in_use;
	m->retry = RETRY_NOT;
	m->untyped = false;
	return true;
}

enum module_change module_change(struct module *m, struct edition *e, uint64_t ns)
{
	char reason[MODULE_ERROR_LEN / 2];
	bool probes = e == m->edition && loaded_is_there(&m->now);
	int err;

	if (!m->next) {
		if (edition_is_off(e)) {
			module_switch_off(m, e);
			return CHANGE_OVER;
		}
		if (probes && fits(m))
			return CHANGE_OVER;
		begin_change(m, e, module_wants_kprobes(e));
	}
	err = advance(m, ns, reason, sizeof(reason));
	if (err >= 0)
		return err ? CHANGE_GOES_ON : CHANGE_READY;
	if (!probes && falls_back(m, m->next, err))
		return CHANGE_GOES_ON;
	give_up(m, err, reason);
	return CHANGE_OVER;
}

/*
 * Give the object `every`, `focus` and `slow`, which pmStore(3) can set. But if the value of
 * `every` or `slow` in estat.conf has changed since the agent last took it, take that value.
 */
static void take_stored(struct module *m)
{
	if (m->every_read != m->edition->settings.every)
		m->every = m->every_read = m->edition->settings.every;
	if (m->now.memory.every)
		*m->now.memory.every = m->every;
	if (m->now.memory.focus)
		*m->now.memory.focus = m->focus.of;
	if (m->slow_read != m->edition->settings.slow)
		m->slow = m->slow_read = m->edition->settings.slow;
	if (m->now.memory.slow)
		m->now.memory.slow->ns = m->slow;
}

/*
 * Set the module's state after a change, and log the state. `probes`: only the BPF programs have
 * changed, for which log_probes() needs `before`; `read`: the module is attached because a client
 * has begun to read it.
 */
static void set_running(struct module *m, bool probes, bool read, const struct seen *before)
{
	const struct loaded *l = &m->now;
	bool attached = l->attaches;

	if (!attached)
		set_detached(m);
	else if (!m->history.attached_since)
		m->history.attached_since = clock_now();
	m->state = attached ? MODULE_ATTACHED : MODULE_IDLE;
	*m->error = '\0';
	take_stored(m);
	liveness_switches(m, kernel_switched_off());
	if (!m->history.started)
		m->history.started = time_since_epoch();
	if (attached)
		liveness_begin(m);
	if (l->restores) {
		pmNotifyErr(LOG_INFO, "module %s: attached again", m->edition->name);
		return;
	}
	if (probes) {
		log_probes(m, before, NULL);
		return;
	}
	if (read)
		pmNotifyErr(LOG_INFO, "module %s: attached, because a client reads it",
			    m->edition->name);
	else
		pmNotifyErr(LOG_INFO, "module %s: running, %u programs, %u shards",
			    m->edition->name, programs_attached(l), l->memory.shards);
	if (*l->programs.lacks)
		pmNotifyErr(LOG_INFO, "module %s: %s", m->edition->name, l->programs.lacks);
}

void module_commit(struct module *m)
{
	struct seen before = m->now.seen;
	bool same = m->next->edition == m->edition, loaded = loaded_is_there(&m->now);

	liveness_end(m); /* m->liveness has the old object's runs and counts */
	if (!loaded_goes_on(m->next, &m->now))
		begin_anew(m);
	loaded_replace(&m->now, m->next, &m->history.before);
	free(m->next);
	m->next = NULL;
	m->edition = m->now.edition;
	if (same)
		m->retry = RETRY_NOT;
	else
		*m->refused = '\0';
	if (!m->now.restores) {
		m->tries = (struct tries){};
		m->wish.changed |= *m->refused; /* the refused file or settings may work now */
	}
	set_running(m, same && loaded, same && m->state == MODULE_IDLE, &before);
}

bool module_detach(struct module *m, uint64_t ns)
{
	m->state = MODULE_DETACHING;
	if (!programs_detach(&m->now, ns))
		return false;
	rest(m);
	m->state = MODULE_IDLE;
	return true;
}
