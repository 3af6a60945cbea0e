// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the agent may do, by libcap-ng.
 */
#include <cap-ng.h>
#include <pcp/pmapi.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "privilege.h"

/* Rather no agent than one with privileges that it does not need. */
static void __attribute__((noreturn, format(printf, 1, 2))) end(const char *format, ...)
{
	char why[256];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	pmNotifyErr(LOG_CRIT, "privilege: %s", why);
	exit(1);
}

/* Make libcap-ng's state those of the wanted capabilities that the process has. */
static void select_capabilities(const unsigned int *wanted, unsigned int n)
{
	int had[5];

	capng_get_caps_process();
	for (unsigned int i = 0; i < n; i++)
		had[i] = capng_have_capability(CAPNG_PERMITTED, wanted[i]);
	capng_clear(CAPNG_SELECT_ALL);
	for (unsigned int i = 0; i < n; i++)
		if (had[i])
			capng_update(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED, wanted[i]);
}

void privilege_start(const char *user)
{
	const unsigned int wanted[] = { CAP_BPF, CAP_PERFMON, CAP_SYS_ADMIN, CAP_SYSLOG,
					CAP_SYS_RESOURCE };
	const struct passwd *who;
	int sts;

	if (geteuid() != 0)
		return;
	who = getpwnam(user);
	if (!who)
		end("no user %s to become", user);
	select_capabilities(wanted, sizeof(wanted) / sizeof(wanted[0]));
	sts = capng_change_id(who->pw_uid, who->pw_gid, CAPNG_DROP_SUPP_GRP | CAPNG_CLEAR_BOUNDING);
	if (sts)
		end("cannot become %s: libcap-ng says %d", user, sts);
}

void privilege_finish(bool again)
{
	const unsigned int modern[] = { CAP_BPF, CAP_PERFMON, CAP_SYS_ADMIN, CAP_SYSLOG };
	const unsigned int old[] = { CAP_SYS_ADMIN };

	if (prctl(PR_CAPBSET_READ, CAP_BPF) < 0) {
		select_capabilities(old, 1);
	} else {
		select_capabilities(modern, again ? 4 : 2);
		if (again)
			capng_updatev(CAPNG_DROP, CAPNG_EFFECTIVE, CAP_SYS_ADMIN, CAP_SYSLOG, -1);
	}
	if (capng_apply(CAPNG_SELECT_CAPS))
		end("cannot drop capabilities: %s", osstrerror());
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		end("no_new_privs: %s", osstrerror());
}

void privilege_raise(void)
{
	const unsigned int wanted[] = { CAP_BPF, CAP_PERFMON, CAP_SYS_ADMIN, CAP_SYSLOG };

	select_capabilities(wanted, 4);
	if (capng_apply(CAPNG_SELECT_CAPS))
		pmNotifyErr(LOG_ERR, "privilege: cannot raise capabilities: %s", osstrerror());
}

void privilege_lower(void)
{
	privilege_finish(capng_have_capability(CAPNG_PERMITTED, CAP_SYS_ADMIN));
}
