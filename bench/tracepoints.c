// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracepoints OBJECT: attach the module's BPF programs of tracepoints that the kernel has, print a
 * line NAME ID TRACEPOINT for each of these BPF programs, and wait. The module's other BPF programs
 * are not loaded; without them the module trace, which bench/journeys measures, begins no journey
 * but those of RPCs of NFS. So bench/journeys can measure BPF programs of trace even where the
 * kernel refuses fentry.
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SECTION "tp_btf/"

/* Is the BPF program for a tracepoint, and does the kernel's BTF have that tracepoint? */
static bool has_tracepoint(const struct btf *kernel, const struct bpf_program *p)
{
	const char *section = bpf_program__section_name(p);
	char name[128];

	if (strncmp(section, SECTION, strlen(SECTION)) != 0)
		return false;
	snprintf(name, sizeof(name), "btf_trace_%s", section + strlen(SECTION));
	return btf__find_by_name_kind(kernel, name, BTF_KIND_TYPEDEF) > 0;
}

/* The BPF program stays attached until this process ends. Returns 0, or -1. */
static int attach(const struct bpf_program *p)
{
	struct bpf_prog_info info = {};
	__u32 size = sizeof(info);

	if (!bpf_program__attach(p) || bpf_obj_get_info_by_fd(bpf_program__fd(p), &info, &size) < 0)
		return -1;
	printf("%s %u %s\n", bpf_program__name(p), info.id,
	       bpf_program__section_name(p) + strlen(SECTION));
	return 0;
}

int main(int argc, char **argv)
{
	struct bpf_object *object = argc == 2 ? bpf_object__open(argv[1]) : NULL;
	struct btf *kernel = btf__load_vmlinux_btf();
	struct bpf_program *p;

	if (!object || !kernel) {
		fprintf(stderr, "usage: tracepoints OBJECT, on a kernel with BTF\n");
		return 1;
	}
	bpf_object__for_each_program (p, object)
		bpf_program__set_autoload(p, has_tracepoint(kernel, p));
	if (bpf_object__load(object))
		return 1;
	bpf_object__for_each_program (p, object)
		if (bpf_program__autoload(p) && attach(p))
			return 1;
	puts("attached");
	fflush(stdout);
	return pause();
}
