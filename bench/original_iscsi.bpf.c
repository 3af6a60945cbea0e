// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measures SCSI commands as the module iscsi does, but in the way of BCC tools, to compare run
 * times: a hash of commands under way, a hash of threads, and the hashes of original.h. A command
 * counts as a read if its data goes to the initiator, else as a write. A latency ends at the return
 * of iscsit_response_queue; in the module iscsi it ends at the entry.
 */
#include "original.h"

/* include/linux/dma-direction.h */
enum dma_data_direction {
	DMA_FROM_DEVICE = 2,
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* include/target/target_core_base.h */
struct se_cmd {
	__u32 data_length;
};

/* include/target/iscsi/iscsi_target_core.h; before Linux 5.19 it is iscsi_cmd */
struct iscsit_cmd {
	struct se_cmd se_cmd;
	enum dma_data_direction data_direction;
};

#pragma clang attribute pop

struct response {
	__u64 began;
	__u64 size;
	__u32 direction;
};

HASH(started, __u64);
HASH_OF(at, __u32, struct response);

SEC("kprobe/iscsit_process_scsi_cmd")
int BPF_KPROBE(command_comes, void *conn, struct iscsit_cmd *cmd)
{
	__u64 now = bpf_ktime_get_ns(), id = (__u64)cmd;

	bpf_map_update_elem(&started, &id, &now, BPF_ANY);
	return 0;
}

SEC("kprobe/iscsit_response_queue")
int BPF_KPROBE(response_begins, void *conn, struct iscsit_cmd *cmd)
{
	__u64 id = (__u64)cmd, *start = bpf_map_lookup_elem(&started, &id);
	__u32 thread = bpf_get_current_pid_tgid();
	struct response response = {};

	if (!start)
		return 0;
	response.began = *start;
	response.size = BPF_CORE_READ(cmd, se_cmd.data_length);
	response.direction = BPF_CORE_READ(cmd, data_direction);
	bpf_map_update_elem(&at, &thread, &response, BPF_ANY);
	bpf_map_delete_elem(&started, &id);
	return 0;
}

SEC("kretprobe/iscsit_response_queue")
int response_ends(void *ctx)
{
	__u64 now = bpf_ktime_get_ns();
	__u32 thread = bpf_get_current_pid_tgid();
	struct response *response = bpf_map_lookup_elem(&at, &thread);
	struct key key = { .time = 1 };

	if (!response)
		return 0;
	bpf_probe_read_kernel_str(key.name, sizeof(key.name),
				  response->direction == DMA_FROM_DEVICE ? "read" : "write");
	record(&key, now - response->began, response->size);
	bpf_map_delete_elem(&at, &thread);
	return 0;
}
