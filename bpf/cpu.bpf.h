/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel keeps by CPU, and tells no program.
 */
#ifndef ESTAT_BPF_CPU_H
#define ESTAT_BPF_CPU_H

/*
 * Read a CPU's own of what is at an address; 0 or negative. offsets is where the kernel's variable
 * __per_cpu_offset is, 0: not known.
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
