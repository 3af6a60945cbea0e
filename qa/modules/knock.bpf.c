// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * knock: a module whose counts a test decides: each end of a thread with the name in `knocker`,
 * which the processes made by build/qa/knock take, counts as an operation of 4 KiB and 100 us. The
 * objects knock_CASE.bpf.o can replace each other, so all have the module's name knock.
 * common/knock writes a name of the test's own over `knocker` in the object, so that tests do not
 * count each other's threads.
 */
#include "aggregate.bpf.h"

ESTAT_MODULE(knock, 0);

const volatile char knocker[16] = "knock-00000000";

struct knock_key {
	__u32 door;
};

struct knock_value {
	struct estat_io;
#if defined(CASE_more)
	estat_count_t more ESTAT_FIELD(18, "Always 0: gives this object's values another type");
#endif
};

ESTAT_SERIES(knock, 0, struct knock_key, struct knock_value, 64, "Threads with the name `knocker`");
ESTAT_TOP_LAYER(knock, 900);

#if defined(CASE_lacks)
SEC("tp_btf/estat_no_such_tracepoint")
int knock_tracepoint(__u64 *ctx)
{
	return 0;
}
#elif defined(CASE_needs)
/* This kernel module has no folder in /sys/module. It counts as loaded while the file exists. */
ESTAT_NEEDS("estat_no_such_module", "/run/estat-knock");
#elif defined(CASE_built_in)
/*
 * tmpfs is compiled into the kernel, so the module runs: test 333 checks this. "" says that no
 * file shows whether tmpfs is in use.
 */
ESTAT_NEEDS("tmpfs", "");
#elif defined(CASE_made)
/* Test 334 lets the agent take printk for a kernel module without BTF. */
ESTAT_NEEDS("printk", "");

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct task_struct___made { /* a type of the kernel */
	int tgid;
};

struct estat_made { /* a type of the file that the test makes in advance */
	int member;
};

#pragma clang attribute pop

/* Does nothing. The kernel loads this BPF program only if the agent has found both types. */
SEC("tp_btf/sched_process_exec")
int knock_exec(__u64 *ctx)
{
	BPF_CORE_READ((struct task_struct___made *)ctx[0], tgid);
	BPF_CORE_READ((struct estat_made *)ctx[0], member);
	return 0;
}
#endif

/* Does nothing: a second BPF program, so that one can be attached and the other one fail. */
SEC("tp_btf/sched_process_fork")
int knock_fork(__u64 *ctx)
{
	return 0;
}

SEC("tp_btf/sched_process_exit")
int knock_exit(__u64 *ctx)
{
	struct knock_key key = { .door = 1 };
	struct knock_value *v;
	char name[16] = {};

	bpf_get_current_comm(name, sizeof(name));
	for (unsigned int i = 0; i < sizeof(name); i++)
		if (name[i] != knocker[i])
			return 0;
	v = knock_get(&key);
	if (v)
		knock_count_io((struct estat_io *)v, &key, 100000, 4096, false);
	return 0;
}

#if defined(CASE_unattached)
/* The kernel loads this BPF program, but cannot attach it. The agent tries to attach it last. */
SEC("raw_tp/estat_no_such_tracepoint")
int knock_unattached(void *ctx)
{
	return 0;
}
#endif
