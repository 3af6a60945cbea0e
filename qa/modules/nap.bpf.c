// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nap: counts calls of nanosleep, for tests that change how the function is probed while calls are
 * under way. The kernel module that nap needs is built in.
 */
#include "calls.h"
#include "return.bpf.h"

ESTAT_MODULE(nap, 0);
ESTAT_NEEDS("kernel", "/run/estat-{nap,in-use}");
CALLS(nap, "hrtimer_nanosleep")

ESTAT_CALL(nap_ends, hrtimer_nanosleep, 3, estat_every_call)
{
	return nap_count();
}
