// SPDX-License-Identifier: GPL-2.0-or-later
/* A module's state as text, and for how long it has been attached. */
#include "lib/clock.h"
#include "module.h"

const char *module_status_name(const struct module *m)
{
	static const char *const names[] = {
		[MODULE_NEW] = "off",
		[MODULE_OFF] = "off",
		[MODULE_WAITING] = "waiting",
		[MODULE_FAILED] = "failed",
	};

	if (!module_runs(m))
		return names[m->state];
	return *m->liveness.error || m->switched_off.blinds ? "blind" : "running";
}

bool module_is_attached(const struct module *m)
{
	return m->history.attached_since;
}

uint64_t module_attached(const struct module *m)
{
	const struct history *h = &m->history;

	return h->attached_for + (h->attached_since ? clock_now() - h->attached_since : 0);
}

bool module_owns_name(const struct module *m)
{
	return m->edition->schema && !m->edition->clashes && !m->wish.gone;
}
