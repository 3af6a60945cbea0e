// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * empty TRACEPOINT...: attach an empty BPF program to each tracepoint, and wait. The run time that
 * the kernel measures for an empty BPF program is the cost of measuring. Bench subtracts this cost
 * from the run times of modules' BPF programs.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <unistd.h>

/* The BPF program stays attached until this process ends. Returns 0, or -1 with a message. */
static int attach(const char *tracepoint)
{
	const struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_RAW_TP);
	int fd;

	opts.attach_btf_id = libbpf_find_vmlinux_btf_id(tracepoint, BPF_TRACE_RAW_TP);
	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, tracepoint, "GPL", nothing,
			   sizeof(nothing) / sizeof(nothing[0]), &opts);
	if (fd < 0 || bpf_raw_tracepoint_open(NULL, fd) < 0) {
		perror(tracepoint);
		return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	/*
	 * the kernel measures run times until this process ends, even if another bench on the host
	 * sets kernel.bpf_stats_enabled to 0
	 */
	if (bpf_enable_stats(BPF_STATS_RUN_TIME) < 0) {
		perror("bpf_enable_stats");
		return 1;
	}
	for (int i = 1; i < argc; i++)
		if (attach(argv[i]))
			return 1;
	return pause();
}
