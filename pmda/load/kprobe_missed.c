// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads how many times kprobes were hit, missed hits included, by running the BPF program in
 * kprobe_missed.bpf.c.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <pcp/pmapi.h>
#include <unistd.h>

#include "abi.h"
#include "embed.h"
#include "failure.h"
#include "host.h"
#include "kallsyms.h"
#include "kernel_btf.h"
#include "kprobe_missed.h"

EMBED(kprobe_missed_object, KPROBE_MISSED_OBJECT)

/* The kernel's array with the offset of each CPU's data. */
#define CPU_OFFSETS "__per_cpu_offset"

static uint64_t cpu_offsets;

void kprobe_missed_want(void)
{
	kallsyms_want(CPU_OFFSETS);
}

/* Load kprobe_missed.bpf.c with the kernel's types. Returns its descriptor, or a negative errno. */
static int load(void)
{
	struct bpf_object *object = kernel_btf_load(-1, NULL, "estat_kprobes", kprobe_missed_object,
						    kprobe_missed_object_end);
	int sts = object ? dup(bpf_program__fd(bpf_object__next_program(object, NULL))) : -1;

	if (sts < 0)
		sts = -errno;
	bpf_object__close(object);
	return sts;
}

/*
 * Load the BPF program at the first call. If that fails for a reason that may pass, the next call
 * tries again. Returns the descriptor of the BPF program, or a negative errno.
 */
static int program(void)
{
	static bool tried, logged;
	static int fd = -1;

	if (fd >= 0 || tried)
		return fd;
	cpu_offsets = kallsyms_address(CPU_OFFSETS);
	fd = cpu_offsets ? load() : -ENOENT;
	tried = !failure_is_transient(fd);
	if (fd < 0 && !logged)
		pmNotifyErr(LOG_WARNING, "events missed by kprobes are not counted: %s%s",
			    cpu_offsets ? "cannot load the BPF program: " : "no " CPU_OFFSETS,
			    cpu_offsets ? pmErrStr(fd) : "");
	logged |= fd < 0;
	return fd;
}

bool kprobe_missed_hits(int link, uint64_t *hits)
{
	struct estat_kprobe_missed context = { .link = link, .cpus = host_cpus() };
	LIBBPF_OPTS(bpf_test_run_opts, options, .ctx_in = &context, .ctx_size_in = sizeof(context));
	int fd = program();

	context.cpu_offsets = cpu_offsets;
	for (; fd >= 0 && context.cpu < context.cpus; context.cpu += ESTAT_KPROBE_CPUS) {
		if (bpf_prog_test_run_opts(fd, &options) || options.retval)
			return false;
		*hits += context.hits;
	}
	return fd >= 0;
}
