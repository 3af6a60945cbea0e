// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A BPF program that the agent embeds: an iterator over the symbols of the kernel and of kernel
 * modules, which Linux has since 6.0. It writes lines as in /proc/kallsyms, but with addresses even
 * if kernel.kptr_restrict is 2. The type of a symbol can differ in case.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char _license[] SEC("license") = "GPL";

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
};

/* This struct is defined in kernel/kallsyms.c. */
struct kallsym_iter {
	unsigned long value;
	char type;
	char name[512];
	char module_name[56];
};

struct bpf_iter__ksym {
	struct bpf_iter_meta *meta;
	struct kallsym_iter *ksym;
};

#pragma clang attribute pop

SEC("iter/ksym")
int list_symbol(struct bpf_iter__ksym *ctx)
{
	struct kallsym_iter *symbol = ctx->ksym;
	struct seq_file *seq = ctx->meta->seq;

	if (!symbol)
		return 0;
	if (symbol->module_name[0])
		BPF_SEQ_PRINTF(seq, "%lx %c %s\t[%s]\n", symbol->value, symbol->type, symbol->name,
			       symbol->module_name);
	else
		BPF_SEQ_PRINTF(seq, "%lx %c %s\n", symbol->value, symbol->type, symbol->name);
	return 0;
}
