/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The running kernel: its release, its loaded kernel modules, and what it lets BPF programs do. */
#ifndef ESTAT_PMDA_LOAD_KERNEL_H
#define ESTAT_PMDA_LOAD_KERNEL_H

#include <stdbool.h>

/*
 * A checksum of the loaded kernel modules' names and sizes. It also changes at the end of a load,
 * when the kernel frees the init section of the kernel module. Sets *settled to whether no kernel
 * module is being loaded or unloaded.
 */
unsigned long kernel_modules_now(bool *settled);

/* Is the running kernel older than major.minor? */
bool kernel_is_before(unsigned int major, unsigned int minor);

/*
 * Can a task be preempted in a BPF program at fentry or fexit? While the task is preempted, the
 * kernel does not run this BPF program for other tasks of the CPU. Returns false with PREEMPT_RT,
 * although tasks can be preempted there, too: on such kernels the agent does not prefer
 * kprobe.multi. With PREEMPT_DYNAMIC and without access to sched/preempt, the result is a guess
 * from the kernel's version.
 */
bool kernel_preempts(void);

/* Has the kernel kprobes? */
bool kernel_has_kprobes(void);

/*
 * Is the kernel locked down for confidentiality? Such a kernel lets BPF programs neither read the
 * kernel's memory nor run at a kprobe.
 */
bool kernel_is_confidential(void);

/*
 * Switches of the kernel. While a switch is off, BPF programs that need it do not run. BPF programs
 * at tracepoints need no switch.
 */
enum kernel_switch {
	KERNEL_FTRACE = 1,  /* sysctl kernel.ftrace_enabled */
	KERNEL_KPROBES = 2, /* debugfs kprobes/enabled */
};

/*
 * Open the files of debugfs that kernel_preempts() and kernel_switched_off() read, and keep the
 * files open. Called before the agent gives up root, because as a rule only root can open files of
 * debugfs.
 */
void kernel_open_switches(void);

/*
 * The switches that are off: values of enum kernel_switch, added. A switch that cannot be read
 * counts as on.
 */
unsigned int kernel_switched_off(void);

#endif /* ESTAT_PMDA_LOAD_KERNEL_H */
