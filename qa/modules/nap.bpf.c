// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nap: calls of nanosleep, long enough to be under way while a test changes how
 * they are probed. What it says it needs is built in.
 */
#include "return.h"

ESTAT_MODULE(nap, 0);
ESTAT_NEEDS("kernel", "/run/estat-{nap,in-use}");

struct key {
	char command[16];
};

struct value {
	estat_count_t calls ESTAT_HELP("Number of calls");
};

ESTAT_SERIES(nap, struct key, struct value, 64, "Calls of hrtimer_nanosleep");

ESTAT_RETURN(nap_ends, hrtimer_nanosleep, 3)
{
	struct key key = {};
	struct value *v;

	bpf_get_current_comm(key.command, sizeof(key.command));
	v = nap_get(&key);
	if (v)
		estat_add(v->calls, 1);
	return 0;
}
