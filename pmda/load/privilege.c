// SPDX-License-Identifier: GPL-2.0-or-later
/* Drops privileges of the agent and of its helper, with libcap-ng. */
#include <cap-ng.h>
#include <pcp/pmapi.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "privilege.h"

void privilege_end(const char *format, ...)
{
	char why[256];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	pmNotifyErr(LOG_CRIT, "privilege: %s", why);
	exit(1);
}

/* Select in libcap-ng those of the wanted capabilities that the process has. */
static void select_capabilities(const unsigned int *wanted, unsigned int n)
{
	int had[2];

	capng_get_caps_process();
	for (unsigned int i = 0; i < n; i++)
		had[i] = capng_have_capability(CAPNG_PERMITTED, wanted[i]);
	capng_clear(CAPNG_SELECT_ALL);
	for (unsigned int i = 0; i < n; i++)
		if (had[i])
			capng_update(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED, wanted[i]);
}

/*
 * Has the process more capabilities than wanted[], or any in its bounding set? The check is needed
 * because libcap-ng does not report all its failures.
 */
static bool has_more(const unsigned int *wanted, unsigned int n)
{
	capng_get_caps_process();
	for (unsigned int c = 0; c <= CAP_LAST_CAP; c++) {
		bool kept = false;

		for (unsigned int i = 0; i < n; i++)
			kept |= wanted[i] == c;
		if (capng_have_capability(CAPNG_BOUNDING_SET, c) ||
		    (!kept && capng_have_capability(CAPNG_PERMITTED, c)))
			return true;
	}
	return false;
}

void privilege_keep(const struct passwd *user, const unsigned int *wanted, unsigned int n)
{
	int sts;

	select_capabilities(wanted, n);
	sts = capng_change_id(user->pw_uid, user->pw_gid,
			      CAPNG_DROP_SUPP_GRP | CAPNG_CLEAR_BOUNDING);
	if (sts)
		privilege_end("cannot become %s: libcap-ng says %d", user->pw_name, sts);
	if (has_more(wanted, n))
		privilege_end("%s still has capabilities that it must not have", user->pw_name);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		privilege_end("no_new_privs: %s", osstrerror());
}

bool privilege_to_load(void)
{
	return capng_have_capability(CAPNG_EFFECTIVE, CAP_BPF) &&
	       capng_have_capability(CAPNG_EFFECTIVE, CAP_PERFMON);
}
