// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A module: one NAME.bpf.o, from its file to its programs in the kernel.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <pcp/pmapi.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "maps.h"
#include "module.h"
#include "object.h"
#include "proof.h"
#include "symbol.h"
#include "util.h"

#define SUFFIX   ".bpf.o"
#define MAX_KEYS 65536

/* The pause before another try of a start that failed, seconds: the first and the longest. */
#define FIRST_PAUSE   10
#define LONGEST_PAUSE 3600

/* The inode of the first PID namespace: include/linux/proc_ns.h, PROC_PID_INIT_INO */
#define PID_NAMESPACE 0xEFFFFFFC

const char *module_status_name(enum module_status status)
{
	static const char *const names[] = {
		[MODULE_RUNNING] = "running",
		[MODULE_OFF] = "off",
		[MODULE_WAITING] = "waiting",
		[MODULE_FAILED] = "failed",
	};

	return names[status];
}

void module_refuse(struct module *m, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(m->error, sizeof(m->error), format, args);
	va_end(args);
	m->status = MODULE_FAILED;
	pmNotifyErr(LOG_ERR, "module %s (%s): %s", m->name, m->path, m->error);
}

/* object_open() has failed: its error, and what libbpf said. */
static void refuse_object(struct module *m, const char *reason)
{
	char error[MODULE_ERROR_LEN];

	snprintf(error, sizeof(error), "%s", m->error);
	module_refuse(m, "%s%s%s", error, *reason ? ": " : "", reason);
}

/* The name until the schema tells: the file's, less its suffix. */
static void name_from_path(struct module *m)
{
	const char *base = strrchr(m->path, '/'), *suffix;

	base = base ? base + 1 : m->path;
	suffix = strstr(base, SUFFIX);
	snprintf(m->name, sizeof(m->name), "%.*s",
		 (int)(suffix ? (size_t)(suffix - base) : strlen(base)), base);
}

static bool is_kprobe(const struct bpf_program *p)
{
	const char *section = bpf_program__section_name(p);

	return !strncmp(section, "kprobe/", 7) || !strncmp(section, "kretprobe/", 10);
}

/* Does it stand in for fentry or fexit? Such a section's name begins with "?". */
static bool is_substitute(const struct bpf_program *p)
{
	return is_kprobe(p) && !bpf_program__autoload(p);
}

static bool has_kprobes(const struct bpf_object *object)
{
	struct bpf_program *p;

	bpf_object__for_each_program (p, object)
		if (is_substitute(p))
			return true;
	return false;
}

static bool is_fentry(const struct bpf_program *p)
{
	const char *section = bpf_program__section_name(p);

	return !strncmp(section, "fentry/", 7) || !strncmp(section, "fexit/", 6);
}

/* What is declared of the function that a program probes, or NULL. */
static const struct estat_function *declared(const struct bpf_object *object,
					     const struct bpf_program *p, const char **function)
{
	const char *section = bpf_program__section_name(p);

	if (!is_kprobe(p) && !is_fentry(p))
		return NULL;
	*function = strchr(section, '/') + 1;
	return schema_function(object, *function);
}

static void want_symbols(const struct bpf_object *object)
{
	struct bpf_program *p;
	const char *symbol;

	bpf_object__for_each_program (p, object) {
		const struct estat_function *f = declared(object, p, &symbol);

		if (!f)
			continue;
		symbol_want(symbol);
		if (*f->unless)
			symbol_want(f->unless);
	}
	for (unsigned int i = 0; schema_address(object, i, &symbol); i++)
		symbol_want(symbol);
}

struct module *module_open(const char *path)
{
	struct module *m = or_die(calloc(1, sizeof(*m)));
	char reason[MODULE_ERROR_LEN / 2];
	struct bpf_object *object;

	m->path = or_die(strdup(path));
	m->names_fd = -1;
	m->proof.stats = -1;
	m->status = MODULE_OFF;
	name_from_path(m);
	libbpf_listen();
	object = object_open(m->path, m->name, -1, m->error, sizeof(m->error));
	libbpf_heard(m->name, !object, reason, sizeof(reason));
	if (!object) {
		refuse_object(m, reason);
		return m;
	}
	m->schema = schema_read(object, reason, sizeof(reason));
	m->has_kprobes = has_kprobes(object);
	want_symbols(object);
	bpf_object__close(object);
	if (!m->schema) {
		module_refuse(m, "%s", reason);
		return m;
	}
	memcpy(m->name, m->schema->name, sizeof(m->name));
	m->maps = or_die(calloc(m->schema->ntables, sizeof(*m->maps)));
	return m;
}

void module_configure(struct module *m, struct config *config)
{
	m->enabled = config_switch(config, m->name, "enabled");
	m->unknown = *config_error(config);
	m->keys = config_number(config, m->name, "keys", 1, MAX_KEYS, 0);
	m->latency_by_size = config_flag(config, m->name, "latency_by_size", false);
	m->fentry = config_flag(config, "agent", "fentry", true);
	if (m->enabled != SWITCH_OFF && *m->schema->needs.module)
		m->kmod = kmod_find(&m->schema->needs);
}

/* Note what the module lacks, once. */
static void lack(struct module *m, const char *function, const char *lacks)
{
	size_t n = strlen(m->lacks);

	if (!strstr(m->lacks, lacks))
		snprintf(m->lacks + n, sizeof(m->lacks) - n, "%sno %s: the kernel lacks %s",
			 n ? "; " : "", lacks, function);
}

/* Is a program for a function that this kernel lacks, or does better without? */
static bool is_idle(struct module *m, const struct bpf_program *p)
{
	const char *function;
	const struct estat_function *f = declared(m->object, p, &function);

	if (!f)
		return false;
	if (*f->unless)
		return symbol_is_function(f->unless);
	if (symbol_is_function(function))
		return false;
	if (*f->lacks)
		lack(m, function, f->lacks);
	return true;
}

/*
 * A module's programs for functions are there twice, see bpf/probe.h: choose
 * fentry and fexit, or kprobe and kretprobe. What is there once is kept.
 */
static void choose_programs(struct module *m)
{
	struct bpf_program *p;

	*m->lacks = '\0';
	bpf_object__for_each_program (p, m->object) {
		if (is_substitute(p))
			bpf_program__set_autoload(p, m->kprobes);
		else if (m->has_kprobes && is_fentry(p))
			bpf_program__set_autoload(p, !m->kprobes);
		if (bpf_program__autoload(p) && is_idle(m, p))
			bpf_program__set_autoload(p, false);
	}
}

/* Tell its programs where the kernel has what they ask for. */
static void set_addresses(const struct module *m)
{
	const char *symbol;
	uint64_t *address;

	for (unsigned int i = 0; (address = schema_address(m->object, i, &symbol)); i++)
		*address = symbol_address(symbol);
}

static int load_object(struct module *m, int types, bool shared)
{
	int err;

	bpf_object__close(m->object);
	m->object = object_open(m->path, m->name, types, m->error, sizeof(m->error));
	if (!m->object)
		return -ENOEXEC;
	if (!schema_matches(m->schema, m->object)) {
		snprintf(m->error, sizeof(m->error),
			 "the file is another one now: restart the agent");
		return -ESTALE;
	}
	choose_programs(m);
	set_addresses(m);
	err = maps_prepare(m, shared);
	if (!err && m->replaced)
		err = maps_take_over(m);
	return err ? err : bpf_object__load(m->object);
}

/* Open, prepare and load. If a file cannot even be opened m->error tells why. */
static int load(struct module *m, bool shared)
{
	int types = -1, err;

	if (m->kmod && *m->kmod->btf) {
		types = object_open_types(m->kmod->btf, m->error, sizeof(m->error));
		if (types < 0)
			return -ENOEXEC;
	}
	err = load_object(m, types, shared);
	if (types >= 0)
		close(types);
	return err;
}

static void destroy_links(struct bpf_link **links, unsigned int n)
{
	for (unsigned int i = 0; links && i < n; i++)
		bpf_link__destroy(links[i]);
	free(links);
}

static void detach(struct module *m)
{
	destroy_links(m->links, m->nlinks);
	m->links = NULL;
	m->nprograms = 0;
}

/*
 * Attach those of its programs that are not. One that was attached in the
 * replaced object, too, is detached there first, or an event would count twice.
 */
static int attach(struct module *m, struct bpf_link **replaced)
{
	struct bpf_program *p;
	unsigned int i = 0;

	m->nprograms = 0;
	bpf_object__for_each_program (p, m->object) {
		unsigned int n = i++;

		if (!bpf_program__autoload(p))
			continue;
		if (replaced && replaced[n]) {
			bpf_link__destroy(replaced[n]);
			replaced[n] = NULL;
		}
		if (!m->links[n])
			m->links[n] = bpf_program__attach(p);
		if (!m->links[n])
			return -errno;
		m->nprograms++;
	}
	return 0;
}

static unsigned int count_programs(const struct bpf_object *object)
{
	struct bpf_program *p;
	unsigned int n = 0;

	bpf_object__for_each_program (p, object)
		n++;
	return n;
}

/* From here on calls count that are entered by kprobe, or by fentry; see bpf/probe.h. */
static void choose_entries(const struct module *m)
{
	long offset = schema_variable(m->schema->btf, ".bss", "estat_by_kprobes");

	if (offset >= 0)
		__atomic_store_n((uint32_t *)(m->bss + offset), m->kprobes, __ATOMIC_SEQ_CST);
}

/* Attach all, then let go of the replaced object's programs. If that fails, those stay. */
static int attach_all(struct module *m)
{
	struct bpf_link **before = m->links;
	int err;

	m->nlinks = count_programs(m->object);
	m->links = or_die(calloc(m->nlinks, sizeof(*m->links)));
	err = attach(m, before);
	if (err) {
		detach(m);
		m->links = before;
	} else {
		choose_entries(m);
		destroy_links(before, m->nlinks);
	}
	return err;
}

/* Load, map and attach; errno's negative or 0. */
static int start(struct module *m)
{
	int err = load(m, false);

	if (!err && maps_have_two_writers(m))
		err = load(m, true);
	if (!err && !m->replaced)
		err = maps_set_up(m);
	return err ? err : attach_all(m);
}

static void add_program_counters(const struct bpf_object *object, struct module_counters *counters)
{
	struct bpf_program *p;

	bpf_object__for_each_program (p, object) {
		struct bpf_prog_info info = {};
		uint32_t size = sizeof(info);

		if (!bpf_program__autoload(p) ||
		    bpf_obj_get_info_by_fd(bpf_program__fd(p), &info, &size))
			continue;
		counters->runs += info.run_cnt;
		counters->run_time += info.run_time_ns;
		counters->missed += info.recursion_misses;
	}
}

/* It has started: keep what only the replaced object's programs know. */
static void finish_replaced(struct module *m)
{
	add_program_counters(m->replaced, &m->past);
	bpf_object__close(m->replaced);
}

/* It has not started: go back to the object that was to be replaced, or to nothing. */
static void go_back(struct module *m, bool kprobes)
{
	bpf_object__close(m->object);
	m->object = m->replaced;
	m->kprobes = kprobes;
	if (!m->object)
		module_stop(m);
	else if (m->status == MODULE_RUNNING && attach(m, NULL))
		detach(m);
}

/* Start one way; if that fails nothing is left of it but what libbpf said. */
static int try(struct module *m, bool kprobes, char *reason, size_t size)
{
	bool before = m->kprobes;
	int err;

	*m->error = '\0';
	m->kprobes = kprobes;
	m->replaced = m->object;
	m->object = NULL;
	libbpf_listen();
	err = start(m);
	libbpf_heard(m->name, err, reason, size);
	if (err)
		go_back(m, before);
	else if (m->replaced)
		finish_replaced(m);
	m->replaced = NULL;
	if (m->object)
		maps_find_fds(m);
	return err;
}

/*
 * fentry and fexit cost less and miss no call, but hold the kernel module, and
 * take its functions' BTF, which only the kernel can have.
 */
static bool wants_kprobes(const struct module *m)
{
	if (!m->fentry)
		return true;
	return m->has_kprobes && m->kmod && (!m->kmod->in_use || *m->kmod->btf);
}

/* Is an error of the host's, and may be gone later? Others are the file's, or the agent's. */
static bool may_pass(int err)
{
	return err != -EINVAL && err != -EACCES && err != -E2BIG && err != -ENOEXEC &&
	       err != -ESTALE && err != -EPERM;
}

/* Have it start once more, after a pause that grows from time to time. */
static void try_later(struct module *m)
{
	m->pause = m->pause ? 2 * m->pause : FIRST_PAUSE;
	if (m->pause > LONGEST_PAUSE)
		m->pause = LONGEST_PAUSE;
	m->again = clock_now() + m->pause * UINT64_C(1000000000);
	pmNotifyErr(LOG_INFO, "module %s: another try in %u s", m->name, m->pause);
}

static void set_waiting(struct module *m)
{
	m->status = MODULE_WAITING;
	pmNotifyErr(LOG_INFO, "module %s: waiting: %s", m->name, m->error);
}

/* Its kernel module is not ready. One that is on must find it so, but may lose it. */
static void set_missing(struct module *m)
{
	char why[MODULE_ERROR_LEN];

	kmod_explain(m->kmod, why, sizeof(why));
	if (m->enabled == SWITCH_ON && !m->attached) {
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
	m->pause = 0;
	if (!m->attached)
		m->attached = clock_now();
	m->memory = maps_memory(m);
	proof_begin(m);
	pmNotifyErr(LOG_INFO, "module %s: running, %u programs, %u shards", m->name, m->nprograms,
		    m->shards);
	if (*m->lacks)
		pmNotifyErr(LOG_INFO, "module %s: %s", m->name, m->lacks);
}

/* Does the kernel lack what is probed or, if it is fentry that it refused, the BTF of that? */
static bool is_missing(int err)
{
	return err == -ESRCH || err == -ENOENT;
}

/* It does not run: set the status by the error, and the reason that libbpf gave. */
static void set_failed(struct module *m, int err, const char *reason)
{
	if (*m->error) {
		refuse_object(m, reason);
	} else if (m->enabled == SWITCH_AUTO && is_missing(err)) {
		snprintf(m->error, sizeof(m->error), "the kernel lacks what it probes: %s", reason);
		set_waiting(m);
		/* its kernel module may be on its way; who names none watches all */
		if (m->kmod)
			try_later(m);
		return;
	} else if (err == -EPERM) {
		module_refuse(m, "%s: %s (the agent needs CAP_BPF and CAP_PERFMON)", strerror(-err),
			      reason);
	} else {
		module_refuse(m, "%s: %s", strerror(-err), reason);
	}
	module_stop(m);
	if (may_pass(err))
		try_later(m);
}

void module_start(struct module *m)
{
	char reason[MODULE_ERROR_LEN / 2];
	int err;

	if (m->enabled == SWITCH_OFF) {
		m->status = MODULE_OFF;
		snprintf(m->error, sizeof(m->error),
			 m->unknown ? "estat.conf cannot be read: see estat.agent.error"
				    : "off in estat.conf");
		return;
	}
	*m->error = '\0';
	m->again = 0;
	m->untyped = false;
	if (m->kmod) {
		m->kmod_loaded = m->kmod->loaded;
		m->kmod_ready = m->kmod->ready;
		m->kmod_in_use = m->kmod->in_use;
	}
	if (m->kmod && !m->kmod->ready) {
		set_missing(m);
		return;
	}
	err = try(m, wants_kprobes(m), reason, sizeof(reason));
	if (err && !wants_kprobes(m) && m->has_kprobes) {
		m->untyped = is_missing(err);
		err = try(m, true, reason, sizeof(reason));
	}
	if (err)
		set_failed(m, err, reason);
	else
		set_running(m);
}

/* Hold its kernel module, or let go of it; or have another try at what needs BTF. */
static void change_probes(struct module *m)
{
	char reason[MODULE_ERROR_LEN / 2], types[128], occasion[128] = "BTF may be there now";
	int err;

	if (m->kmod) {
		m->kmod_in_use = m->kmod->in_use;
		snprintf(occasion, sizeof(occasion), "%s is %s", m->kmod->needs.module,
			 m->kmod_in_use ? "in use" : "not in use");
	}
	m->untyped = false;
	if (m->kprobes == wants_kprobes(m))
		return;
	err = try(m, !m->kprobes, reason, sizeof(reason));
	if (!m->nprograms) {
		set_failed(m, err, reason);
		return;
	}
	m->untyped = is_missing(err) && m->retry != RETRY_LAST;
	proof_begin(m);
	module_attach_types(m, types, sizeof(types));
	pmNotifyErr(LOG_INFO, "module %s: %s: %s%s%s", m->name, occasion, types,
		    err ? " still: " : "", err ? reason : "");
	*m->error = '\0';
}

/* Is its kernel module another one than when it was started, or gone, or there? */
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
	if (m->again && clock_now() >= m->again)
		return true;
	if (m->status != MODULE_WAITING && m->status != MODULE_RUNNING && !m->again)
		return false;
	return m->retry || kmod_came_or_went(m) ||
	       (m->status == MODULE_RUNNING && m->kmod && m->kmod->in_use != m->kmod_in_use);
}

void module_update(struct module *m)
{
	if (m->again)
		symbol_forget();
	if (m->status == MODULE_RUNNING && !kmod_came_or_went(m)) {
		change_probes(m);
	} else {
		proof_end(m);
		detach(m);
		m->status = MODULE_WAITING;
		module_start(m);
	}
	m->retry = RETRY_NOT;
}

void module_stop(struct module *m)
{
	proof_end(m);
	detach(m);
	maps_unmap(m);
	bpf_object__close(m->object);
	m->object = NULL;
	m->memory = 0;
}

void module_free(struct module *m)
{
	module_stop(m);
	schema_free(m->schema);
	free(m->maps);
	free(m->path);
	free(m);
}

void module_attach_types(const struct module *m, char *text, size_t size)
{
	struct bpf_program *p;
	size_t n = 0;

	*text = '\0';
	if (!m->nprograms)
		return;
	bpf_object__for_each_program (p, m->object) {
		const char *section = bpf_program__section_name(p);
		int length = strcspn(section, "/");

		if (!bpf_program__autoload(p))
			continue;
		/* few programs and fewer types: a plain search will do */
		if (!memmem(text, n, section, length) && n < size)
			n += snprintf(text + n, size - n, "%s%.*s", n ? " " : "", length, section);
	}
}

/* A call whose thread has ended will not return any more. */
static void forget_dead(struct module *m, int calls, const struct estat_call_key *key)
{
	if (kill((pid_t)key->thread, 0) && errno == ESRCH && !bpf_map_delete_elem(calls, key))
		m->lost_returns++;
}

/* Are thread numbers here the kernel's? In a PID namespace all would seem to have ended. */
static bool sees_threads(void)
{
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino == PID_NAMESPACE;
}

/* Calls whose thread has ended. All keys first: the walk begins anew after one deleted. */
static void forget_all_dead(struct module *m, int calls, unsigned int most)
{
	struct estat_call_key *keys = or_die(calloc(most, sizeof(*keys)));
	unsigned int n = 0;

	while (n < most && !bpf_map_get_next_key(calls, n ? &keys[n - 1] : NULL, &keys[n]))
		n++;
	while (n-- > 0)
		forget_dead(m, calls, &keys[n]);
	free(keys);
}

uint64_t module_missed_returns(struct module *m)
{
	const struct bpf_map *calls =
		m->object ? bpf_object__find_map_by_name(m->object, "estat_calls") : NULL;
	long offset = schema_variable(m->schema->btf, ".bss", "estat_calls_missed");

	if (!calls || offset < 0)
		return 0;
	if (sees_threads())
		forget_all_dead(m, bpf_map__fd(calls), bpf_map__max_entries(calls));
	return m->lost_returns + *(uint64_t *)(m->bss + offset);
}

void module_counters(struct module *m, struct module_counters *counters)
{
	*counters = m->past;
	if (!m->object)
		return;
	add_program_counters(m->object, counters);
	for (unsigned int i = 0; i < m->schema->ntables; i++) {
		counters->missed += m->maps[i].state->missed;
		counters->dropped += m->maps[i].state->dropped;
	}
}
