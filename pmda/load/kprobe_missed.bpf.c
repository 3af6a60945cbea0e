// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program that the agent runs, and has in itself: it tells how often a kprobe was hit.
 *
 * The kernel runs no program of a kprobe while another program, or a system call on a map,
 * holds bpf_prog_active on that CPU (trace_call_bpf() in kernel/trace/bpf_trace.c,
 * bpf_disable_instrumentation() in kernel/bpf/syscall.c); if those are preempted, until they
 * go on. Before Linux 6.7 it counts that nowhere. But the kprobe itself counts its hits,
 * whether a program runs or not (kprobe_dispatcher() in kernel/trace/trace_kprobe.c), so these
 * less the programs' runs are what was skipped. Only BPF can read them: tracefs lists them
 * of probes that were made by it.
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

/* kernel/bpf/syscall.c */
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

/* kernel/trace/trace_probe.h: the probes of an event; one that was made for perf has one */
struct trace_probe_event {
	struct trace_event_call call;
	struct list_head probes;
};

struct trace_probe {
	struct list_head list;
};

struct kretprobe {
	struct kprobe {
		unsigned long nmissed; /* another one's handler was running on that CPU */
	} kp;
};

/* kernel/trace/trace_kprobe.c */
struct trace_kprobe {
	struct kretprobe rp;
	unsigned long *nhit; /* by CPU */
	struct trace_probe tp;
};

#pragma clang attribute pop

#define OFFSET(type, member) bpf_core_field_offset(struct type, member)

/* Does the kernel have all that? */
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

/* The kprobe of a link to a perf event, by this process' descriptor of that. */
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
int tell_hits(struct estat_hits *asked)
{
	__u64 nhit, hits = 0, count;
	struct trace_kprobe *kprobe;
	__u32 cpu = asked->cpu;

	if (!is_known())
		return 1;
	kprobe = kprobe_of(asked->link);
	nhit = (__u64)BPF_CORE_READ(kprobe, nhit);
	if (!nhit)
		return 1;
	if (!cpu)
		hits = BPF_CORE_READ(kprobe, rp.kp.nmissed);
	for (__u32 i = 0; i < ESTAT_HITS_CPUS && cpu + i < asked->cpus; i++) {
		if (estat_read_of_cpu(&count, sizeof(count), nhit, asked->cpu_offsets, cpu + i))
			return 1;
		hits += count;
	}
	asked->hits = hits;
	return 0;
}
