// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * late: commands to disks of scsi_debug, a kernel module that a test loads after
 * the agent has started.
 */
#include "calls.h"
#include "probe.bpf.h"

ESTAT_MODULE(late, 0);
CALLS(late, "scsi_debug_queuecommand")

ESTAT_ENTRY(late_command, scsi_debug_queuecommand, 2)
{
	return late_count();
}
