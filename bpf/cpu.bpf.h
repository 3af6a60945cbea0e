/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading the kernel's per-CPU variables by address. */
#ifndef ESTAT_BPF_CPU_H
#define ESTAT_BPF_CPU_H

/*
 * Read the value that a per-CPU variable has on CPU `cpu`. `at` is the variable's address;
 * `offsets` is the address of the kernel's __per_cpu_offset, or 0 if unknown. Returns 0, or a
 * negative error. If `offsets` is 0, the function always fails.
 */
static __always_inline long estat_read_of_cpu(void *into, __u32 size, __u64 at, __u64 offsets,
					      __u32 cpu)
{
	__u64 offset = 0;

	if (!offsets || bpf_probe_read_kernel(&offset, sizeof(offset),
					      (const void *)(offsets + cpu * sizeof(offset))))
		return -1;
	return bpf_probe_read_kernel(into, size, (const void *)(at + offset));
}

#endif /* ESTAT_BPF_CPU_H */
