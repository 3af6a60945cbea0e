// SPDX-License-Identifier: GPL-2.0-or-later
/* Chooses which BPF programs of a module's probes are loaded. */
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "kallsyms.h"
#include "kernel.h"
#include "kernel_btf.h"
#include "kprobe_missed.h"
#include "probes.h"
#include "schema/rodata.h"

static bool begins(const struct bpf_program *p, const char *type)
{
	return !strncmp(bpf_program__section_name(p), type, strlen(type));
}

static bool is_kprobe(const struct bpf_program *p)
{
	return begins(p, "kprobe/") || begins(p, "kretprobe/");
}

static bool is_multi(const struct bpf_program *p)
{
	return begins(p, "kprobe.multi/") || begins(p, "kretprobe.multi/");
}

static bool is_return(const struct bpf_program *p)
{
	return begins(p, "fexit/") || begins(p, "kretprobe/") || begins(p, "kretprobe.multi/");
}

/* The function that the BPF program probes; NULL: it probes no function. */
static const char *function_of(const struct bpf_program *p)
{
	if (!is_kprobe(p) && !is_multi(p) && !begins(p, "fentry/") && !begins(p, "fexit/"))
		return NULL;
	return strchr(bpf_program__section_name(p), '/') + 1;
}

/* The probe of a BPF program; NULL: no macro of probe.bpf.h or frames.bpf.h made the program. */
static struct estat_probe *probe_of(const struct bpf_object *object, const struct bpf_program *p)
{
	const char *program = bpf_program__name(p), *end = strrchr(program, '_');
	char name[256];

	if (!end)
		return NULL;
	snprintf(name, sizeof(name), "%.*s_probe", (int)(end - program), program);
	return RODATA(object, name, struct estat_probe);
}

static bool names(const struct estat_functions *f, const char *function)
{
	for (unsigned int i = 0; i < ESTAT_FUNCTIONS; i++)
		if (!strcmp(f->names[i], function))
			return true;
	return false;
}

/*
 * The functions of the ESTAT_OPTIONAL or ESTAT_INSTEAD that has `function` among them; NULL: there
 * is none. `prefix`: RODATA_OPTIONAL or RODATA_INSTEAD.
 */
static const struct estat_functions *declared(const struct bpf_object *object, const char *prefix,
					      const char *function)
{
	const struct estat_functions *f;

	for (unsigned int i = 0; (f = rodata_functions(object, prefix, i)); i++)
		if (names(f, function))
			return f;
	return NULL;
}

bool probes_have_kprobes(const struct bpf_object *object)
{
	struct bpf_program *p;

	bpf_object__for_each_program (p, object)
		if (is_kprobe(p) && probe_of(object, p))
			return true;
	return false;
}

bool probes_have_multi(const struct bpf_object *object)
{
	struct bpf_program *p;

	bpf_object__for_each_program (p, object)
		if (is_multi(p))
			return true;
	return false;
}

/*
 * A function of Linux 6.14 and later, where kretprobe.multi keeps a call on its thread's shadow
 * stack, and so follows calls of any number of threads.
 */
#define SHADOW_STACK "fprobe_return"

bool probes_can_be_multi(void)
{
	return kallsyms_is_function(SHADOW_STACK);
}

bool probes_is_multi(const struct bpf_program *p, bool *returns, const char **function)
{
	*returns = is_return(p);
	*function = function_of(p);
	return is_multi(p);
}

void probes_want_symbols(const struct bpf_object *object)
{
	const struct estat_functions *f;
	struct bpf_program *p;
	const char *symbol;

	/*
	 * no BPF program probes these functions, but maps.c, fits() and probes_can_be_multi() ask
	 * whether the kernel has them, to know what the kernel can do
	 */
	kallsyms_want("bpf_mem_alloc_init");
	kallsyms_want("bpf_prog_inc_misses_counter");
	kallsyms_want("get_func_ret");
	kallsyms_want(SHADOW_STACK);
	kernel_btf_want(object);
	for (unsigned int i = 0; (f = rodata_functions(object, RODATA_OPTIONAL, i)); i++)
		for (unsigned int j = 0; j < ESTAT_FUNCTIONS; j++)
			kallsyms_want(f->names[j]);
	bpf_object__for_each_program (p, object)
		if (probes_count_runs(object, p))
			kprobe_missed_want();
	for (unsigned int i = 0; rodata_prefixed(object, RODATA_ADDRESS, i, 8, &symbol); i++)
		kallsyms_want(symbol);
}

/* May fentry be used at functions of more than six arguments? Only on x86, since Linux 6.6. */
static bool takes_many_arguments(void)
{
#if defined(__x86_64__)
	/* Linux 6.6 has commit 473e3150e30a "bpf, x86: allow function arguments ..." */
	return !kernel_is_before(6, 6);
#else
	return false;
#endif
}

/* Is the function in the kernel module of ESTAT_ALSO? */
static bool is_of_also(const struct loaded *l, const char *function)
{
	const char *owner = l->edition->also ? kallsyms_module(function) : NULL;

	return owner && !strcmp(owner, l->edition->also->needs.module);
}

/*
 * Is `function` the OTHER of an ESTAT_INSTEAD? With kprobes, the entry of OTHER ends calls of other
 * functions.
 */
static bool ends_others(const struct bpf_object *object, const char *function)
{
	char name[ESTAT_FUNCTION_LEN + 16];

	snprintf(name, sizeof(name), RODATA_INSTEAD "%s", function);
	return RODATA(object, name, struct estat_functions);
}

/*
 * The value for probe->by: which kinds of BPF programs may be loaded for the probe. `p` is one of
 * the probe's BPF programs.
 */
static enum estat_probe_by choose_by(const struct loaded *l, const struct estat_probe *probe,
				     const struct bpf_program *p)
{
	const char *function = function_of(p);

	if (probe->by == ESTAT_BY_MULTI)
		return ESTAT_BY_MULTI;
	if (is_return(p) ? !!declared(l->object, RODATA_INSTEAD, function)
			 : ends_others(l->object, function))
		return ESTAT_BY_OTHER;
	if (is_of_also(l, function))
		return ESTAT_BY_KPROBE;
	return probe->nargs <= ESTAT_ARGS || takes_many_arguments() ? ESTAT_BY_EITHER
								    : ESTAT_BY_KPROBE;
}

/*
 * Shall `p` be loaded, if the kernel has what `p` probes? True for at most one BPF program of a
 * probe. Sets probe->by and, for fexit before Linux 5.17, probe->returns.
 */
static bool fits(const struct loaded *l, struct estat_probe *probe, const struct bpf_program *p)
{
	probe->by = choose_by(l, probe, p);
	if (begins(p, "fexit/") && !kallsyms_is_function("get_func_ret"))
		probe->returns = kernel_btf_arguments(p);
	switch (probe->by) {
	case ESTAT_BY_KPROBE:
		return is_kprobe(p);
	/*
	 * ESTAT_INSTEAD: with kprobes, the kprobe program at the entry of OTHER ends a call; else
	 * the fexit program of one of FUNCTIONS ends the call
	 */
	case ESTAT_BY_OTHER:
		return l->programs.kprobes ? begins(p, "kprobe/") : begins(p, "fexit/");
	case ESTAT_BY_MULTI:
		return is_multi(p) == (l->programs.kprobes && probes_can_be_multi());
	}
	return is_kprobe(p) == l->programs.kprobes;
}

/*
 * Add to l->programs.lacks that the module does not measure `lacks`, because the kernel lacks
 * `function`. Adds nothing if l->programs.lacks has the text `lacks` already. `function`: the name
 * of a function; "kprobes"; or "its BTF", where `lacks` names a kernel module without BTF.
 */
static void lack(struct loaded *l, const char *function, const char *lacks)
{
	size_t n = strlen(l->programs.lacks);

	if (!strstr(l->programs.lacks, lacks))
		snprintf(l->programs.lacks + n, sizeof(l->programs.lacks) - n,
			 "%sno %s: the kernel lacks %s", n ? "; " : "", lacks, function);
}

/* The function of f->names to probe: the first that the kernel has, else the last. */
static const char *probed_of(const struct estat_functions *f)
{
	unsigned int i = 0;

	while (!kallsyms_is_function(f->names[i]) && i + 1 < ESTAT_FUNCTIONS && *f->names[i + 1])
		i++;
	return f->names[i];
}

/*
 * What `p` lacks to probe `function`, if the function is in the kernel module of ESTAT_ALSO. To
 * probe such a function, `p` needs kprobes and, if `p` reads arguments, that kernel module's types.
 * If one is missing, the module runs without `p`, and estat.module.error says so. NULL: `p` lacks
 * nothing, or the function is not in that kernel module.
 */
static const char *missing_of_also(const struct loaded *l, const struct bpf_program *p,
				   const char *function)
{
	const struct estat_probe *probe = probe_of(l->object, p);

	if (!probe || !is_of_also(l, function))
		return NULL;
	if (probe->nargs && !l->edition->also->ready)
		return "its BTF";
	return kernel_has_kprobes() ? NULL : "kprobes";
}

/*
 * Shall `p` not be loaded? True if an ESTAT_OPTIONAL names the function that `p` probes, and either
 * probed_of() returns another function of that ESTAT_OPTIONAL, or the kernel lacks what `p` needs
 * and the module can run without `p`.
 */
static bool is_idle(struct loaded *l, const struct bpf_program *p)
{
	const char *function = function_of(p), *probed, *missing;
	const struct estat_functions *f;
	char runs[ESTAT_FUNCTION_LEN];

	if (begins(p, "tp_btf/")) {
		snprintf(runs, sizeof(runs), "__traceiter_%s", bpf_program__section_name(p) + 7);
		function = runs;
	}
	f = function ? declared(l->object, RODATA_OPTIONAL, function) : NULL;
	if (!f)
		return false;
	missing = missing_of_also(l, p, function);
	if (missing) {
		lack(l, missing, l->edition->also->needs.module);
		return true;
	}
	probed = probed_of(f);
	if (!strcmp(f->lacks, ESTAT_REQUIRED))
		return strcmp(probed, function);
	if (kallsyms_is_function(probed)) {
		if (strcmp(probed, function))
			return true;
		if (!*f->lacks || !is_kprobe(p) || kernel_has_kprobes())
			return false;
		function = "kprobes";
	}
	if (*f->lacks)
		lack(l, function, f->lacks);
	return true;
}

/* False: a chosen BPF program needs a kprobe, and the kernel has none; then l->error says so. */
static bool have_probes(struct loaded *l)
{
	struct bpf_program *p;

	bpf_object__for_each_program (p, l->object)
		if (is_kprobe(p) && bpf_program__autoload(p) && !kernel_has_kprobes()) {
			snprintf(l->error, sizeof(l->error),
				 "the kernel has no kprobes (CONFIG_KPROBE_EVENTS)%s",
				 l->edition->settings.fentry == SWITCH_OFF ? ""
									   : " and refuses fentry");
			return false;
		}
	return true;
}

/* Add to l->programs the switches (enum kernel_switch) on which `p` depends, if `p` was chosen. */
static void note_switches(struct loaded *l, const struct bpf_program *p)
{
	const char *function = probes_is_attached(p) ? function_of(p) : NULL;
	const struct estat_functions *f = function ? declared(l->object, RODATA_OPTIONAL, function)
						   : NULL;
	unsigned int switches = is_kprobe(p) ? KERNEL_KPROBES : KERNEL_FTRACE;

	if (!function)
		return;
#if defined(__x86_64__)
	/* a kprobe at a function's entry works by ftrace (CONFIG_KPROBES_ON_FTRACE) */
	switches |= KERNEL_FTRACE;
#endif
	l->programs.switches |= switches;
	if (!f || !strcmp(f->lacks, ESTAT_REQUIRED))
		l->programs.required |= switches;
}

int probes_choose(struct loaded *l)
{
	struct bpf_program *p;

	const uint32_t *hz = RODATA(l->object, "estat_clock_hz", uint32_t);
	uint32_t *no_multi = RODATA(l->object, "estat_no_multi", uint32_t);

	if (no_multi)
		*no_multi = !probes_can_be_multi();
	l->programs.clock_hz = hz ? *hz : 0;
	*l->programs.lacks = '\0';
	l->programs.switches = l->programs.required = 0;
	bpf_object__for_each_program (p, l->object) {
		struct estat_probe *probe = probe_of(l->object, p);

		if (probe)
			bpf_program__set_autoload(p, fits(l, probe, p));
		if (bpf_program__autoload(p) && is_idle(l, p))
			bpf_program__set_autoload(p, false);
		note_switches(l, p);
	}
	return have_probes(l) ? 0 : -EOPNOTSUPP;
}

bool probes_count_runs(const struct bpf_object *object, const struct bpf_program *p)
{
	const struct estat_probe *probe = begins(p, "kprobe/") ? probe_of(object, p) : NULL;

	return probe && probe->by != ESTAT_BY_OTHER;
}

/*
 * Does the object keep calls until they return? It does if it has the map estat_calls, or a BPF
 * program at sched_process_free, which can only be that of an ESTAT_LEFT.
 */
static bool keeps_calls(const struct bpf_object *object)
{
	struct bpf_program *p;

	if (bpf_object__find_map_by_name(object, "estat_calls"))
		return true;
	bpf_object__for_each_program (p, object)
		if (!strcmp(bpf_program__section_name(p), "tp_btf/sched_process_free"))
			return true;
	return false;
}

bool probes_end_calls(const struct bpf_object *object, const struct bpf_program *p)
{
	const struct estat_probe *probe = probe_of(object, p);

	return probe && (probe->by == ESTAT_BY_OTHER ||
			 (probe->by != ESTAT_BY_MULTI && is_return(p) && keeps_calls(object)));
}

bool probes_is_attached(const struct bpf_program *p)
{
	return bpf_program__autoload(p) && strcmp(bpf_program__name(p), "estat_walk");
}
