// SPDX-License-Identifier: GPL-2.0-or-later
/* The life cycle of a module. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <pcp/pmapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/xalloc.h"
#include "lifecycle.h"
#include "load/kallsyms.h"
#include "load/kernel_btf.h"
#include "load/liveness.h"
#include "load/maps.h"
#include "load/object.h"
#include "load/privilege.h"
#include "load/probes.h"
#include "load/programs.h"
#include "schema/rodata.h"

#define SUFFIX ".bpf.o"

/* Seconds in estat.conf: default and highest value of `linger`, highest value of `prometheus`. */
#define DEFAULT_LINGER 600
#define MAX_LINGER     86400
#define MAX_SCRAPE     3600

/* The most BPF programs to detach at once: each can take a tenth of a second, see reconcile.c. */
#define DETACHED_AT_ONCE 16

/* The first and the longest pause before a failed start is repeated, seconds. */
#define FIRST_PAUSE   10
#define LONGEST_PAUSE 3600

/* Shall the module be attached: by `attach = always`, or because a client reads it? */
static bool is_wanted(const struct module *m)
{
	return m->wanted || !m->settings.demand;
}

/* Detach the BPF programs. The counters stay. */
static void detach(struct module *m)
{
	liveness_end(m);
	programs_detach(m);
	m->attached_for = module_attached(m);
	m->attached_since = 0;
}

/* Detach, unmap and unload. The counters are lost; the schema stays. */
static void stop(struct module *m)
{
	detach(m);
	maps_unmap(m);
	bpf_object__close(m->object);
	m->object = NULL;
	m->memory = 0;
	m->stops += m->started != 0;
	m->started = 0; /* the counters begin at 0 at the next start */
	m->attached_for = 0;
	m->past = (struct module_counters){};
	m->kprobe_missed = m->lost_returns = 0;
}

bool module_leave(struct module *m, uint64_t ns)
{
	if (!programs_detach_some(m, ns))
		return false;
	detach(m);
	return true;
}

bool module_takes_long(const struct module *m)
{
	return m->nprograms > DETACHED_AT_ONCE;
}

/* Set the module to failed, with m->error and libbpf's `reason` as the error. */
static void refuse_object(struct module *m, const char *reason)
{
	char error[MODULE_ERROR_LEN];

	snprintf(error, sizeof(error), "%s", m->error);
	module_refuse(m, "%s%s%s", error, *reason ? ": " : "", reason);
}

/* Until the schema is read, the module's name is the file's name without .bpf.o. */
static void name_from_path(struct module *m)
{
	const char *base = strrchr(m->path, '/'), *suffix;

	base = base ? base + 1 : m->path;
	suffix = strstr(base, SUFFIX);
	snprintf(m->name, sizeof(m->name), "%.*s",
		 (int)(suffix ? (size_t)(suffix - base) : strlen(base)), base);
}

struct module *module_open(const char *path)
{
	struct module *m = xalloc(calloc(1, sizeof(*m)));
	char reason[MODULE_ERROR_LEN / 2];
	struct bpf_object *object;

	m->path = xalloc(strdup(path));
	m->names_fd = -1;
	m->liveness.stats = -1;
	m->status = MODULE_OFF;
	name_from_path(m);
	libbpf_log_begin();
	object = object_open(m->path, m->name, -1, m->error, sizeof(m->error));
	libbpf_log_end(m->name, !object, reason, sizeof(reason));
	if (!object) {
		refuse_object(m, reason);
		return m;
	}
	m->schema = schema_read(object, reason, sizeof(reason));
	m->has_kprobes = probes_have_kprobes(object);
	probes_want_symbols(object);
	bpf_object__close(object);
	if (!m->schema) {
		module_refuse(m, "%s", reason);
		return m;
	}
	memcpy(m->name, m->schema->name, sizeof(m->name));
	m->maps = xalloc(calloc(m->schema->ntables, sizeof(*m->maps)));
	return m;
}

static struct settings read_settings(const struct module *m, struct config *config)
{
	struct settings s;

	memset(&s, 0, sizeof(s)); /* settings are compared as bytes, with the padding */
	s.enabled = config_switch(config, m->name, "enabled");
	s.unknown = *config_error(config);
	s.keys = config_number(config, m->name, "keys", 1, MODULE_MOST_KEYS, 0);
	s.latency_by_size = config_flag(config, m->name, "latency_by_size", false);
	s.latency_fine = config_flag(config, m->name, "latency_fine", false);
	s.all_buckets = config_flag(config, m->name, "all_buckets", false);
	s.prometheus = config_number(config, m->name, "prometheus", 0, MAX_SCRAPE, 0);
	s.fentry = config_flag(config, "agent", "fentry", true);
	s.demand = config_demand(config, m->name, "attach", m->schema->on_demand);
	s.linger = config_number(config, m->name, "linger", 1, MAX_LINGER, DEFAULT_LINGER);
	return s;
}

void module_configure(struct module *m, struct config *config)
{
	m->settings = read_settings(m, config);
	if (m->settings.enabled != SWITCH_OFF && *m->schema->needs.module)
		m->kmod = kmod_find(&m->schema->needs);
	if (m->settings.enabled != SWITCH_OFF && *m->schema->also.module)
		m->also = kmod_find(&m->schema->also);
}

bool module_is_configured(const struct module *m, struct config *config)
{
	struct settings s = read_settings(m, config);

	return !memcmp(&s, &m->settings, sizeof(s));
}

static void set_addresses(const struct module *m)
{
	const char *symbol;
	uint64_t *address;

	for (unsigned int i = 0; (address = rodata_address(m->object, i, &symbol)); i++)
		*address = kallsyms_address(symbol);
}

static void set_enumerators(const struct module *m)
{
	const char *name;
	uint32_t *value;

	for (unsigned int i = 0; (value = rodata_enumerator(m->object, i, &name)); i++)
		*value = kernel_btf_enumerator(name);
}

/* Open the object and choose its BPF programs. `types`: a file of the kernel's types; -1: none. */
static int open_object(struct module *m, int types)
{
	bpf_object__close(m->object);
	m->object = object_open(m->path, m->name, types, m->error, sizeof(m->error));
	if (!m->object)
		return -ENOEXEC;
	if (!schema_matches(m->schema, m->object)) {
		snprintf(m->error, sizeof(m->error),
			 "the file has changed: the agent takes it once it is complete");
		return -ESTALE;
	}
	probes_choose(m);
	return 0;
}

static int load_opened(struct module *m, const struct module *old, bool shared)
{
	int err;

	set_addresses(m);
	set_enumerators(m);
	err = maps_prepare(m, shared);
	if (!err && m->old_object)
		err = maps_take_over(m);
	else if (!err && old)
		err = maps_share_events(m, old);
	return err ? err : bpf_object__load(m->object);
}

/*
 * Open, prepare and load the object. Open it twice if need be: libbpf takes the types of a kernel
 * module when it opens the object, but only an open object tells which kernel module that is.
 */
static int load(struct module *m, const struct module *old, bool shared)
{
	int made = -1, types = -1, err;

	if (m->kmod && *m->kmod->btf) {
		made = object_open_types(m->kmod->btf, m->error, sizeof(m->error));
		if (made < 0)
			return -ENOEXEC;
	}
	err = open_object(m, made);
	if (!err && made < 0)
		types = kernel_btf_file(m->object, m->kmod ? m->kmod->needs.module : NULL);
	if (types >= 0)
		err = open_object(m, types);
	if (!err)
		err = load_opened(m, old, shared);
	if (made >= 0)
		close(made);
	return err;
}

/* Call programs_attach() and return its result. Note when the module became attached. */
static int attach(struct module *m, struct bpf_object *old, struct bpf_link **links, uint64_t ns)
{
	int err = programs_attach(m, old, links, ns);

	if (!err && !m->attached_since)
		m->attached_since = clock_now();
	return err;
}

/*
 * Attach a module that was just started, in the place of its old object or of `old`. With `attach =
 * demand`, do so only if the old one is attached and wanted; else module_attend() attaches later.
 */
static int attach_started(struct module *m, struct module *old)
{
	struct bpf_object *object = m->old_object;
	struct bpf_link **links = m->old_links;

	if (!object && old) {
		object = old->object;
		links = old->links;
	}
	if (m->settings.demand && !(m->wanted && links))
		return 0;
	return attach(m, object, links, UINT64_MAX);
}

/* Load, map and attach `m` in the place of `old` (NULL: none). Returns 0 or a negative errno. */
static int start(struct module *m, struct module *old)
{
	int err = load(m, old, false);

	if (!err && maps_have_two_writers(m))
		err = load(m, old, true);
	if (!err && !m->old_object)
		err = maps_set_up(m, old);
	return err ? err : attach_started(m, old);
}

/* The start succeeded: keep counters of the old object's BPF programs, and unload that object. */
static void finish_old(struct module *m)
{
	programs_count(m->old_object, m->old_kprobe_missed_known, &m->past);
	programs_free_links(m->old_links, m->old_nlinks);
	bpf_object__close(m->old_object);
}

/* The start failed: go back to the old object or, if there was none, to no object. */
static void go_back(struct module *m, bool kprobes, const char *lacks)
{
	memcpy(m->lacks, lacks, sizeof(m->lacks));
	bpf_object__close(m->object);
	m->object = m->old_object;
	m->links = m->old_links;
	m->nlinks = m->old_nlinks;
	m->kprobes = kprobes;
	if (!m->object)
		stop(m);
	else if (m->status == MODULE_RUNNING && programs_attach_again(m))
		detach(m);
}

/*
 * Start `m` with kprobes or fentry, in the place of `old` (NULL: none). Returns 0; or a negative
 * errno: all is undone, and `reason` has libbpf's message.
 */
static int try(struct module *m, struct module *old, bool kprobes, char *reason, size_t size)
{
	char lacks[MODULE_ERROR_LEN];
	bool before = m->kprobes;
	int err;

	*m->error = '\0';
	memcpy(lacks, m->lacks, sizeof(lacks));
	programs_kprobe_missed(m); /* count missed events while the old kprobes still exist */
	m->kprobes = kprobes;
	m->old_object = m->object;
	m->old_links = m->links;
	m->old_nlinks = m->nlinks;
	m->old_kprobe_missed_known = m->kprobe_missed_known;
	m->object = NULL;
	m->links = NULL;
	libbpf_log_begin();
	err = start(m, old);
	libbpf_log_end(m->name, err, reason, size);
	if (err)
		go_back(m, before, lacks);
	else if (m->old_object)
		finish_old(m);
	m->old_object = NULL;
	m->old_links = NULL;
	if (m->object)
		maps_find_fds(m);
	return err;
}

/*
 * fentry and fexit cost less than kprobes and miss no calls. But they need BTF, and keep a kernel
 * module from being unloaded: a kernel module that is not in use is probed by kprobes.
 */
static bool wants_kprobes(const struct module *m)
{
	if (!m->settings.fentry)
		return true;
	return m->has_kprobes && m->kmod && (!m->kmod->in_use || *m->kmod->btf);
}

/* May a later start succeed? Not if the error lies in the file or in the agent's privileges. */
static bool may_pass(int err)
{
	return err != -EINVAL && err != -EACCES && err != -E2BIG && err != -ENOEXEC &&
	       err != -ESTALE && err != -EPERM;
}

/* Repeat the start after a pause, which doubles with each failed start. */
static void try_later(struct module *m)
{
	struct tries *t = &m->starts;

	t->pause = t->pause ? 2 * t->pause : FIRST_PAUSE;
	if (t->pause > LONGEST_PAUSE)
		t->pause = LONGEST_PAUSE;
	t->next = clock_now() + t->pause * UINT64_C(1000000000);
	pmNotifyErr(LOG_INFO, "module %s: next try in %u s", m->name, t->pause);
}

static void set_waiting(struct module *m)
{
	m->status = MODULE_WAITING;
	pmNotifyErr(LOG_INFO, "module %s: waiting: %s", m->name, m->error);
}

/* The kernel module is not ready: the module waits, or fails if `enabled = on` and it never ran. */
static void set_missing(struct module *m)
{
	char why[MODULE_ERROR_LEN];

	kmod_explain(m->kmod, why, sizeof(why));
	if (m->settings.enabled == SWITCH_ON && !m->started) {
		module_refuse(m, "%s", why);
		try_later(m);
	} else {
		snprintf(m->error, sizeof(m->error), "%s", why);
		set_waiting(m);
	}
}

static void set_running(struct module *m)
{
	m->status = MODULE_RUNNING;
	m->starts.pause = 0;
	if (!m->started)
		m->started = time_since_epoch();
	m->memory = maps_memory(m);
	if (module_is_attached(m))
		liveness_begin(m);
	pmNotifyErr(LOG_INFO, "module %s: running, %u programs, %u shards", m->name, m->nprograms,
		    m->shards);
	if (*m->lacks)
		pmNotifyErr(LOG_INFO, "module %s: %s", m->name, m->lacks);
}

/* Does `err` say that a probed function or its BTF is missing, or BPF forbidden (lockdown)? */
static bool is_missing(int err)
{
	return err == -ESRCH || err == -ENOENT || err == -EOPNOTSUPP ||
	       (err == -EPERM && privilege_to_load());
}

/* A start failed: set the module's status from the error and libbpf's reason. */
static void set_failed(struct module *m, int err, const char *reason)
{
	if (*m->error) {
		refuse_object(m, reason);
	} else if (m->settings.enabled == SWITCH_AUTO && is_missing(err)) {
		snprintf(m->error, sizeof(m->error), "the kernel lacks what it probes: %s", reason);
		set_waiting(m);
		if (m->kmod) /* m->kmod may load yet; if NULL, all kernel modules are watched */
			try_later(m);
		return;
	} else if (err == -EPERM) {
		module_refuse(m, "%s: %s (the agent needs CAP_BPF and CAP_PERFMON)", strerror(-err),
			      reason);
	} else {
		module_refuse(m, "%s: %s", strerror(-err), reason);
	}
	/* keep the object and its counters, unless it keeps an unused kernel module loaded */
	if (may_pass(err) && (m->kprobes || !m->has_kprobes || !m->kmod || m->kmod->in_use))
		detach(m);
	else
		stop(m);
	if (may_pass(err))
		try_later(m);
}

/* fentry failed with the error `err`: start with kprobes. Returns 0 or a negative errno. */
static int fall_back(struct module *m, struct module *old, int err, char *reason, size_t size)
{
	m->untyped = is_missing(err);
	return try(m, old, true, reason, size);
}

/* Start a module that does not run, in the place of `old` (NULL: none). */
static void start_for(struct module *m, struct module *old)
{
	char reason[MODULE_ERROR_LEN / 2];
	int err;

	if (m->settings.enabled == SWITCH_OFF) {
		m->status = MODULE_OFF;
		snprintf(m->error, sizeof(m->error),
			 m->settings.unknown ? "estat.conf cannot be read: see estat.agent.error"
					     : "off in estat.conf");
		return;
	}
	*m->error = '\0';
	m->starts.next = 0;
	m->untyped = false;
	if (m->kmod) {
		m->kmod_loaded = m->kmod->loaded;
		m->kmod_ready = m->kmod->ready;
		m->kmod_in_use = m->kmod->in_use;
	}
	if (m->also)
		m->also_loaded = m->also->loaded;
	if (m->kmod && !m->kmod->ready) {
		set_missing(m);
		return;
	}
	err = try(m, old, wants_kprobes(m), reason, sizeof(reason));
	if (err && !wants_kprobes(m) && m->has_kprobes)
		err = fall_back(m, old, err, reason, sizeof(reason));
	if (err)
		set_failed(m, err, reason);
	else
		set_running(m);
}

void module_start(struct module *m)
{
	start_for(m, NULL);
}

void module_switch_off(struct module *m, struct config *config)
{
	stop(m);
	m->starts = m->takes = (struct tries){};
	*m->stale = '\0';
	m->stale_clashes = false;
	m->settings = read_settings(m, config);
	module_start(m);
}

/* Take over the old module's counts of runs and misses; exports_carry() takes over the rows. */
static void take_over(struct module *m, struct module *old)
{
	struct module_counters counters;

	programs_counters(old, &counters);
	m->past.runs += counters.runs;
	m->past.run_time += counters.run_time;
	m->past.missed += counters.missed;
	m->past.dropped += counters.dropped;
	m->lost_returns = programs_missed_returns(old) + programs_calls(old);
	m->kprobe_missed += old->kprobe_missed;
	m->attached_for += module_attached(old);
	m->started = old->started;
}

/* The module is not replaced after all: attach it again. */
static void resume(struct module *m)
{
	int err = m->links ? programs_attach_again(m) : attach_started(m, NULL);

	if (err)
		set_failed(m, err, "it cannot be attached again");
}

/*
 * Has the start of a new module failed? If the module waits for a kernel module, repeat the start
 * after a pause: kernel modules are watched only for modules in the agent's list.
 */
static bool is_refused(struct module *m)
{
	if (m->status == MODULE_WAITING && !m->starts.next)
		try_later(m);
	return m->status == MODULE_WAITING || m->status == MODULE_FAILED;
}

enum module_replaced module_replace(struct module *m, struct module *old)
{
	bool goes_on = old->object && schema_counts_alike(m->schema, old->schema);

	m->wanted = old->wanted;
	programs_kprobe_missed(old); /* count missed events while the old kprobes still exist */
	/*
	 * programs_attach() detaches an old BPF program when it attaches a new one of that name;
	 * fentry and kprobe programs differ in names, so events would count in both modules
	 */
	if (old->object && (!goes_on || old->kprobes != wants_kprobes(m)))
		detach(old);
	start_for(m, goes_on ? old : NULL);
	if ((goes_on || old->status == MODULE_RUNNING) && is_refused(m)) {
		if (old->status == MODULE_RUNNING)
			resume(old);
		return MODULE_KEPT;
	}
	detach(old);
	if (!goes_on || m->status != MODULE_RUNNING)
		return MODULE_RESET;
	take_over(m, old);
	return MODULE_CARRIED;
}

/* Was the kernel module m->also loaded or unloaded since the BPF programs were chosen? */
static bool also_came_or_went(const struct module *m)
{
	return m->also && m->also->loaded != m->also_loaded;
}

/*
 * Load a running module again, because its kernel module has come into use or out of use, BTF for
 * fentry may be there now, or the other kernel module to probe (m->also) was loaded or unloaded.
 */
static void change_probes(struct module *m)
{
	char reason[MODULE_ERROR_LEN / 2], types[128], occasion[128] = "BTF may be there now";
	bool again = also_came_or_went(m);
	int err;

	if (again) {
		m->also_loaded = m->also->loaded;
		snprintf(occasion, sizeof(occasion), "%s has %s", m->also->needs.module,
			 m->also_loaded ? "been loaded" : "been unloaded");
	} else if (m->kmod) {
		m->kmod_in_use = m->kmod->in_use;
		snprintf(occasion, sizeof(occasion), "%s is %s", m->kmod->needs.module,
			 m->kmod_in_use ? "in use" : "not in use");
	}
	m->untyped = false;
	if (m->kprobes == wants_kprobes(m) && !again)
		return;
	err = try(m, NULL, wants_kprobes(m), reason, sizeof(reason));
	if (err && (!m->object || (is_wanted(m) && !m->nprograms))) {
		set_failed(m, err, reason);
		return;
	}
	m->untyped = is_missing(err) && m->retry != RETRY_LAST;
	if (module_is_attached(m))
		liveness_begin(m);
	programs_types(m, types, sizeof(types));
	pmNotifyErr(LOG_INFO, "module %s: %s: %s%s%s", m->name, occasion, types,
		    err ? " still: " : "", err ? reason : "");
	*m->error = '\0';
}

/* Was the kernel module m->kmod loaded, unloaded or replaced since the module's last start? */
static bool kmod_came_or_went(const struct module *m)
{
	return m->kmod && (m->kmod->loaded != m->kmod_loaded || m->kmod->ready != m->kmod_ready);
}

bool module_awaits_any(const struct module *m)
{
	if (m->status == MODULE_RUNNING)
		return m->untyped;
	return m->status == MODULE_WAITING && !m->kmod;
}

void module_retry(struct module *m, bool same)
{
	if (!module_awaits_any(m))
		return;
	if (!same)
		m->retry = RETRY;
	else if (m->status == MODULE_RUNNING && !m->retry)
		m->retry = RETRY_LAST;
}

bool module_is_outdated(const struct module *m)
{
	if (m->starts.next && clock_now() >= m->starts.next)
		return true;
	if (m->status == MODULE_OFF)
		return false;
	if (m->retry || kmod_came_or_went(m))
		return true;
	return m->object && m->status != MODULE_WAITING &&
	       (also_came_or_went(m) || (m->kmod && m->kmod->in_use != m->kmod_in_use));
}

/* The module is to be detached and started again: set its status and error until then. */
static void set_leaving(struct module *m)
{
	m->status = MODULE_WAITING;
	if (m->kmod && !m->kmod->ready)
		kmod_explain(m->kmod, m->error, sizeof(m->error));
	else if (!*m->error)
		snprintf(m->error, sizeof(m->error), "being detached, to start again");
}

bool module_update(struct module *m, uint64_t ns)
{
	bool goes_on = m->status == MODULE_RUNNING && !kmod_came_or_went(m);

	if (!goes_on) {
		set_leaving(m);
		if (!module_leave(m, ns)) {
			/* once detached, start even if the kernel module has changed back */
			m->starts.next = clock_now();
			return false;
		}
	}
	if (m->starts.next) {
		kallsyms_forget();
		kernel_btf_forget();
	}
	if (goes_on)
		change_probes(m);
	else
		module_start(m);
	m->retry = RETRY_NOT;
	return true;
}

bool module_attend(struct module *m, uint64_t ns)
{
	char reason[MODULE_ERROR_LEN / 2];
	int err;

	*m->error = '\0';
	libbpf_log_begin();
	err = attach(m, NULL, NULL, ns);
	libbpf_log_end(m->name, err < 0, reason, sizeof(reason));
	if (err < 0 && !m->kprobes && m->has_kprobes) {
		err = fall_back(m, NULL, err, reason, sizeof(reason));
		if (!err) /* the object with kprobes is loaded: the next call attaches it */
			return false;
	}
	if (err > 0)
		return false;
	if (err < 0) {
		set_failed(m, err, reason);
		return true;
	}
	liveness_begin(m);
	pmNotifyErr(LOG_INFO, "module %s: attached, because a client reads it", m->name);
	return true;
}

void module_free(struct module *m)
{
	stop(m);
	schema_free(m->schema);
	free(m->maps);
	free(m->path);
	free(m);
}
