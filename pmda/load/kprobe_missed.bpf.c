// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A BPF program that the agent embeds and runs, to read how often a kprobe was hit.
 *
 * While a CPU's counter bpf_prog_active is not 0, the kernel runs no BPF program of a kprobe on
 * that CPU. The kernel raises the counter while a BPF program of a kprobe runs (trace_call_bpf() in
 * kernel/trace/bpf_trace.c), and while a system call reads, writes or deletes an element of a map,
 * even if the thread is preempted meanwhile (bpf_disable_instrumentation() in include/linux/bpf.h).
 * Before Linux 6.7 the kernel does not count the runs that it leaves out. But a kprobe counts each
 * hit (kprobe_dispatcher() in kernel/trace/trace_kprobe.c), so the missed runs are the hits less
 * the runs of the BPF programs. Only BPF can read the hits, because tracefs lists only kprobes that
 * were made by tracefs.
 */
#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "abi.h"
#include "cpu.bpf.h"

char _license[] SEC("license") = "GPL";

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct list_head {
	struct list_head *next;
};

struct file {
	void *private_data;
};

struct fdtable {
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct task_struct {
	struct files_struct *files;
};

/* This struct is defined in kernel/bpf/syscall.c. */
struct bpf_perf_link {
	struct bpf_link {
		__u32 id;
	} link;
	struct file *perf_file;
};

struct trace_event_call {
	int flags;
};

struct perf_event {
	struct trace_event_call *tp_event;
};

/* From kernel/trace/trace_probe.h: the probes of an event. An event made for perf has one probe. */
struct trace_probe_event {
	struct trace_event_call call;
	struct list_head probes;
};

struct trace_probe {
	struct list_head list;
};

struct kretprobe {
	struct kprobe {
		/* hits that fell into a run of another kprobe's handler on the same CPU */
		unsigned long nmissed;
	} kp;
};

/* This struct is defined in kernel/trace/trace_kprobe.c. */
struct trace_kprobe {
	struct kretprobe rp;
	unsigned long *nhit; /* the kprobe's hits, for each CPU */
	struct trace_probe tp;
};

#pragma clang attribute pop

#define OFFSET(type, member) bpf_core_field_offset(struct type, member)

/* Are this kernel's structs of links and kprobes those that kprobe_of() and read_hits() read? */
static __always_inline bool is_known(void)
{
	struct bpf_perf_link *link = NULL;
	struct trace_probe_event *event = NULL;
	struct trace_kprobe *kprobe = NULL;

	return bpf_core_field_exists(link->link) && bpf_core_field_exists(link->perf_file) &&
	       bpf_core_field_exists(event->call) && bpf_core_field_exists(event->probes) &&
	       bpf_core_field_exists(kprobe->tp.list) && bpf_core_field_exists(kprobe->nhit) &&
	       bpf_core_field_exists(kprobe->rp.kp.nmissed);
}

/* The kprobe behind a BPF link to a perf event; `fd` is this process's descriptor of the link. */
static __always_inline struct trace_kprobe *kprobe_of(__u32 fd)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct file **files = BPF_CORE_READ(task, files, fdt, fd), *file = NULL;
	struct bpf_perf_link *link;
	struct trace_probe_event *event;
	struct perf_event *perf;
	void *probe;

	bpf_probe_read_kernel(&file, sizeof(file), files + fd);
	link = BPF_CORE_READ(file, private_data) - OFFSET(bpf_perf_link, link);
	perf = BPF_CORE_READ(link, perf_file, private_data);
	event = (void *)BPF_CORE_READ(perf, tp_event) - OFFSET(trace_probe_event, call);
	probe = (void *)BPF_CORE_READ(event, probes.next) - OFFSET(trace_probe, list);
	return probe - OFFSET(trace_kprobe, tp);
}

SEC("syscall")
int read_hits(struct estat_kprobe_missed *context)
{
	__u64 nhit, hits = 0, count;
	struct trace_kprobe *kprobe;
	__u32 cpu = context->cpu;

	if (!is_known())
		return 1;
	kprobe = kprobe_of(context->link);
	nhit = (__u64)BPF_CORE_READ(kprobe, nhit);
	if (!nhit)
		return 1;
	if (!cpu)
		hits = BPF_CORE_READ(kprobe, rp.kp.nmissed);
	for (__u32 i = 0; i < ESTAT_KPROBE_CPUS && cpu + i < context->cpus; i++) {
		if (estat_read_of_cpu(&count, sizeof(count), nhit, context->cpu_offsets, cpu + i))
			return 1;
		hits += count;
	}
	context->hits = hits;
	return 0;
}
