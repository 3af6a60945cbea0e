// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hits of kprobes, by the program in bpf/hits.bpf.c.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <pcp/pmapi.h>
#include <unistd.h>

#include "abi.h"
#include "hits.h"
#include "host.h"
#include "symbol.h"

/* The object; the build says where it is. Link-time optimization may part it from who uses it. */
extern const char hits_object[], hits_object_end[];
__asm__(".pushsection .rodata\n"
	".globl hits_object, hits_object_end\n"
	".hidden hits_object, hits_object_end\n"
	".balign 8\n"
	"hits_object: .incbin \"" HITS_OBJECT "\"\n"
	"hits_object_end:\n"
	".popsection\n");

/* The kernel's variable that has where each CPU's own data are. */
#define CPU_OFFSETS "__per_cpu_offset"

static uint64_t cpu_offsets;

void hits_want(void)
{
	symbol_want(CPU_OFFSETS);
}

/* Load it. The types are the kernel's own, whatever those of modules are read from. */
static int load(void)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = "estat_hits",
		    .btf_custom_path = "/sys/kernel/btf/vmlinux");
	struct bpf_object *object =
		bpf_object__open_mem(hits_object, hits_object_end - hits_object, &options);
	int fd = -1;

	if (object && !bpf_object__load(object))
		fd = dup(bpf_program__fd(bpf_object__next_program(object, NULL)));
	bpf_object__close(object);
	return fd;
}

/* A descriptor of the program, which is loaded once; -1 if it cannot be. */
static int program(void)
{
	static bool tried;
	static int fd = -1;

	if (tried)
		return fd;
	tried = true;
	cpu_offsets = symbol_address(CPU_OFFSETS);
	if (cpu_offsets)
		fd = load();
	if (fd < 0)
		pmNotifyErr(LOG_WARNING, "it cannot be told what the kernel skips of kprobes: %s",
			    cpu_offsets ? "no program can read it" : "no " CPU_OFFSETS);
	return fd;
}

bool hits_read(int link, uint64_t *hits)
{
	struct estat_hits asked = { .link = link, .cpus = host_cpus() };
	LIBBPF_OPTS(bpf_test_run_opts, options, .ctx_in = &asked, .ctx_size_in = sizeof(asked));
	int fd = program();

	asked.cpu_offsets = cpu_offsets;
	for (; fd >= 0 && asked.cpu < asked.cpus; asked.cpu += ESTAT_HITS_CPUS) {
		if (bpf_prog_test_run_opts(fd, &options) || options.retval)
			return false;
		*hits += asked.hits;
	}
	return fd >= 0;
}
