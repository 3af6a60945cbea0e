// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tells whether a step of a module's life cycle is due: because of the module's clients, because
 * kernel modules have changed, or because it is time to repeat a failed step.
 */
#include <bpf/libbpf.h>

#include "due.h"
#include "lib/clock.h"
#include "load/edition.h"
#include "load/kernel.h"
#include "load/loaded.h"
#include "load/probes.h"

bool module_is_read(const struct module *m)
{
	return m->fetched &&
	       (m->state < MODULE_ATTACHED ||
		clock_now() - m->fetched < m->edition->settings.linger * UINT64_C(1000000000));
}

bool module_is_wanted(const struct module *m)
{
	return !m->edition->settings.demand || module_is_read(m);
}

/*
 * fentry and fexit cost less than kprobes, but they need the kernel module's BTF in sysfs, and keep
 * the kernel module from being unloaded. So the agent prefers kprobes, even with `fentry = on`, for
 * a kernel module that is not in use, or whose BTF comes from a file, if the edition has kprobe
 * programs and the kernel has kprobes. If a thread is preempted in a BPF program at fentry, the
 * kernel skips that BPF program for other threads of the CPU. So with `fentry = auto` the agent
 * prefers kprobe.multi (frames.bpf.h) and kprobes if threads can be preempted there, the edition
 * has kprobe.multi programs, and probes_can_be_multi() is true.
 */
bool module_wants_kprobes(const struct edition *e)
{
	if (e->settings.fentry == SWITCH_OFF)
		return true;
	if (e->has_multi && e->settings.fentry == SWITCH_AUTO && kernel_preempts() &&
	    probes_can_be_multi())
		return true;
	return e->has_kprobes && e->kmod && (!e->kmod->in_use || *e->kmod->btf) &&
	       kernel_has_kprobes();
}

bool module_also_changed(const struct module *m)
{
	const struct kmod *also = m->edition->also;

	return also &&
	       (also->loaded != m->now.seen.also_loaded || also->ready != m->now.seen.also_ready);
}

bool module_try_is_due(const struct module *m)
{
	return m->tries.next && clock_now() >= m->tries.next;
}

bool module_must_start(const struct module *m)
{
	const struct kmod *k = m->edition->kmod;

	if (k && (k->loaded != m->now.seen.loaded || k->ready != m->now.seen.ready))
		return true;
	return !module_runs(m) && (m->retry || module_try_is_due(m));
}

bool module_must_probe(const struct module *m)
{
	const struct edition *e = m->edition;

	return loaded_is_there(&m->now) && (m->retry || module_also_changed(m) ||
					    (e->kmod && e->kmod->in_use != m->now.seen.in_use));
}

bool module_awaits_any(const struct module *m)
{
	return module_runs(m) ? m->untyped : m->state == MODULE_WAITING && !m->edition->kmod;
}

void module_retry(struct module *m, bool same)
{
	if (!module_awaits_any(m))
		return;
	if (!same)
		m->retry = RETRY;
	else if (module_runs(m) && !m->retry)
		m->retry = RETRY_LAST;
}
