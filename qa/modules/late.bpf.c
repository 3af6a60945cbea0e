// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * late: commands to disks of scsi_debug, a kernel module that a test loads after
 * the agent has started.
 */
#include "probe.h"

ESTAT_MODULE(late, 0);

struct key {
	char command[16];
};

struct value {
	estat_count_t commands ESTAT_HELP("Number of commands");
};

ESTAT_SERIES(late, struct key, struct value, 64, "Calls of scsi_debug_queuecommand");

ESTAT_ENTRY(late_command, scsi_debug_queuecommand, 2)
{
	struct key key = {};
	struct value *v;

	bpf_get_current_comm(key.command, sizeof(key.command));
	v = late_get(&key);
	if (v)
		estat_add(v->commands, 1);
	return 0;
}
