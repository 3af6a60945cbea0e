// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zwrite: calls of zfs_write, a function of a kernel module that comes and goes
 * under the agent.
 */
#include "return.h"
#include "zfs.h"

ESTAT_MODULE(zwrite, 0);
ESTAT_NEEDS_ZFS;

struct key {
	char command[16];
};

struct value {
	estat_count_t calls ESTAT_HELP("Number of calls");
};

ESTAT_SERIES(zwrite, struct key, struct value, 64, "Calls of zfs_write");

ESTAT_RETURN(zwrite_return, zfs_write, 4)
{
	struct key key = {};
	struct value *v;

	bpf_get_current_comm(key.command, sizeof(key.command));
	v = zwrite_get(&key);
	if (v)
		estat_add(v->calls, 1);
	return 0;
}
