// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "client.h"
#include "data/series.h"
#include "lib/clock.h"
#include "lib/file.h"
#include "lib/version.h"
#include "load/cgroups.h"
#include "load/maps.h"
#include "load/programs.h"
#include "status.h"
#include "units.h"

/* PMID items in cluster 0. Archives contain these numbers, so never change a number. */
enum item {
	ITEM_STATUS,
	ITEM_ERROR,
	ITEM_PROBES,
	ITEM_ATTACH,
	ITEM_RUNS,
	ITEM_RUN_TIME,
	ITEM_MISSED,
	ITEM_DROPPED,
	ITEM_KEYS,
	ITEM_KEYS_MAX,
	ITEM_MEMORY,
	ITEM_START,
	ITEM_ATTACHED,
	ITEM_FAILED,
	ITEM_ON_DEMAND,
	ITEM_WALK_TRUNCATED,
	ITEM_SAMPLE,
	ITEM_SLOW,
	ITEM_WITHHELD,
	ITEM_EVERY,
	ITEM_FOCUS,
	AGENT_VERSION = 32,
	AGENT_MODULES,
	AGENT_CLIENTS,
	AGENT_START,
	AGENT_MEMORY,
	AGENT_CPU_TIME,
	AGENT_ERROR,
	AGENT_FORGOTTEN,
};

/* The highest value of estat.module.slow: an hour, in microseconds. */
#define MOST_SLOW UINT64_C(3600000000)

static uint64_t started; /* when the agent started, milliseconds since 1970 */

static const struct agent_metric statuses[] = {
	{ ITEM_STATUS, "estat.module.status", PM_TYPE_STRING, PM_SEM_DISCRETE, NONE,
	  "What a module is doing: running, blind, off, waiting or failed",
	  "running: it counts; with attach = demand, it counts only while a client reads it.\n"
	  "blind: it is attached, but has counted nothing while what it measures was at work,\n"
	  "or the kernel's ftrace or kprobes are switched off, which it needs.\n"
	  "off: by estat.conf, or not started yet. waiting: the kernel lacks what the module\n"
	  "probes; the module starts when a kernel module brings it. failed: if the reason may\n"
	  "pass, the agent tries again after longer and longer pauses. See estat.module.error." },
	{ ITEM_ERROR, "estat.module.error", PM_TYPE_STRING, PM_SEM_DISCRETE, NONE,
	  "Why a module does not run or what it lacks, in one line; else empty",
	  "For a running module: what it does not measure because the kernel lacks a function,\n"
	  "which cgroups it does not tell apart, and why its new file or settings are refused.\n"
	  "For a blind module: which files changed while it counted nothing, and which probed\n"
	  "functions were not called, or which switch of the kernel is off." },
	{ ITEM_PROBES, "estat.module.probes", PM_TYPE_U32, PM_SEM_INSTANT, COUNT,
	  "Number of BPF programs that a module has attached",
	  "0 until all BPF programs of the module are attached." },
	{ ITEM_ATTACH, "estat.module.attach", PM_TYPE_STRING, PM_SEM_DISCRETE, NONE,
	  "How a module's BPF programs are attached: tp_btf, fexit, kprobe, ...",
	  "A module that probes a kernel module has fentry and fexit only while that kernel\n"
	  "module is in use, because they keep it from being unloaded." },
	{ ITEM_RUNS, "estat.module.runs", PM_TYPE_U64, PM_SEM_COUNTER, COUNT,
	  "Number of times that a module's BPF programs ran",
	  "The kernel counts runs only while kernel.bpf_stats_enabled is 1, or a process\n"
	  "asks for it (BPF_ENABLE_STATS), as the agent does for a time to find a blind module." },
	{ ITEM_RUN_TIME, "estat.module.run_time", PM_TYPE_U64, PM_SEM_COUNTER, NANOSEC,
	  "Time that a module's BPF programs ran",
	  "The kernel measures this time only while it counts runs, see estat.module.runs.\n"
	  "For a short BPF program most of this time is the measuring itself." },
	{ ITEM_MISSED, "estat.module.missed", PM_TYPE_U64, PM_SEM_COUNTER, COUNT,
	  "Number of events that a module did not count",
	  "Events for which the kernel did not run the BPF program, because the program was\n"
	  "running on that CPU already or, for a kprobe, because the BPF program of any kprobe\n"
	  "was, or a system call on a map; events whose begin was not seen; calls whose thread\n"
	  "ended first; events of a thread for which the kernel refused storage (before Linux\n"
	  "6.2); and calls under way during a change between kretprobe and fexit. Since Linux\n"
	  "7.0 a task can be preempted in the BPF program of a tracepoint, such as\n"
	  "backend_io's, and with preempt=full in one of fentry: until the task runs again,\n"
	  "other tasks' events on its CPU are missed. An operation that passes several probes\n"
	  "counts once for each probe that missed it." },
	{ ITEM_DROPPED, "estat.module.dropped", PM_TYPE_U64, PM_SEM_COUNTER, COUNT,
	  "Number of operations whose key had no slot, and of event records lost",
	  "If estat.module.keys is estat.module.keys_max raise `keys` in the module's section\n"
	  "of estat.conf. An event record is lost when newer records overwrite it before a\n"
	  "client that reads them fetches it." },
	{ ITEM_KEYS, "estat.module.keys", PM_TYPE_U32, PM_SEM_INSTANT, COUNT,
	  "Number of keys that have a slot", "" },
	{ ITEM_KEYS_MAX, "estat.module.keys_max", PM_TYPE_U32, PM_SEM_DISCRETE, COUNT,
	  "Number of keys that a module has slots for", "" },
	{ ITEM_MEMORY, "estat.module.memory", PM_TYPE_U64, PM_SEM_INSTANT, BYTES,
	  "Kernel memory that a module's maps take", "" },
	{ ITEM_START, "estat.module.start", PM_TYPE_U64, PM_SEM_DISCRETE, MSEC,
	  "When a module's counters began, since 1970",
	  "Counters begin at 0, so the difference of two values before and after a change of\n"
	  "estat.module.start means nothing. Counters go on if the module's file is replaced by\n"
	  "one with the same types of keys and values, and if its settings change." },
	{ ITEM_ATTACHED, "estat.module.attached", PM_TYPE_U64, PM_SEM_COUNTER, NANOSEC,
	  "How long a module has been attached since its counters began",
	  "All that the module has counted happened in this time. With attach = demand a module\n"
	  "is attached only while a client fetches its metrics, and for `linger` seconds after." },
	{ ITEM_FAILED, "estat.module.failed", PM_TYPE_U32, PM_SEM_INSTANT, NONE,
	  "Whether a module has failed: 1 or 0",
	  "As in estat.module.status, for rules and Prometheus, which compares only numbers. But\n"
	  "0 if the kernel forbids or lacks what the module needs: nothing can be mended." },
	{ ITEM_ON_DEMAND, "estat.module.on_demand", PM_TYPE_U32, PM_SEM_DISCRETE, NONE,
	  "Whether a module is attached on demand: 1 or 0",
	  "A client that shows all modules all the time, such as a web page, can leave these\n"
	  "modules out, because a fetch of their metrics attaches them." },
	{ ITEM_WALK_TRUNCATED, "estat.module.walk_truncated", PM_TYPE_U64, PM_SEM_COUNTER, COUNT,
	  "Number of looks at operations under way that left out some",
	  "A fetch of `inflight`, `inflight_time`, `oldest` or `oldest_op` looks at all\n"
	  "operations under way, for some 200 ms at most. It leaves out those not reached by\n"
	  "then, those whose key has no slot, and the disks behind a disk that is removed\n"
	  "during the look." },
	{ ITEM_SAMPLE, "estat.module.sample", PM_TYPE_U32, PM_SEM_DISCRETE, COUNT,
	  "Of how many operations a module counts one",
	  "By `sample = 1/N` in estat.conf. Counters are multiplied by N, so they are estimates\n"
	  "if N is not 1, and so is bio.inflight. Maxima are those of the operations that count." },
	{ ITEM_SLOW, "estat.module.slow", PM_TYPE_U64, PM_SEM_DISCRETE, MICROSEC,
	  "Above which latency an operation gets an event record; 0: none does",
	  "By `slow` in estat.conf, or by pmstore(1): until estat.conf has another value or the\n"
	  "agent ends. A key with 1,000 operations in the last minute has its p99.9 of that\n"
	  "minute as the threshold, if that is higher. See estat.M.events." },
	{ ITEM_WITHHELD, "estat.module.withheld", PM_TYPE_U64, PM_SEM_COUNTER, COUNT,
	  "Number of slow operations without an event record",
	  "A key gets ten event records at once and one a second after them." },
	{ ITEM_EVERY, "estat.module.every", PM_TYPE_U32, PM_SEM_DISCRETE, COUNT,
	  "Of how many operations a module follows one; 0: of as many as give 20 a second",
	  "By `every` in estat.conf, or by pmstore(1): until estat.conf has another\n"
	  "value or the agent ends. See estat.trace." },
	{ ITEM_FOCUS, "estat.module.focus", PM_TYPE_STRING, PM_SEM_DISCRETE, NONE,
	  "Whose operations a module follows beside those of the whole host",
	  "By pmstore(1), until the module is detached: \"pid N\", \"cgroup PATH\" with the "
	  "cgroups\n"
	  "below it, or \"\" for nobody's. Then estat.module.every is about these operations, and\n"
	  "of all others so many are followed as give 20 a second. See estat.trace." },
	{ AGENT_VERSION, "estat.agent.version", PM_TYPE_STRING, PM_SEM_DISCRETE, NONE,
	  "Version of estat", "" },
	{ AGENT_MODULES, "estat.agent.modules", PM_TYPE_U32, PM_SEM_INSTANT, COUNT,
	  "Number of modules that run", "" },
	{ AGENT_CLIENTS, "estat.agent.clients", PM_TYPE_U32, PM_SEM_INSTANT, COUNT,
	  "Number of client contexts whose last fetch is remembered",
	  "Contexts that have fetched an instant metric, are still connected, and were not\n"
	  "forgotten: see estat.agent.forgotten." },
	{ AGENT_START, "estat.agent.start", PM_TYPE_U64, PM_SEM_DISCRETE, MSEC,
	  "When the agent started, since 1970",
	  "The agent's counters begin at 0, so the difference of two values before and after a\n"
	  "change of estat.agent.start means nothing." },
	{ AGENT_MEMORY, "estat.agent.memory", PM_TYPE_U64, PM_SEM_INSTANT, BYTES,
	  "Anonymous memory of the agent",
	  "RssAnon in /proc/PID/status: without mapped files, and without the memory shared\n"
	  "with the kernel, which is in estat.module.memory." },
	{ AGENT_CPU_TIME, "estat.agent.cpu_time", PM_TYPE_U64, PM_SEM_COUNTER, NANOSEC,
	  "CPU time of the agent",
	  "Without the time of BPF programs in the kernel: see estat.module.run_time." },
	{ AGENT_ERROR, "estat.agent.error", PM_TYPE_STRING, PM_SEM_DISCRETE, NONE,
	  "Why estat.conf cannot be read, or its first error, in one line; else empty",
	  "If estat.conf exists and cannot be read when the agent starts, all modules are off,\n"
	  "because estat.conf may switch some off; later the previous settings stay. A wrong\n"
	  "setting is skipped. The agent reads estat.conf again after each change." },
	{ AGENT_FORGOTTEN, "estat.agent.forgotten", PM_TYPE_U64, PM_SEM_COUNTER, COUNT,
	  "Number of times that a client's last fetch was forgotten for want of memory",
	  "The last fetches of all clients may take 32 MiB. Beyond that, the agent forgets the\n"
	  "client that has been idle for longest, whose next fetch of an instant metric is like\n"
	  "its first." },
};

void status_add_metrics(struct agent *a)
{
	const struct agent_metric *end = statuses + sizeof(statuses) / sizeof(statuses[0]);

	started = time_since_epoch();
	a->metrics.domain = a->domain;
	for (const struct agent_metric *s = statuses; s < end; s++)
		metrics_add_status(&a->metrics, METRIC_STATUS,
				   s->item < AGENT_VERSION ? a->module_indom : PM_INDOM_NULL, s);
}

/* Bytes of the agent's anonymous memory; 0 if the kernel does not say. */
static uint64_t own_memory(void)
{
	uint64_t kb = 0;

	scan_lines("/proc/self/status", "RssAnon: %" SCNu64 " kB", &kb);
	return kb * 1024;
}

static uint64_t own_cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * UINT64_C(1000000000) + t.tv_nsec;
}

static int agent_value(const struct agent *a, enum item item, pmAtomValue *atom)
{
	switch (item) {
	case AGENT_VERSION:
		atom->cp = ESTAT_VERSION;
		break;
	case AGENT_MODULES:
		atom->ul = 0;
		for (unsigned int i = 0; i < a->nmodules; i++)
			atom->ul += module_runs(a->modules[i]);
		break;
	case AGENT_CLIENTS:
		atom->ul = client_count();
		break;
	case AGENT_START:
		atom->ull = started;
		break;
	case AGENT_MEMORY:
		atom->ull = own_memory();
		return atom->ull ? PMDA_FETCH_STATIC : PMDA_FETCH_NOVALUES;
	case AGENT_FORGOTTEN:
		atom->ull = client_forgotten();
		break;
	case AGENT_ERROR:
		atom->cp = (char *)(*a->error ? a->error : config_complaint(a->settings));
		break;
	case AGENT_CPU_TIME:
		atom->ull = own_cpu_time();
		break;
	default:
		return PM_ERR_PMID;
	}
	return PMDA_FETCH_STATIC;
}

static uint32_t keys_taken(const struct module *m)
{
	uint32_t n = 0;

	for (unsigned int i = 0; m->exports && i < m->exports->nseries; i++)
		if (m->exports->series[i]->first == m->exports->series[i])
			n += series_keys(m->exports->series[i]);
	return n;
}

static uint32_t keys_possible(const struct module *m)
{
	uint32_t n = 0;

	for (unsigned int i = 0; m->history.started && i < m->edition->schema->ntables; i++)
		n += m->now.memory.maps[i].keys;
	return n;
}

static uint64_t lost_records(const struct module *m)
{
	return m->exports && m->exports->events ? m->exports->events->lost : 0;
}

static int counter_value(struct module *m, enum item item, pmAtomValue *atom)
{
	struct module_counters counters = m->history.before;

	if (!module_runs(m))
		return PMDA_FETCH_NOVALUES;
	/* this item needs no programs_counters(), which makes system calls */
	if (item == ITEM_WALK_TRUNCATED) {
		atom->ull = counters.partial_walks + m->now.programs.partial_walks;
		return PMDA_FETCH_STATIC;
	}
	programs_counters(&m->now, &counters);
	if (item == ITEM_WITHHELD) {
		atom->ull = counters.withheld;
		return m->edition->schema->slow ? PMDA_FETCH_STATIC : PMDA_FETCH_NOVALUES;
	}
	if (item == ITEM_RUNS)
		atom->ull = counters.runs;
	else if (item == ITEM_RUN_TIME)
		atom->ull = counters.run_time;
	else if (item == ITEM_MISSED)
		atom->ull = counters.missed + programs_missed_returns(&m->now) +
			    programs_kprobe_missed(&m->now);
	else if (item == ITEM_DROPPED)
		atom->ull = counters.dropped + lost_records(m);
	else
		return PM_ERR_PMID;
	return PMDA_FETCH_STATIC;
}

/* The value of estat.module.error, whose help text above lists what the value can say. */
static const char *error_of(const struct module *m)
{
	static char all[5 * MODULE_ERROR_LEN];
	bool runs = module_runs(m);
	char cgroups[MODULE_ERROR_LEN] = "";
	const char *const errors[] = { runs && m->switched_off.why ? m->switched_off.why : "",
				       runs ? m->liveness.error : m->error,
				       runs ? m->now.programs.lacks : "", cgroups, m->refused };
	size_t n = 0;

	if (runs && m->edition->schema->io_cgroups)
		cgroups_explain(cgroups, sizeof(cgroups));
	*all = '\0';
	for (unsigned int i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (*errors[i])
			n += snprintf(all + n, sizeof(all) - n, "%s%s", n ? "; " : "", errors[i]);
	return all;
}

/*
 * Are the module's event records of slow operations, and does the module run? An idle module runs,
 * too: see module_runs().
 */
static bool has_slow(const struct module *m)
{
	return module_runs(m) && m->edition->schema->slow;
}

static bool has_every(const struct module *m)
{
	return !*m->edition->error && m->edition->schema->every;
}

int status_value(const struct agent *a, unsigned int item, unsigned int inst, pmAtomValue *atom)
{
	static char attach[256];
	struct module *m;
	void *found;

	if (item >= AGENT_VERSION)
		return agent_value(a, item, atom);
	if (pmdaCacheLookup(a->module_indom, inst, NULL, &found) != PMDA_CACHE_ACTIVE)
		return PM_ERR_INST;
	m = found;
	switch (item) {
	case ITEM_STATUS:
		atom->cp = (char *)module_status_name(m);
		break;
	case ITEM_ERROR:
		atom->cp = (char *)error_of(m);
		break;
	case ITEM_PROBES:
		atom->ul = module_is_attached(m) ? programs_attached(&m->now) : 0;
		break;
	case ITEM_ATTACH:
		programs_types(&m->now, attach, sizeof(attach));
		atom->cp = attach;
		break;
	case ITEM_KEYS:
		atom->ul = keys_taken(m);
		break;
	case ITEM_KEYS_MAX:
		atom->ul = keys_possible(m);
		break;
	case ITEM_MEMORY:
		atom->ull = maps_memory(&m->now);
		break;
	case ITEM_START:
		atom->ull = m->history.started;
		return m->history.started ? PMDA_FETCH_STATIC : PMDA_FETCH_NOVALUES;
	case ITEM_ATTACHED:
		atom->ull = module_attached(m);
		return m->history.started ? PMDA_FETCH_STATIC : PMDA_FETCH_NOVALUES;
	case ITEM_FAILED:
		atom->ul = m->state == MODULE_FAILED && !m->unfit;
		break;
	case ITEM_SAMPLE:
		atom->ul = m->edition->settings.sample;
		return *m->edition->error ? PMDA_FETCH_NOVALUES : PMDA_FETCH_STATIC;
	case ITEM_SLOW:
		atom->ull = m->slow / 1000;
		return has_slow(m) ? PMDA_FETCH_STATIC : PMDA_FETCH_NOVALUES;
	case ITEM_EVERY:
		atom->ul = m->every;
		return has_every(m) ? PMDA_FETCH_STATIC : PMDA_FETCH_NOVALUES;
	case ITEM_FOCUS:
		atom->cp = m->focus.text;
		return has_every(m) ? PMDA_FETCH_STATIC : PMDA_FETCH_NOVALUES;
	case ITEM_ON_DEMAND:
		atom->ul = m->edition->settings.demand;
		break;
	default:
		return counter_value(m, item, atom);
	}
	return PMDA_FETCH_STATIC;
}

static int store_every(struct module *m, uint32_t every)
{
	if (!has_every(m))
		return PM_ERR_INST;
	if (every > MODULE_MOST_EVERY)
		return PM_ERR_BADSTORE;
	m->every = every;
	if (m->now.memory.every)
		*m->now.memory.every = every;
	return 0;
}

static int store_focus(struct module *m, const char *text)
{
	if (!has_every(m))
		return PM_ERR_INST;
	if (!focus_set(&m->focus, text))
		return PM_ERR_BADSTORE;
	if (m->now.memory.focus)
		*m->now.memory.focus = m->focus.of;
	return 0;
}

int status_store(const struct agent *a, unsigned int item, unsigned int inst,
		 const pmAtomValue *atom)
{
	void *found;
	struct module *m;

	if (pmdaCacheLookup(a->module_indom, inst, NULL, &found) != PMDA_CACHE_ACTIVE)
		return PM_ERR_INST;
	m = found;
	if (item == ITEM_EVERY)
		return store_every(m, atom->ul);
	if (item == ITEM_FOCUS)
		return store_focus(m, atom->cp);
	if (item != ITEM_SLOW)
		return PM_ERR_PERMISSION;
	if (!has_slow(m))
		return PM_ERR_INST;
	if (atom->ull > MOST_SLOW)
		return PM_ERR_BADSTORE;
	exports_set_slow(m, atom->ull * 1000);
	return 0;
}
