// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stores: calls of bpf_local_storage_update, by command, by threads for which the module keeps a
 * value. Before Linux 6.2, bpf(2) holds a lock during its call of this function, and the kernel
 * meanwhile refuses BPF programs the thread's value. A test checks that a call counts as missed if
 * the value is refused.
 */
#include "calls.h"
#include "probe.bpf.h"
#include "thread.bpf.h"

ESTAT_MODULE(stores, 0);
CALLS(stores, "bpf_local_storage_update");

ESTAT_PER_THREAD(kept, __u64);

/*
 * The kernel calls this function for sched_getscheduler(2), by which qa/src/stored.c has the module
 * keep a value for its thread. No other module may begin to keep a value for a thread at this
 * function: that would call bpf_local_storage_update, and `stores` would count that call.
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
