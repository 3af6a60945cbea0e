// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An empty BPF program at a function or tracepoint that a module probes: for the module zio the
 * build sets PROBE to PROBE_zio. The run time that the kernel measures for the empty BPF program is
 * the cost of measuring, which bench subtracts from the run times of the module's BPF programs.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define PROBE_calls  "fentry/vfs_read"
#define PROBE_iscsi  "fentry/iscsit_response_queue"
#define PROBE_nfs    "tp_btf/svc_process"
#define PROBE_traced "fentry/vfs_write"
#define PROBE_zio    "fentry/vdev_disk_io_done"

char _license[] SEC("license") = "GPL";

SEC(PROBE)
int empty(void *ctx)
{
	return 0;
}
