// SPDX-License-Identifier: GPL-2.0-or-later
/* syscall: system calls, by the command of the process, the call and the error that it returns. */
#include "aggregate.bpf.h"
#include "inflight.bpf.h"
#include "process.bpf.h"
#include "thread.bpf.h"

#include "calls.h" /* made by the build: enum call, enum error */

ESTAT_MODULE(syscall, 34);
ESTAT_ON_DEMAND;
ESTAT_EVIDENCE_OWN_READS;

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
/* arch/x86/include/asm/thread_info.h, arch/arm64/include/asm/thread_info.h */
struct thread_info___compat {
	unsigned long flags;
	__u32 status; /* not on arm64 */
};

/* include/linux/sched.h */
struct task_struct___compat {
	struct thread_info___compat thread_info;
};
#pragma clang attribute pop

#define TS_COMPAT (1 << 1)  /* x86: the system call is a 32-bit call */
#define TIF_32BIT (1 << 22) /* arm64: the thread runs a 32-bit program */
#define MAX_ERRNO 4095      /* include/linux/err.h */

struct key {
	char command[16];
	enum call call;
	enum error error;
};

ESTAT_SERIES(
	syscall, 0, struct key, struct estat_latency, 4096,
	"From tracepoint sys_enter to sys_exit. command is the name of the process, which is\n"
	"that of its first thread. error is the error that the call returns: none, the name of\n"
	"an errno, or ERESTARTSYS and its like if a signal interrupted the call. The latency\n"
	"contains what the call waited for: poll(2) and its like wait most of the time. The\n"
	"names are those of the kernel's headers when estat was built; a newer call is call_\n"
	"and its number. All calls of 32-bit programs count as compat. Not counted: calls that\n"
	"began before the module was attached, calls that do not return, such as exit_group,\n"
	"and what the C library answers without a call (vDSO). Linux 5.15 to 7.3");
ESTAT_OVERFLOW(syscall);

struct in_call {
	__u64 began;
	__u64 call;
};

ESTAT_INFLIGHT(calls, THREAD, struct in_call);

static __always_inline bool is_compat(const struct task_struct___compat *task)
{
	if (bpf_core_field_exists(task->thread_info.status))
		return task->thread_info.status & TS_COMPAT;
	return task->thread_info.flags & TIF_32BIT;
}

SEC("tp_btf/sys_enter")
int syscall_begins(__u64 *ctx)
{
	struct in_call *c = calls_begin();

	if (c)
		c->call = is_compat((void *)bpf_get_current_task_btf()) ? call_compat : ctx[1];
	return 0;
}

SEC("tp_btf/sys_exit")
int syscall_ends(__u64 *ctx)
{
	struct in_call *c = calls_find();
	__u64 ns = bpf_ktime_get_ns();
	__s64 ret = ctx[1];
	struct key key = {};

	if (!c)
		return 0;
	ns -= c->began;
	calls_free(c);
	key.call = c->call;
	if (ret < 0 && ret >= -MAX_ERRNO)
		key.error = -ret;
	estat_command(key.command);
	estat_count_latency(syscall_get(&key), ns);
	return 0;
}
