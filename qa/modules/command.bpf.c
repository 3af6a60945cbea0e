// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * command: commands to disks of scsi_debug, a kernel module that is in use while
 * a test says so.
 */
#include "return.h"

ESTAT_MODULE(command, 0);
ESTAT_NEEDS("scsi_debug", "/run/estat-in-use");

struct key {
	char command[16];
};

struct value {
	estat_count_t calls ESTAT_HELP("Number of calls");
};

ESTAT_SERIES(command, struct key, struct value, 64, "Calls of scsi_debug_queuecommand");

ESTAT_RETURN(command_given, scsi_debug_queuecommand, 2)
{
	struct key key = {};
	struct value *v;

	bpf_get_current_comm(key.command, sizeof(key.command));
	v = command_get(&key);
	if (v)
		estat_add(v->calls, 1);
	return 0;
}
