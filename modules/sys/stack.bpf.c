// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stack: where in the kernel threads run and block: the stacks that a clock finds on each CPU, and
 * the stacks of threads that block uninterruptibly, with the time for which they block.
 */
#include "folded.bpf.h"
#include "process.bpf.h"

ESTAT_MODULE(stack, 40);
ESTAT_ON_DEMAND;
ESTAT_CLOCK(49); /* Hz; with 50 the samples would be in step with what runs every 10 ms */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
/* include/linux/sched.h */
struct task_struct {
	unsigned int __state;
	/* the thread is blocked uninterruptibly, or was when it last blocked */
	unsigned sched_contributes_to_load : 1;
};
#pragma clang attribute pop

enum kind {
	kind_cpu,
	kind_blocked,
};

struct key {
	enum kind kind;
	char command[ESTAT_COMMAND_LEN];
	estat_name_t stack;
};

struct value {
	estat_count_t ops ESTAT_HELP("Number of samples of a CPU, or of waits that have ended");
	estat_nsec_t latency_sum ESTAT_HELP("Time on a CPU, 1/49 s a sample, or time blocked");
};

ESTAT_SERIES(
	stack, 0, struct key, struct value, 1024,
	"Stacks of kernel functions, as folded lines: the outermost function first, joined by ;.\n"
	"With the kind cpu: what each CPU ran at each tick of a clock of 49 Hz (perf's\n"
	"cpu-clock); the stack user stands for all code of programs. A tick that is due while\n"
	"interrupts are off comes once they are on. With the kind blocked: where a thread blocked\n"
	"uninterruptibly, with the time from tracepoint sched_switch to sched_wakeup. command is\n"
	"the name of the process. A stack has at most its 64 innermost functions, and its text at\n"
	"most 1,023 characters. Not counted: the idle task, idle kernel threads, interruptible\n"
	"waits, waits that began before the module was attached. Linux 5.15 to 7.3");
ESTAT_OVERFLOW(stack);

struct wait {
	__u64 began;
	__u64 stack;
};

ESTAT_INFLIGHT(waits, HASH, __u64, struct wait, 8192);

static __always_inline void count(const struct key *key, __u64 ns)
{
	struct value *v = stack_get(key);

	if (!v)
		return;
	estat_add(v->ops, 1);
	estat_add(v->latency_sum, ns);
}

SEC("perf_event")
int stack_sample(void *ctx)
{
	struct key key = { .kind = kind_cpu };

	estat_command(key.command);
	key.stack = folded(ctx, false);
	count(&key, 1000000000 / estat_clock_hz);
	return 0;
}

SEC("tp_btf/sched_switch")
int stack_blocks(__u64 *ctx)
{
	struct task_struct *prev = (struct task_struct *)ctx[1];
	unsigned int state = prev->__state;
	struct wait w;

	if (ctx[0] & 1 || !(state & ESTAT_TASK_UNINTERRUPTIBLE) || state & ESTAT_TASK_NOLOAD)
		return 0;
	w.stack = folded(ctx, true);
	w.began = bpf_ktime_get_ns();
	waits_begin(estat_id(prev), &w);
	return 0;
}

SEC("tp_btf/sched_wakeup")
int stack_wakes(__u64 *ctx)
{
	struct task_struct *task = (struct task_struct *)ctx[0];
	struct key key = { .kind = kind_blocked };
	struct wait w;

	if (!BPF_CORE_READ_BITFIELD(task, sched_contributes_to_load) ||
	    !waits_take(estat_id(task), &w))
		return 0;
	estat_command_of(key.command, task);
	key.stack = w.stack;
	count(&key, bpf_ktime_get_ns() - w.began);
	return 0;
}
