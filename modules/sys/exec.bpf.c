// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * exec: processes and threads that begin, programs that are executed, and processes that end, by
 * command and cgroup (kernel/fork.c, exit.c, fs/exec.c, Linux 5.15 to 7.3).
 */
#define ESTAT_RARE

#include "aggregate.bpf.h"

/*
 * There is room for at least so many names of cgroups. The memory of a name is allocated when the
 * name is stored.
 */
#define ESTAT_NAMES       300
#define ESTAT_NAMES_FLAGS BPF_F_NO_PREALLOC

#include "cgroup.bpf.h"
#include "inflight.bpf.h"
#include "process.bpf.h"

ESTAT_MODULE(exec, 36);
ESTAT_EVIDENCE("/proc/stat", "^processes ");

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
/* include/linux/sched/signal.h */
struct signal_struct {
	struct {
		int counter;
	} live; /* threads of the process that have not begun to exit */
};

/* include/linux/sched.h */
struct task_struct {
	int pid;
	int tgid;
	__u64 start_time; /* by bpf_ktime_get_ns() */
	struct signal_struct *signal;
	struct task_struct *group_leader;
	struct css_set *cgroups;
};
#pragma clang attribute pop

struct key {
	char command[16] __attribute__((aligned(8)));
	estat_cgroup_t cgroup;
};

struct value {
	struct estat_latency;
	estat_count_t forks ESTAT_FIELD(17, "Number of processes that begin, by the name of the\n"
					    "thread that forks");
	estat_count_t threads ESTAT_FIELD(18, "Number of threads that begin in a process");
	estat_count_t programs ESTAT_FIELD(19, "Number of programs executed, by the command after\n"
					       "execve(2)");
};

ESTAT_SERIES(
	exec, 0, struct key, struct value, 256,
	"Processes that have ended. The latency is the life of a process, from the start of the\n"
	"first thread to the exit of the last (tracepoint sched_process_exit), by the command at\n"
	"the end, which is the name of the first thread, and the cgroup (v2). The sum of forks\n"
	"and threads grows as the number in the line processes of /proc/stat does; both include\n"
	"kernel threads (tracepoint task_newtask). programs are calls of execve(2) that succeed\n"
	"(tracepoint sched_process_exec). A process that executes no program keeps the name of\n"
	"the thread that forked it. Not counted: the idle threads of CPUs. Linux 5.15 to 7.3");
ESTAT_OVERFLOW(exec);

/*
 * Hashes of processes whose end has been counted; the index is the upper byte of the hash. If the
 * last threads of a process exit at the same time, each of them can find that no thread is left.
 * Only the thread that stores the hash first counts the process.
 */
#define ENDED 256

__u64 ended[ENDED];

/* The counters of a task's cgroup and command, which is the name of the process's first thread. */
static __noinline struct value *value_of(struct task_struct *task)
{
	struct cgroup *cgroup = BPF_CORE_READ(task, cgroups, dfl_cgrp);
	struct key key = { .cgroup = BPF_CORE_READ(cgroup, kn, id) };

	estat_command_of(key.command, task);
	return ESTAT_GET_NAMED(exec, &key, estat_name_cgroup_v2((__u64)cgroup));
}

SEC("tp_btf/task_newtask")
int exec_forked(__u64 *ctx)
{
	struct task_struct *task = (struct task_struct *)ctx[0];
	struct value *v = value_of(task);

	if (v && task->pid == task->tgid)
		estat_add(v->forks, 1);
	else if (v)
		estat_add(v->threads, 1);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int exec_executed(__u64 *ctx)
{
	struct value *v = value_of((struct task_struct *)ctx[0]);

	if (v)
		estat_add(v->programs, 1);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int exec_ended(__u64 *ctx)
{
	struct task_struct *task = (struct task_struct *)ctx[0];
	__u64 began = task->group_leader->start_time;
	__u64 id = (estat_id(task->signal) ^ began) * 0x9e3779b97f4a7c15;

	if (task->signal->live.counter || __sync_lock_test_and_set(&ended[id >> 56], id) == id)
		return 0;
	estat_count_latency(value_of(task), bpf_ktime_get_ns() - began);
	return 0;
}
