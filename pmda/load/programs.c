// SPDX-License-Identifier: GPL-2.0-or-later
/* A module's BPF programs: attaching and counting. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host.h"
#include "kprobe_missed.h"
#include "lib/clock.h"
#include "lib/xalloc.h"
#include "maps.h"
#include "probes.h"
#include "programs.h"

/* The inode number of the initial PID namespace: PROC_PID_INIT_INO in include/linux/proc_ns.h. */
#define PID_NAMESPACE 0xEFFFFFFC

/* Add to *runs the runs that the kprobe programs have counted. False: they cannot be read. */
static bool read_runs(const struct bpf_object *object, uint64_t *runs)
{
	int map = bpf_object__find_map_fd_by_name(object, "estat_runs");
	unsigned int cpus = host_cpus();
	uint64_t *by_cpu = xalloc(calloc(cpus + 1, sizeof(*by_cpu)));
	bool is_known = map >= 0 && cpus && !bpf_map_lookup_elem(map, &(uint32_t){ 0 }, by_cpu);

	for (unsigned int i = 0; i < cpus; i++)
		*runs += by_cpu[i];
	free(by_cpu);
	return is_known;
}

/*
 * *unrun: hits of the module's kprobes less runs of their BPF programs. Hits are read first, so a
 * hit between the two readings makes *unrun too low, until the next call. False: not known.
 */
static bool read_unrun_hits(const struct module *m, int64_t *unrun)
{
	uint64_t hits = 0, runs = 0;
	struct bpf_program *p;
	unsigned int n = 0;
	bool any = false;

	if (!m->links)
		return false;
	bpf_object__for_each_program (p, m->object) {
		struct bpf_link *link = m->links[n++];

		if (!link || !probes_count_runs(m->object, p))
			continue;
		if (!kprobe_missed_hits(bpf_link__fd(link), &hits))
			return false;
		any = true;
	}
	if (!any)
		return false;
	if (!read_runs(m->object, &runs))
		return false;
	*unrun = hits - runs;
	return true;
}

/* Begin to compare hits of kprobes with runs of their BPF programs. New kprobes have 0 hits. */
static void watch_kprobes(struct module *m)
{
	m->kprobe_missed_known = read_unrun_hits(m, &m->unrun_hits);
}

uint64_t programs_kprobe_missed(struct module *m)
{
	int64_t unrun, again;

	if (!m->kprobe_missed_known || !read_unrun_hits(m, &unrun) || unrun <= m->unrun_hits)
		return m->kprobe_missed;
	/* a kprobe that was just hit may not have run its BPF program yet */
	usleep(1000);
	if (!read_unrun_hits(m, &again))
		return m->kprobe_missed;
	if (again < unrun)
		unrun = again;
	if (unrun > m->unrun_hits) {
		m->kprobe_missed += unrun - m->unrun_hits;
		m->unrun_hits = unrun;
	}
	return m->kprobe_missed;
}

void programs_free_links(struct bpf_link **links, unsigned int n)
{
	for (unsigned int i = 0; links && i < n; i++)
		bpf_link__destroy(links[i]);
	free(links);
}

bool programs_detach_some(struct module *m, uint64_t ns)
{
	uint64_t begun = clock_now();
	unsigned int i;

	programs_kprobe_missed(m);
	for (i = 0; m->nprograms && i < m->nlinks; i++) {
		if (!m->links[i])
			continue;
		bpf_link__destroy(m->links[i]);
		m->links[i] = NULL;
		m->nprograms--;
		if (clock_now() - begun > ns)
			break;
	}
	return !m->nprograms;
}

void programs_detach(struct module *m)
{
	programs_kprobe_missed(m);
	programs_free_links(m->links, m->nlinks);
	m->links = NULL;
	m->nprograms = 0;
}

static unsigned int count_programs(const struct bpf_object *object)
{
	struct bpf_program *p;
	unsigned int n = 0;

	bpf_object__for_each_program (p, object)
		n++;
	return n;
}

/* From now on let only kprobe, or only fentry programs count new calls; see bpf/probe.bpf.h. */
static void choose_entries(const struct module *m)
{
	uint32_t *kprobes = maps_variable(m, "estat_by_kprobes", sizeof(*kprobes));

	if (kprobes)
		__atomic_store_n(kprobes, m->kprobes, __ATOMIC_SEQ_CST);
}

/* Void the operations that began so far: they may have ended while the module was detached. */
static void note_attached(const struct module *m)
{
	uint64_t *attached = maps_variable(m, "estat_attached", sizeof(*attached));

	if (attached)
		__atomic_store_n(attached, clock_now(), __ATOMIC_SEQ_CST);
}

/* Detach the old object's BPF program with the name of `p`, so that no event counts twice. */
static void detach_namesake(const struct bpf_program *p, struct bpf_object *object,
			    struct bpf_link **links)
{
	struct bpf_program *other;
	unsigned int n = 0;

	bpf_object__for_each_program (other, object) {
		if (links[n] && !strcmp(bpf_program__name(other), bpf_program__name(p))) {
			bpf_link__destroy(links[n]);
			links[n] = NULL;
		}
		n++;
	}
}

/* Attach chosen BPF programs not yet attached. Returns 0, 1 after `ns` nanoseconds, or -errno. */
static int attach(struct module *m, struct bpf_object *old, struct bpf_link **links, uint64_t ns)
{
	uint64_t begun = clock_now();
	struct bpf_program *p;
	unsigned int i = 0;

	m->nprograms = 0;
	bpf_object__for_each_program (p, m->object) {
		unsigned int n = i++;

		if (!bpf_program__autoload(p))
			continue;
		if (links)
			detach_namesake(p, old, links);
		if (!m->links[n] && clock_now() - begun > ns)
			return 1;
		if (!m->links[n])
			m->links[n] = bpf_program__attach(p);
		if (!m->links[n])
			return -errno;
		m->nprograms++;
	}
	return 0;
}

static void begin_links(struct module *m, bool fresh)
{
	m->nlinks = count_programs(m->object);
	m->links = xalloc(calloc(m->nlinks, sizeof(*m->links)));
	/* after a replacement new BPF programs see the end of calls that old ones saw begin */
	if (fresh)
		note_attached(m);
}

int programs_attach(struct module *m, struct bpf_object *old, struct bpf_link **links, uint64_t ns)
{
	int err;

	if (!m->links)
		begin_links(m, !links);
	err = attach(m, old, links, ns);
	if (err < 0)
		programs_detach(m);
	if (err)
		return err;
	choose_entries(m);
	watch_kprobes(m);
	return 0;
}

int programs_attach_again(struct module *m)
{
	int err = m->links ? attach(m, NULL, NULL, UINT64_MAX) : 0;

	if (!err)
		watch_kprobes(m);
	return err;
}

void programs_types(const struct module *m, char *text, size_t size)
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
		if (!memmem(text, n, section, length) && n < size)
			n += snprintf(text + n, size - n, "%s%.*s", n ? " " : "", length, section);
	}
}

void programs_count(const struct bpf_object *object, bool kprobe_missed_known,
		    struct module_counters *counters)
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
		/* since Linux 6.7 recursion_misses counts missed kprobes, too */
		if (info.recursion_misses && !probes_end_calls(object, p) &&
		    !(kprobe_missed_known && probes_count_runs(object, p)))
			counters->missed += info.recursion_misses;
	}
}

/* Take a call off the map of calls under way if its thread has ended: it cannot return any more. */
static void forget_dead(struct module *m, int calls, const struct estat_call_key *key)
{
	if (kill((pid_t)key->thread, 0) && errno == ESRCH && !bpf_map_delete_elem(calls, key))
		m->lost_returns++;
}

/* Is the agent in the initial PID namespace? In others, all threads would seem to have ended. */
static bool sees_threads(void)
{
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino == PID_NAMESPACE;
}

/* The keys of *n calls under way, at most `most`; the caller frees the array. */
static struct estat_call_key *list_calls(int calls, unsigned int most, unsigned int *n)
{
	struct estat_call_key *keys = xalloc(calloc(most, sizeof(*keys)));

	*n = 0;
	while (*n < most && !bpf_map_get_next_key(calls, *n ? &keys[*n - 1] : NULL, &keys[*n]))
		++*n;
	return keys;
}

/* List all calls before deleting any: after a deletion a walk may begin at the start again. */
static void forget_all_dead(struct module *m, int calls, unsigned int most)
{
	unsigned int n;
	struct estat_call_key *keys = list_calls(calls, most, &n);

	while (n-- > 0)
		forget_dead(m, calls, &keys[n]);
	free(keys);
}

uint64_t programs_missed_returns(struct module *m)
{
	const struct bpf_map *calls =
		m->object ? bpf_object__find_map_by_name(m->object, "estat_calls") : NULL;

	if (calls && sees_threads())
		forget_all_dead(m, bpf_map__fd(calls), bpf_map__max_entries(calls));
	return m->lost_returns;
}

uint64_t programs_calls(const struct module *m)
{
	const struct bpf_map *calls =
		m->object ? bpf_object__find_map_by_name(m->object, "estat_calls") : NULL;
	unsigned int n = 0;

	if (calls)
		free(list_calls(bpf_map__fd(calls), bpf_map__max_entries(calls), &n));
	return n;
}

void programs_counters(const struct module *m, struct module_counters *counters)
{
	*counters = m->past;
	if (!m->object)
		return;
	programs_count(m->object, m->kprobe_missed_known, counters);
	counters->missed += *m->missed;
	for (unsigned int i = 0; i < m->schema->ntables; i++)
		counters->dropped += m->maps[i].state->dropped;
}
