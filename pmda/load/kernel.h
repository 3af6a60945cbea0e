/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The running kernel: its release, its loaded kernel modules, and what it lets BPF programs do. */
#ifndef ESTAT_PMDA_LOAD_KERNEL_H
#define ESTAT_PMDA_LOAD_KERNEL_H

#include <stdbool.h>

/*
 * A checksum of the loaded kernel modules' names and sizes: a kernel module shrinks when loading
 * ends, as it frees its init section. *settled: no kernel module is being loaded or unloaded.
 */
unsigned long kernel_modules_now(bool *settled);

/* Is the running kernel older than major.minor? */
bool kernel_is_before(unsigned int major, unsigned int minor);

/* Can the kernel probe functions by kprobes at all? */
bool kernel_has_kprobes(void);

/* Is the kernel locked down so that no BPF program may read its memory or be on a kprobe? */
bool kernel_is_confidential(void);

/* Switches of the kernel that keep BPF programs on functions from running while they are off. */
enum kernel_switch {
	KERNEL_FTRACE = 1,  /* sysctl kernel.ftrace_enabled */
	KERNEL_KPROBES = 2, /* debugfs kprobes/enabled */
};

/* As root: open the switch of the kprobes, which only root can. It stays open. */
void kernel_open_switches(void);

/* Which switches are off? Several values of enum kernel_switch. */
unsigned int kernel_switched_off(void);

#endif /* ESTAT_PMDA_LOAD_KERNEL_H */
