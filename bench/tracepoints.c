// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracepoints OBJECT: attach the module's BPF programs of tracepoints, print a line NAME ID for
 * each, and wait. No other BPF program of the module is loaded: this measures what the BPF programs
 * take while the module follows no operation, also where the kernel refuses fentry.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool is_tracepoint(const struct bpf_program *p)
{
	return !strncmp(bpf_program__section_name(p), "tp_btf/", strlen("tp_btf/"));
}

/* The BPF program stays attached until this process ends. Returns 0, or -1. */
static int attach(const struct bpf_program *p)
{
	struct bpf_prog_info info = {};
	__u32 size = sizeof(info);

	if (!bpf_program__attach(p) || bpf_obj_get_info_by_fd(bpf_program__fd(p), &info, &size) < 0)
		return -1;
	printf("%s %u\n", bpf_program__name(p), info.id);
	return 0;
}

int main(int argc, char **argv)
{
	struct bpf_object *object = argc == 2 ? bpf_object__open(argv[1]) : NULL;
	struct bpf_program *p;

	if (!object) {
		fprintf(stderr, "usage: tracepoints OBJECT\n");
		return 1;
	}
	bpf_object__for_each_program (p, object)
		bpf_program__set_autoload(p, is_tracepoint(p));
	if (bpf_object__load(object))
		return 1;
	bpf_object__for_each_program (p, object)
		if (is_tracepoint(p) && attach(p))
			return 1;
	puts("attached");
	fflush(stdout);
	return pause();
}
