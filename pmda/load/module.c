// SPDX-License-Identifier: GPL-2.0-or-later
/* A module's status as text, its error, and for how long it has been attached. */
#include <pcp/pmapi.h>
#include <stdarg.h>
#include <stdio.h>

#include "lib/clock.h"
#include "module.h"

const char *module_status_name(const struct module *m)
{
	static const char *const names[] = {
		[MODULE_RUNNING] = "running",
		[MODULE_OFF] = "off",
		[MODULE_WAITING] = "waiting",
		[MODULE_FAILED] = "failed",
	};

	if (m->status == MODULE_RUNNING && *m->liveness.error)
		return "blind";
	return names[m->status];
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

bool module_is_attached(const struct module *m)
{
	return m->attached_since;
}

uint64_t module_attached(const struct module *m)
{
	return m->attached_for + (m->attached_since ? clock_now() - m->attached_since : 0);
}

bool module_owns_name(const struct module *m)
{
	return m->schema && !m->clashes;
}
