// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * command: counts commands to disks of scsi_debug. The agent takes the kernel module scsi_debug to
 * be in use while the test's file /run/estat-in-use exists.
 */
#include "calls.h"
#include "return.bpf.h"

ESTAT_MODULE(command, 0);
ESTAT_NEEDS("scsi_debug", "/run/estat-in-use");
CALLS(command, "scsi_debug_queuecommand")

ESTAT_CALL(command_given, scsi_debug_queuecommand, 2, estat_every_call)
{
	return command_count();
}
