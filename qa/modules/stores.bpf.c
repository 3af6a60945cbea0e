// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stores: calls of bpf_local_storage_update by threads for which the module keeps a value, by
 * command: for the test of refused storage. Before Linux 6.2, bpf(2) calls this function while it
 * holds a lock, and meanwhile BPF programs get no storage of the thread.
 */
#include "calls.h"
#include "probe.bpf.h"
#include "thread.bpf.h"

ESTAT_MODULE(stores, 0);
CALLS(stores, "bpf_local_storage_update");

ESTAT_PER_THREAD(kept, __u64);

/*
 * Only qa/src/stored.c calls this function. It must be a function at which no other module keeps a
 * value for a thread: that would call bpf_local_storage_update, and be counted.
 */
ESTAT_ENTRY(stores_asked, security_task_getscheduler, 1)
{
	char command[16] = "";

	bpf_get_current_comm(command, sizeof(command));
	if (*(__u32 *)command == *(const __u32 *)"stored")
		kept_make();
	return 0;
}

ESTAT_ENTRY(stores_updated, bpf_local_storage_update, 1)
{
	return kept_here() ? stores_count() : 0;
}
