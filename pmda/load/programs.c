// SPDX-License-Identifier: GPL-2.0-or-later
/* Attaches a module's BPF programs, and reads how often they ran and what they missed. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "clocks.h"
#include "held.h"
#include "host.h"
#include "kprobe_missed.h"
#include "lib/clock.h"
#include "lib/xalloc.h"
#include "maps.h"
#include "probes.h"
#include "programs.h"

/* The inode number of the initial PID namespace: PROC_PID_INIT_INO in include/linux/proc_ns.h. */
#define PID_NAMESPACE 0xEFFFFFFC

/*
 * A walk runs the BPF program estat_walk again and again until it has seen all operations under
 * way. The walk ends early after 20 ms of CPU time, or after 200 ms of elapsed time, for which a
 * client of pmcd can wait. Elapsed time has the longer limit, because other processes can keep the
 * CPUs busy while operations hang. Neither limit holds for the first WALK_RUNS runs. Else a walk
 * could end too early on a busy host, where the agent waits for a CPU, and in a virtual machine,
 * which can count as CPU time what its host gave to others. WALK_RUNS runs are enough for the
 * largest table of operations under way, and take 30 ms at most.
 */
#define WALK_CPU       (CLOCKS_PER_SEC / 50)
#define WALK_LATEST_NS UINT64_C(200000000)
#define WALK_RUNS      32

/*
 * Add to *runs what the kprobe programs have counted in estat_runs. False: the map cannot be read.
 */
static bool read_runs(const struct held *held, uint64_t *runs)
{
	int map = held_map_fd(held, "estat_runs");
	unsigned int cpus = host_cpus();
	uint64_t *by_cpu = xalloc(calloc(cpus + 1, sizeof(*by_cpu)));
	bool is_known = map >= 0 && cpus && !bpf_map_lookup_elem(map, &(uint32_t){ 0 }, by_cpu);

	for (unsigned int i = 0; i < cpus; i++)
		*runs += by_cpu[i];
	free(by_cpu);
	return is_known;
}

/*
 * Set *unrun to the hits of kprobes less the runs of their BPF programs (probes_count_runs()). A
 * hit whose BPF program has not run yet makes *unrun too high. A hit and its run that fall between
 * the reading of hits and the reading of runs make *unrun too low. False: not known.
 */
static bool read_unrun_hits(const struct loaded *l, int64_t *unrun)
{
	uint64_t hits = 0, runs = 0;
	bool any = false;

	if (!l->programs.links)
		return false;
	for (unsigned int i = 0; i < l->held.nprograms; i++) {
		struct bpf_link *link = l->programs.links[i];

		if (!link || !l->held.programs[i].counts_runs)
			continue;
		if (!kprobe_missed_hits(bpf_link__fd(link), &hits))
			return false;
		any = true;
	}
	if (!any)
		return false;
	if (!read_runs(&l->held, &runs))
		return false;
	*unrun = hits - runs;
	return true;
}

/* Begin to compare hits of kprobes with runs of their BPF programs. */
static void watch_kprobes(struct loaded *l)
{
	l->programs.kprobe_missed_known = read_unrun_hits(l, &l->programs.unrun_hits);
}

uint64_t programs_kprobe_missed(struct loaded *l)
{
	int64_t unrun, again;

	if (!l->programs.kprobe_missed_known || !read_unrun_hits(l, &unrun) ||
	    unrun <= l->programs.unrun_hits)
		return l->programs.kprobe_missed;
	/* wait for BPF programs of kprobes that were hit just now */
	usleep(1000);
	if (!read_unrun_hits(l, &again))
		return l->programs.kprobe_missed;
	if (again < unrun)
		unrun = again;
	if (unrun > l->programs.unrun_hits) {
		l->programs.kprobe_missed += unrun - l->programs.unrun_hits;
		l->programs.unrun_hits = unrun;
	}
	return l->programs.kprobe_missed;
}

unsigned int programs_attached(const struct loaded *l)
{
	unsigned int attached = 0, programs = l->programs.n - l->programs.clocks;
	bool clocks = false;

	for (unsigned int i = 0; l->programs.links && i < l->programs.n; i++)
		if (i < programs)
			attached += l->programs.links[i] != NULL;
		else
			clocks |= l->programs.links[i] != NULL;
	return attached + clocks;
}

bool programs_detach(struct loaded *l, uint64_t ns)
{
	uint64_t begun = clock_now();

	programs_kprobe_missed(l);
	for (unsigned int i = 0; programs_attached(l); i++) {
		bpf_link__destroy(l->programs.links[i]);
		l->programs.links[i] = NULL;
		if (clock_now() - begun > ns)
			break;
	}
	if (programs_attached(l))
		return false;
	free(l->programs.links);
	free(l->programs.clocked);
	l->programs.links = NULL;
	l->programs.clocked = NULL;
	return true;
}

bool programs_are_all_attached(const struct loaded *l)
{
	for (unsigned int i = 0; l->programs.links && i < l->held.nprograms; i++) {
		const struct held_program *p = &l->held.programs[i];

		if (p->probes && !p->clock && !l->programs.links[i])
			return false;
	}
	return true;
}

/* Let only kprobe, or only fentry, programs count new calls, in probes that can use either kind. */
static void choose_entries(const struct loaded *l, bool by_kprobes)
{
	uint32_t *kprobes = maps_variable(l, "estat_by_kprobes", sizeof(*kprobes));

	if (kprobes)
		__atomic_store_n(kprobes, by_kprobes, __ATOMIC_SEQ_CST);
}

/* Set a variable of the BPF programs, estat_attached or estat_attached_last, to the time now. */
static void note_time(const struct loaded *l, const char *variable)
{
	uint64_t *attached = maps_variable(l, variable, sizeof(*attached));

	if (attached)
		__atomic_store_n(attached, clock_now(), __ATOMIC_SEQ_CST);
}

/* Detach the BPF program of `from` that has the name of `p`, so that no event counts twice. */
static void detach_namesake(const struct bpf_program *p, struct loaded *from)
{
	for (unsigned int i = 0; i < from->held.nprograms; i++) {
		struct bpf_link **link = &from->programs.links[i];

		if (*link && !strcmp(from->held.programs[i].name, bpf_program__name(p))) {
			bpf_link__destroy(*link);
			*link = NULL;
		}
	}
}

/*
 * Run the BPF program of a walk until the walk ends. Returns the flags (ESTAT_WALK_*) of all runs,
 * and ESTAT_WALK_PARTIAL if a limit or an error has ended the walk.
 */
static uint32_t run_walk(const struct held_program *p, uint64_t time)
{
	uint64_t arguments[] = { 0, time, clock_raw_ahead() };
	uint64_t latest = clock_now() + WALK_LATEST_NS;
	clock_t end = clock() + WALK_CPU;
	uint32_t flags = 0, runs = 0;
	LIBBPF_OPTS(bpf_test_run_opts, options, .ctx_in = arguments,
		    .ctx_size_in = sizeof(arguments));

	do {
		if ((runs++ >= WALK_RUNS && (clock() > end || clock_now() > latest)) ||
		    bpf_prog_test_run_opts(p->fd, &options))
			return flags | ESTAT_WALK_PARTIAL;
		flags |= options.retval;
		arguments[0] += ESTAT_WALK_STEP;
	} while (!(flags & ESTAT_WALK_END));
	return flags;
}

void programs_walk(struct loaded *l, uint64_t time)
{
	const struct held_program *p = NULL;

	if (l->programs.walk == time)
		return;
	if (programs_attached(l))
		p = held_program(&l->held, "estat_walk");
	if (p)
		/* forget calls whose thread has ended, because they are not under way */
		programs_missed_returns(l);
	l->programs.partial_walk = p && run_walk(p, time) & ESTAT_WALK_PARTIAL;
	l->programs.partial_walks += l->programs.partial_walk;
	l->programs.walk = p ? time : 0;
}

static int attach_clocks(struct loaded *l, struct loaded *from)
{
	unsigned int clocks = l->programs.clocks;

	for (unsigned int i = from ? from->programs.n - from->programs.clocks : 0;
	     from && i < from->programs.n; i++) {
		bpf_link__destroy(from->programs.links[i]);
		from->programs.links[i] = NULL;
	}
	return clocks ? clocks_attach(l, l->programs.links + l->programs.n - clocks) : 0;
}

void programs_keep_clocks(struct loaded *l)
{
	if (l->programs.clocks && programs_attached(l))
		attach_clocks(l, NULL);
}

void programs_last_walk(struct loaded *l)
{
	const struct held_program *p = held_program(&l->held, "estat_walk");

	if (p)
		run_walk(p, 0);
}

static struct bpf_link *attach_program(const struct bpf_program *p)
{
	const char *function;
	bool returns;

	if (!probes_is_multi(p, &returns, &function))
		return bpf_program__attach(p);

	/*
	 * with a pattern in the place of .syms, libbpf before 1.7 would read a list of all
	 * functions for each BPF program
	 */
	LIBBPF_OPTS(bpf_kprobe_multi_opts, options, .syms = &function, .cnt = 1,
		    .retprobe = returns);
	return bpf_program__attach_kprobe_multi_opts(p, NULL, &options);
}

/*
 * Attach chosen BPF programs that are not attached yet, until `ns` nanoseconds have passed. Returns
 * what programs_attach() shall return.
 */
static int attach(struct loaded *l, struct loaded *from, uint64_t ns)
{
	uint64_t begun = clock_now();
	struct bpf_program *p;
	unsigned int i = 0;

	bpf_object__for_each_program (p, l->object) {
		struct bpf_link **link = &l->programs.links[i];

		if (!bpf_program__autoload(p))
			continue;
		i++;
		if (!probes_is_attached(p) || *link || clocks_run(p))
			continue;
		if (clock_now() - begun > ns)
			return 1;
		if (from)
			detach_namesake(p, from);
		*link = attach_program(p);
		if (!*link)
			return -errno;
		if (!from || l->restores)
			note_time(l, "estat_attached_last");
	}
	return attach_clocks(l, from);
}

/*
 * Prepare to attach `l`. Until all of `l` are attached, probes that can use kprobe or fentry
 * programs count new calls only by the kind that `from` uses; without `from`, they count none.
 */
static void begin_links(struct loaded *l, const struct loaded *from)
{
	l->programs.clocks = clocks_links(l->object);
	l->programs.n = l->held.nprograms + l->programs.clocks;
	l->programs.links = xalloc(calloc(l->programs.n, sizeof(*l->programs.links)));
	l->programs.clocked = xalloc(calloc(l->programs.clocks + 1, sizeof(*l->programs.clocked)));
	choose_entries(l, from ? from->programs.kprobes : !l->programs.kprobes);
	/*
	 * What maps keep of operations that began before now does not count, because the operations
	 * may have ended while the module was detached. If `l` replaces `from`, what maps keep
	 * counts, because the module was not detached.
	 */
	if (!from)
		note_time(l, "estat_attached");
}

int programs_attach(struct loaded *l, struct loaded *from, uint64_t ns)
{
	int err;

	if (from && !from->programs.links)
		from = NULL;
	if (from) /* count the missed events of `from` while its kprobes still exist */
		programs_kprobe_missed(from);
	if (!l->programs.links)
		begin_links(l, from);
	err = attach(l, from, ns);
	if (err < 0)
		programs_detach(l, UINT64_MAX);
	if (err)
		return err;
	if (from)
		choose_entries(from, l->programs.kprobes);
	choose_entries(l, l->programs.kprobes);
	/*
	 * programs_attach() is called again while `from` is being detached: do not call
	 * watch_kprobes() again, because the misses since its first call would not count
	 */
	if (!from || !l->programs.kprobe_missed_known)
		watch_kprobes(l);
	return 0;
}

/* Has an attached program with a number below `i` the same type as the program with number `i`? */
static bool is_named(const struct held *h, unsigned int i)
{
	size_t length = strcspn(h->programs[i].section, "/") + 1;

	for (unsigned int k = 0; k < i; k++)
		if (h->programs[k].probes &&
		    !strncmp(h->programs[k].section, h->programs[i].section, length))
			return true;
	return false;
}

void programs_types(const struct loaded *l, char *text, size_t size)
{
	size_t n = 0;

	*text = '\0';
	if (!programs_attached(l))
		return;
	for (unsigned int i = 0; i < l->held.nprograms; i++) {
		const char *section = l->held.programs[i].section;

		if (l->held.programs[i].probes && !is_named(&l->held, i) && n < size)
			n += snprintf(text + n, size - n, "%s%.*s", n ? " " : "",
				      (int)strcspn(section, "/"), section);
	}
}

/*
 * Add the partial walks, and what the kernel counts of the BPF programs: runs, run time and misses.
 */
static void add_programs(const struct loaded *l, struct module_counters *counters)
{
	counters->partial_walks += l->programs.partial_walks;
	for (unsigned int i = 0; i < l->held.nprograms; i++) {
		const struct held_program *p = &l->held.programs[i];
		struct bpf_prog_info info = {};
		uint32_t size = sizeof(info);

		if (!p->probes || bpf_obj_get_info_by_fd(p->fd, &info, &size))
			continue;
		counters->runs += info.run_cnt;
		counters->run_time += info.run_time_ns;
		/*
		 * count no miss twice: a call whose end was skipped counts as missed later
		 * (probes_end_calls()), and since Linux 6.7 recursion_misses includes hits of
		 * kprobes that ran no BPF program, which programs_kprobe_missed() counts
		 */
		if (info.recursion_misses && !p->ends_calls &&
		    !(l->programs.kprobe_missed_known && p->counts_runs))
			counters->missed += info.recursion_misses;
	}
}

/*
 * If the thread of the call `key` has ended, delete the call from the map `calls`, because such a
 * call never returns.
 */
static void forget_dead(struct loaded *l, int calls, const struct estat_call_key *key)
{
	if (kill((pid_t)key->thread, 0) && errno == ESRCH && !bpf_map_delete_elem(calls, key))
		l->programs.lost_returns++;
}

/*
 * Is the agent in the initial PID namespace? In another PID namespace the agent would see no thread
 * of the rest of the host, as if those threads had ended.
 */
static bool sees_threads(void)
{
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino == PID_NAMESPACE;
}

/* An array, to be freed, of keys in the map `calls`, at most `most`. Sets *n to their number. */
static struct estat_call_key *list_calls(int calls, unsigned int most, unsigned int *n)
{
	struct estat_call_key *keys = xalloc(calloc(most, sizeof(*keys)));

	*n = 0;
	while (*n < most && !bpf_map_get_next_key(calls, *n ? &keys[*n - 1] : NULL, &keys[*n]))
		++*n;
	return keys;
}

/*
 * Delete the calls whose thread has ended. List all calls first, because an iteration may begin
 * again after a deletion.
 */
static void forget_all_dead(struct loaded *l, int calls, unsigned int most)
{
	unsigned int n;
	struct estat_call_key *keys = list_calls(calls, most, &n);

	while (n-- > 0)
		forget_dead(l, calls, &keys[n]);
	free(keys);
}

uint64_t programs_missed_returns(struct loaded *l)
{
	const struct held_map *calls = held_map(&l->held, "estat_calls");

	if (calls && sees_threads())
		forget_all_dead(l, calls->fd, calls->max_entries);
	return l->programs.lost_returns;
}

uint64_t programs_calls(const struct loaded *l)
{
	const struct held_map *calls = held_map(&l->held, "estat_calls");
	unsigned int n = 0;

	if (calls)
		free(list_calls(calls->fd, calls->max_entries, &n));
	return n;
}

/* Add to *counters what BPF programs have counted in variables of .bss. */
static void add_memory(const struct loaded *l, struct module_counters *counters)
{
	counters->missed += *l->memory.missed;
	counters->withheld += l->memory.slow ? l->memory.slow->withheld : 0;
	for (unsigned int i = 0; i < l->edition->schema->ntables; i++)
		counters->dropped += l->memory.maps[i].state->dropped;
}

void programs_counters(const struct loaded *l, struct module_counters *counters)
{
	if (!loaded_is_there(l))
		return;
	add_programs(l, counters);
	add_memory(l, counters);
}

void programs_retire(struct loaded *l, bool maps, struct module_counters *counters)
{
	struct programs *p = &l->programs;

	if (!loaded_is_there(l))
		return;
	add_programs(l, counters);
	counters->missed += p->kprobe_missed + p->lost_returns;
	if (maps)
		add_memory(l, counters);
	p->kprobe_missed_known = false;
	p->kprobe_missed = p->lost_returns = p->partial_walks = p->walk = 0;
}
