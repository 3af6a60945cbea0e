// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Liveness of modules. Every 10 s the agent looks at the evidence files of each attached module
 * that has counted nothing since liveness_begin(). If the files have changed, the agent has the
 * kernel count runs of BPF programs until the next look; not longer, because counting slows all BPF
 * programs of the host. If at that look the files have changed again, and the module has counted
 * nothing, the module is blind. One change proves nothing, because the operation that caused the
 * change may still be under way.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <glob.h>
#include <pcp/pmapi.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <unistd.h>

#include "helper.h"
#include "kernel.h"
#include "lib/xalloc.h"
#include "liveness.h"
#include "table.h"
#include "probes.h"

static uint64_t hash(uint64_t sum, const char *text)
{
	for (; *text; text++)
		sum = sum * 31 + (unsigned char)*text;
	return sum;
}

/* A hash of one line: the last one of the file that matches `lines`; 0: no line matches. */
static uint64_t read_file(const char *path, const regex_t *lines)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	uint64_t last = 0;
	size_t size = 0;

	while (f && getline(&line, &size, f) > 0)
		if (!regexec(lines, line, 0, NULL, 0))
			last = hash(1, line);
	free(line);
	if (f)
		fclose(f);
	return last;
}

static uint64_t read_evidence(const struct estat_evidence *e)
{
	glob_t found = {};
	uint64_t sum = 0;
	regex_t lines;

	if (regcomp(&lines, e->lines, REG_EXTENDED | REG_NOSUB))
		return 0;
	if (!glob(e->files, GLOB_BRACE, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc; i++)
			sum = sum * 31 + read_file(found.gl_pathv[i], &lines);
	globfree(&found);
	regfree(&lines);
	return sum;
}

/* The sum of all words of the slots of a table. */
static uint64_t sum_slots(const struct loaded *l, unsigned int table)
{
	const struct series_maps *maps = &l->memory.maps[table];
	uint32_t size = l->edition->schema->series[table].slot_size;
	size_t n = (size_t)l->memory.shards * size / sizeof(uint64_t);
	uint64_t sum = 0;

	if (!maps->state->taken || !table_mmap(l, table))
		return 0;
	for (uint32_t slot = 0; slot < maps->there; slot++) {
		const void *words = table_slot(&l->memory, maps, size, slot, 0);

		for (size_t i = 0; i < n; i++)
			sum += ((const uint64_t *)words)[i];
	}
	return sum;
}

/* A checksum of all that the module has counted. Each counted event changes the checksum. */
static uint64_t activity(const struct module *m)
{
	const struct memory *memory = &m->now.memory;
	const uint64_t *begun = memory->rings[RING_EVENTS].begun;
	uint64_t sum = (begun ? *begun : 0) + *memory->missed;

	for (unsigned int i = 0; i < m->edition->schema->ntables; i++)
		sum += memory->maps[i].state->taken + memory->maps[i].state->dropped +
		       sum_slots(&m->now, i);
	return sum;
}

static uint64_t runs_of(const struct held_program *p)
{
	struct bpf_prog_info info = {};
	uint32_t size = sizeof(info);

	return bpf_obj_get_info_by_fd(p->fd, &info, &size) ? 0 : info.run_cnt;
}

static void watch_runs(struct module *m)
{
	struct liveness *liveness = &m->liveness;
	const struct held *held = &m->now.held;

	liveness->stats = helper_count_runs();
	liveness->runs = xalloc(calloc(held->nprograms, sizeof(*liveness->runs)));
	for (unsigned int i = 0; i < held->nprograms; i++)
		liveness->runs[i] = runs_of(&held->programs[i]);
}

static void stop_watching(struct module *m)
{
	if (m->liveness.stats >= 0)
		close(m->liveness.stats);
	m->liveness.stats = -1;
	free(m->liveness.runs);
	m->liveness.runs = NULL;
}

static bool lists(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = text; (at = strstr(at, word)); at += n)
		if ((at == text || at[-1] == ' ') && (!at[n] || at[n] == ','))
			return true;
	return false;
}

/*
 * Write the names of functions and tracepoints whose BPF program has not run since watch_runs(),
 * joined by ", ".
 */
static void list_idle(const struct module *m, char *text, size_t size)
{
	for (unsigned int i = 0; i < m->now.held.nprograms; i++) {
		const struct held_program *p = &m->now.held.programs[i];
		const char *function = strchr(p->section, '/');
		size_t n = strlen(text);

		if (!function || runs_of(p) != m->liveness.runs[i] || lists(text, function + 1))
			continue;
		snprintf(text + n, size - n, "%s%s", n ? ", " : "", function + 1);
	}
}

static void complain(struct module *m)
{
	const struct estat_evidence *e = &m->edition->schema->evidence;
	char idle[MODULE_ERROR_LEN / 2] = "";

	if (m->liveness.stats >= 0)
		list_idle(m, idle, sizeof(idle));
	snprintf(m->liveness.error, sizeof(m->liveness.error),
		 "it has counted nothing while %s changed%s%s", e->files,
		 *idle ? ": these probes have not run: " : "", idle);
	pmNotifyErr(LOG_WARNING, "module %s: blind: %s", m->edition->name, m->liveness.error);
}

void liveness_begin(struct module *m)
{
	liveness_end(m);
	if (!*m->edition->schema->evidence.files)
		return;
	m->liveness.wanted = true;
	m->liveness.activity = activity(m);
	m->liveness.evidence = read_evidence(&m->edition->schema->evidence);
}

bool liveness_is_wanted(const struct module *m)
{
	return module_runs(m) && m->liveness.wanted;
}

void liveness_look(struct module *m)
{
	struct liveness *liveness = &m->liveness;
	uint64_t evidence;

	if (m->switched_off.blinds)
		return;
	if (*liveness->error) {
		if (activity(m) != liveness->activity)
			liveness_end(m);
		return;
	}
	evidence = read_evidence(&m->edition->schema->evidence);
	if (activity(m) != liveness->activity) {
		liveness_end(m);
	} else if (evidence == liveness->evidence) {
		stop_watching(m);
	} else if (!liveness->runs) {
		watch_runs(m);
	} else {
		complain(m);
		stop_watching(m);
	}
	liveness->evidence = evidence;
}

void liveness_end(struct module *m)
{
	stop_watching(m);
	m->liveness.wanted = false;
	*m->liveness.error = '\0';
}

void liveness_switches(struct module *m, unsigned int off)
{
	const struct programs *p = &m->now.programs;
	struct switched_off now = { .blinds = off & p->required };

	if (off & p->switches & KERNEL_FTRACE)
		now.why = "functions are not counted: kernel.ftrace_enabled is 0";
	else if (off & p->switches)
		now.why = "functions are not counted: /sys/kernel/debug/kprobes/enabled is 0";
	if (now.why && !m->switched_off.why)
		pmNotifyErr(LOG_WARNING, "module %s: %s", m->edition->name, now.why);
	else if (!now.why && m->switched_off.why)
		pmNotifyErr(LOG_INFO, "module %s: functions are counted again", m->edition->name);
	m->switched_off = now;
}
