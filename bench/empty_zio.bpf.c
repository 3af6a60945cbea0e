// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An empty BPF program at a function that the module zio probes. What the kernel measures of the
 * empty program is the cost of measuring, which bench subtracts from other programs.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

char _license[] SEC("license") = "GPL";

SEC("fentry/vdev_disk_io_done")
int empty(void *ctx)
{
	return 0;
}
