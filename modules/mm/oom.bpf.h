/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record for each process that the OOM killer kills (mm/oom_kill.c). */
#ifndef ESTAT_MODULES_MM_OOM_H
#define ESTAT_MODULES_MM_OOM_H

#include "cgroup.bpf.h"
#include "event.bpf.h"
#include "inflight.bpf.h"
#include "probe.bpf.h"

ESTAT_OPTIONAL("records of OOM kills", __oom_kill_process);

/* include/linux/sched.h */
struct task_struct___victim {
	int tgid;
	char comm[16];
	struct css_set *cgroups;
} __attribute__((preserve_access_index));

struct event {
	char command[16] ESTAT_PARAMETER(1, "The name of the process that was killed");
	__u32 pid ESTAT_PARAMETER(2, "The PID of the process that was killed");
	char reason[64] ESTAT_PARAMETER(
		3, "The kernel's message: whether the host or a cgroup is out of memory");
	char caller[16] ESTAT_PARAMETER(4, "The name of the thread that called the OOM killer");
	estat_cgroup_t cgroup ESTAT_PARAMETER(5, "The cgroup (v2) of the process that was killed");
};

ESTAT_EVENTS(struct event, 64, "One record for each process that the OOM killer killed");

ESTAT_ENTRY(reclaim_kills, __oom_kill_process, 2)
{
	struct task_struct___victim *victim = (void *)call->arg[0];
	struct cgroup *cgroup = BPF_CORE_READ(victim, cgroups, dfl_cgrp);
	struct event *e = estat_event_begin();

	if (!e)
		return 0;
	BPF_CORE_READ_STR_INTO(&e->command, victim, comm);
	e->pid = BPF_CORE_READ(victim, tgid);
	bpf_probe_read_kernel_str(e->reason, sizeof(e->reason), (const char *)call->arg[1]);
	bpf_get_current_comm(e->caller, sizeof(e->caller));
	e->cgroup = BPF_CORE_READ(cgroup, kn, id);
	estat_name_cgroup_v2(estat_id(cgroup));
	estat_event_end(e);
	return 0;
}

#endif /* ESTAT_MODULES_MM_OOM_H */
