// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Load an object, attach all its programs, and wait: the programs stay
 * attached until this process ends.
 */
#include <bpf/libbpf.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct bpf_object *object = argc == 2 ? bpf_object__open(argv[1]) : NULL;
	struct bpf_program *p;

	if (!object || bpf_object__load(object)) {
		fprintf(stderr, "usage: attach OBJECT\n");
		return 1;
	}
	bpf_object__for_each_program (p, object)
		if (!bpf_program__attach(p))
			return 1;
	puts("attached");
	fflush(stdout);
	return pause();
}
