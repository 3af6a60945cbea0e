// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads the hits of kprobes with the BPF program in kprobe_missed.bpf.c. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <pcp/pmapi.h>
#include <unistd.h>

#include "abi.h"
#include "host.h"
#include "kallsyms.h"
#include "kprobe_missed.h"

/*
 * The object of kprobe_missed.bpf.c. Link-time optimization may move this asm away
 * from the code that uses its two symbols, so the symbols are global and hidden.
 */
extern const char kprobe_missed_object[], kprobe_missed_object_end[];
__asm__(".pushsection .rodata\n"
	".globl kprobe_missed_object, kprobe_missed_object_end\n"
	".hidden kprobe_missed_object, kprobe_missed_object_end\n"
	".balign 8\n"
	"kprobe_missed_object: .incbin \"" KPROBE_MISSED_OBJECT "\"\n"
	"kprobe_missed_object_end:\n"
	".popsection\n");

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
	LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = "estat_kprobes",
		    .btf_custom_path = "/sys/kernel/btf/vmlinux");
	struct bpf_object *object = bpf_object__open_mem(
		kprobe_missed_object, kprobe_missed_object_end - kprobe_missed_object, &options);
	int sts = object ? bpf_object__load(object) : -errno;

	if (!sts) {
		sts = dup(bpf_program__fd(bpf_object__next_program(object, NULL)));
		sts = sts < 0 ? -errno : sts;
	}
	bpf_object__close(object);
	return sts;
}

static bool may_pass(int err)
{
	return err == -ENOMEM || err == -EAGAIN || err == -EINTR || err == -EMFILE ||
	       err == -ENFILE;
}

/*
 * Load the BPF program at the first call. Returns its descriptor, or a negative
 * errno. If the failure may pass, the next call tries to load again.
 */
static int program(void)
{
	static bool tried, logged;
	static int fd = -1;

	if (fd >= 0 || tried)
		return fd;
	cpu_offsets = kallsyms_address(CPU_OFFSETS);
	fd = cpu_offsets ? load() : -ENOENT;
	tried = !may_pass(fd);
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
