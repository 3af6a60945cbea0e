// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measures NFSv3's reads and writes in the way of BCC tools, to compare run times with those of the
 * module nfs: a hash of threads, filled at a function's entry, and the hashes of original.h. The
 * latency is the time of nfsd_read() or nfsd_write(), a part of the latency of the module nfs.
 * The arguments of nfsd_read() are declared as in Linux 6.12 and 7.2, those of nfsd_write() as in
 * Linux 7.2. In Linux 6.12 the fifth argument of nfsd_write() is no address, so each write counts 0
 * bytes.
 */
#include "original.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* include/linux/sunrpc/svcauth.h, svc.h */
struct auth_domain {
	char *name;
};

struct svc_rqst {
	struct auth_domain *rq_client;
};

#pragma clang attribute pop

struct call {
	__u64 began;
	void *count;
	char client[18];
};

HASH_OF(at, __u32, struct call);

static __always_inline int begin(struct svc_rqst *rqstp, void *count)
{
	struct call call = { .began = bpf_ktime_get_ns(), .count = count };
	__u32 thread = bpf_get_current_pid_tgid();

	bpf_probe_read_kernel_str(call.client, sizeof(call.client),
				  BPF_CORE_READ(rqstp, rq_client, name));
	bpf_map_update_elem(&at, &thread, &call, BPF_ANY);
	return 0;
}

static __always_inline int end(const char *name, const char *axis)
{
	__u64 now = bpf_ktime_get_ns(), bytes = 0;
	__u32 thread = bpf_get_current_pid_tgid();
	struct call *call = bpf_map_lookup_elem(&at, &thread);
	struct key key = { .time = 1 };

	if (!call)
		return 0;
	bpf_probe_read_kernel(&bytes, 4, call->count);
	bpf_probe_read_kernel_str(key.name, sizeof(key.name), name);
	bpf_probe_read_kernel_str(key.axis, sizeof(key.axis), axis);
	record(&key, now - call->began, bytes);
	bpf_map_delete_elem(&at, &thread);
	return 0;
}

SEC("kprobe/nfsd_read")
int BPF_KPROBE(read_begins, struct svc_rqst *rqstp, void *fhp, __u64 offset, void *count)
{
	return begin(rqstp, count);
}

SEC("kprobe/nfsd_write")
int BPF_KPROBE(write_begins, struct svc_rqst *rqstp, void *fhp, __u64 offset, void *payload,
	       void *count)
{
	return begin(rqstp, count);
}

SEC("kretprobe/nfsd_read")
int read_ends(void *ctx)
{
	return end("v3/read", "cached");
}

SEC("kretprobe/nfsd_write")
int write_ends(void *ctx)
{
	return end("v3/write", "async");
}
