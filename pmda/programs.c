// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The programs of a module.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "programs.h"
#include "symbol.h"
#include "types.h"
#include "util.h"

/* The inode of the first PID namespace: include/linux/proc_ns.h, PROC_PID_INIT_INO */
#define PID_NAMESPACE 0xEFFFFFFC

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

bool programs_have_kprobes(const struct bpf_object *object)
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

/*
 * Does fentry take functions of more than six arguments? x86's does since Linux 6.6
 * (473e3150e30a "bpf, x86: allow function arguments up to 12 for TRACING").
 */
static bool takes_wide(void)
{
#if defined(__x86_64__)
	return !kernel_is_before(6, 6);
#else
	return false;
#endif
}

/* Is it for such functions? As its section's name begins with "?" it is not loaded otherwise. */
static bool is_wide(const struct bpf_program *p)
{
	return is_fentry(p) && !bpf_program__autoload(p);
}

/* Is this kprobe's function that of a program for fentry that is loaded? That comes first. */
static bool is_spared(const struct bpf_object *object, const struct bpf_program *kprobe)
{
	const char *function = strchr(bpf_program__section_name(kprobe), '/');
	struct bpf_program *p;

	bpf_object__for_each_program (p, object)
		if (is_fentry(p) && bpf_program__autoload(p) &&
		    !strcmp(strchr(bpf_program__section_name(p), '/'), function))
			return true;
	return false;
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

void programs_want_symbols(const struct bpf_object *object)
{
	struct bpf_program *p;
	const char *symbol;

	types_want(object);
	bpf_object__for_each_program (p, object) {
		const struct estat_function *f = declared(object, p, &symbol);

		if (f && *f->unless)
			symbol_want(f->unless);
	}
	for (unsigned int i = 0; schema_address(object, i, &symbol); i++)
		symbol_want(symbol);
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

void programs_choose(struct module *m)
{
	uint8_t *wide = schema_wide(m->object);
	struct bpf_program *p;

	*m->lacks = '\0';
	if (wide)
		*wide = takes_wide();
	bpf_object__for_each_program (p, m->object) {
		if (is_substitute(p))
			bpf_program__set_autoload(p, m->kprobes);
		else if (is_wide(p))
			bpf_program__set_autoload(p, !m->kprobes && takes_wide());
		else if (is_kprobe(p) && is_spared(m->object, p))
			bpf_program__set_autoload(p, false);
		else if (m->has_kprobes && is_fentry(p))
			bpf_program__set_autoload(p, !m->kprobes);
		if (bpf_program__autoload(p) && is_idle(m, p))
			bpf_program__set_autoload(p, false);
	}
}

void programs_free_links(struct bpf_link **links, unsigned int n)
{
	for (unsigned int i = 0; links && i < n; i++)
		bpf_link__destroy(links[i]);
	free(links);
}

void programs_detach(struct module *m)
{
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

/* From here on calls count that are entered by kprobe, or by fentry; see bpf/probe.h. */
static void choose_entries(const struct module *m)
{
	long offset = schema_variable(m->schema->btf, ".bss", "estat_by_kprobes");

	if (offset >= 0)
		__atomic_store_n((uint32_t *)(m->bss + offset), m->kprobes, __ATOMIC_SEQ_CST);
}

/* Let go of the program of that name in another object, which would count what this one does. */
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

/* Attach those of its programs that are not. */
static int attach(struct module *m, struct bpf_object *former, struct bpf_link **links)
{
	struct bpf_program *p;
	unsigned int i = 0;

	m->nprograms = 0;
	bpf_object__for_each_program (p, m->object) {
		unsigned int n = i++;

		if (!bpf_program__autoload(p))
			continue;
		if (links)
			detach_namesake(p, former, links);
		if (!m->links[n])
			m->links[n] = bpf_program__attach(p);
		if (!m->links[n])
			return -errno;
		m->nprograms++;
	}
	return 0;
}

int programs_attach(struct module *m, struct bpf_object *former, struct bpf_link **links)
{
	int err;

	m->nlinks = count_programs(m->object);
	m->links = or_die(calloc(m->nlinks, sizeof(*m->links)));
	err = attach(m, former, links);
	if (err)
		programs_detach(m);
	else
		choose_entries(m);
	return err;
}

int programs_attach_again(struct module *m)
{
	return m->links ? attach(m, NULL, NULL) : 0;
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
		/* few programs and fewer types: a plain search will do */
		if (!memmem(text, n, section, length) && n < size)
			n += snprintf(text + n, size - n, "%s%.*s", n ? " " : "", length, section);
	}
}

void programs_count(const struct bpf_object *object, struct module_counters *counters)
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

/* Calls that are under way, at most `most`; the keys, to be freed. */
static struct estat_call_key *list_calls(int calls, unsigned int most, unsigned int *n)
{
	struct estat_call_key *keys = or_die(calloc(most, sizeof(*keys)));

	*n = 0;
	while (*n < most && !bpf_map_get_next_key(calls, *n ? &keys[*n - 1] : NULL, &keys[*n]))
		++*n;
	return keys;
}

/* Calls whose thread has ended. All keys first: the walk begins anew after one deleted. */
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
	long offset = schema_variable(m->schema->btf, ".bss", "estat_calls_missed");

	if (!calls || offset < 0 || !m->bss)
		return m->lost_returns;
	if (sees_threads())
		forget_all_dead(m, bpf_map__fd(calls), bpf_map__max_entries(calls));
	return m->lost_returns + *(uint64_t *)(m->bss + offset);
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
