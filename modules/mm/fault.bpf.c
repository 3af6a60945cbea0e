// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fault: page faults, by the command of the process, kind, memory and access (mm/memory.c,
 * handle_mm_fault, Linux 5.15 to 7.3).
 */
#include "aggregate.bpf.h"
#include "inflight.bpf.h"
#include "probe.bpf.h"
#include "process.bpf.h"
#include "thread.bpf.h"

ESTAT_MODULE(fault, 33);
ESTAT_ON_DEMAND;
ESTAT_EVIDENCE("/proc/vmstat", "^pgfault ");

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
/*
 * include/linux/mm_types.h has the struct and both enums. CO-RE replaces the offset of vm_ops and
 * the enums' values by those of the running kernel.
 */
struct vm_area_struct {
	void *vm_ops; /* NULL: anonymous memory */
};

enum fault_flag {
	FAULT_FLAG_WRITE = 1,
	FAULT_FLAG_TRIED = 32,
};

enum vm_fault_reason {
	VM_FAULT_MAJOR = 4,
	VM_FAULT_RETRY = 1024,
};
#pragma clang attribute pop

enum kind {
	kind_minor,
	kind_major,
};

enum memory {
	memory_anonymous,
	memory_file,
};

enum access {
	access_read,
	access_write,
};

struct key {
	char command[16];
	enum kind kind;
	enum memory memory;
	enum access access;
};

ESTAT_SERIES(
	fault, 0, struct key, struct estat_latency, 1024,
	"From the entry of handle_mm_fault to its return. A fault that the kernel handles in two\n"
	"or more calls (VM_FAULT_RETRY) counts once, from the first entry to the last return. A\n"
	"fault is major, as for ru_majflt of getrusage(2), if the fault ended with VM_FAULT_MAJOR\n"
	"(mostly because the data came from a disk or from swap), or if the kernel tried the\n"
	"fault again after a wait (FAULT_FLAG_TRIED). file is memory of mappings of files, of\n"
	"shared memory (tmpfs), of hugetlbfs and of devices; after a write to a private mapping\n"
	"of a file, the mapping still counts as file. An access to execute counts as read. Faults\n"
	"for the kernel itself (get_user_pages) count for the process whose thread runs. command\n"
	"is the name of the process, which is that of its first thread. Not counted: the time\n"
	"from the trap to handle_mm_fault, faults without a mapping, and faults that a signal\n"
	"ended. Linux 5.15 to 7.3");
ESTAT_OVERFLOW(fault);

/* A thread's fault. */
struct faulting {
	/* when handle_mm_fault was first called for the fault; 0: no fault is under way */
	__u64 began;
	__u64 address;
	__u64 within; /* 1: the thread is in handle_mm_fault */
	__u32 flags;
	__u32 file;
};

ESTAT_INFLIGHT(faults, THREAD, struct faulting);
ESTAT_LEFT(faults, struct faulting, within);

#define HAS(flags, TYPE, NAME) ((flags)&bpf_core_enum_value(enum TYPE, NAME))

ESTAT_ENTRY(fault_begins, handle_mm_fault, 3)
{
	struct vm_area_struct *vma = (struct vm_area_struct *)call->arg[0];
	struct faulting *f = faults_make();

	if (!f)
		return 0;
	faults_count_left(f);
	/*
	 * if `began` is set and the thread's previous call had the same address, that call returned
	 * VM_FAULT_RETRY, and this call is for the same fault: keep `began`
	 */
	if (!estat_since_attach(f->began) || f->address != call->arg[1])
		f->began = bpf_ktime_get_ns();
	f->address = call->arg[1];
	f->within = 1;
	f->flags = call->arg[2];
	f->file = !!ESTAT_READ(vma, vm_ops);
	return 0;
}

ESTAT_EXIT(fault_ends, handle_mm_fault, 4)
{
	__u64 now = bpf_ktime_get_ns();
	struct faulting *f = faults_kept();
	struct estat_latency *v;
	struct key key = {};

	if (!f || !f->within)
		return 0;
	f->within = 0;
	if (HAS(call->ret, vm_fault_reason, VM_FAULT_RETRY))
		return 0;
	if (HAS(call->ret, vm_fault_reason, VM_FAULT_MAJOR) ||
	    HAS(f->flags, fault_flag, FAULT_FLAG_TRIED))
		key.kind = kind_major;
	key.memory = f->file ? memory_file : memory_anonymous;
	key.access = HAS(f->flags, fault_flag, FAULT_FLAG_WRITE) ? access_write : access_read;
	estat_command(key.command);
	v = fault_get(&key);
	if (v && estat_since_attach(f->began))
		estat_count_latency(v, now - f->began);
	faults_free(f);
	return 0;
}
