// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "embed.h"
#include "symbols.h"

EMBED(symbols_object, SYMBOLS_OBJECT)

static struct bpf_object *load(void)
{
	/*
	 * without a path, libbpf before 1.3 looks in the BTF of all kernel modules for a type that
	 * the kernel lacks, and fails without CAP_SYS_ADMIN
	 */
	LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = "estat_symbols",
		    .btf_custom_path = "/sys/kernel/btf/vmlinux");
	struct bpf_object *object =
		bpf_object__open_mem(symbols_object, symbols_object_end - symbols_object, &options);

	if (object && !bpf_object__load(object))
		return object;
	bpf_object__close(object);
	return NULL;
}

FILE *symbols_open(void)
{
	struct bpf_object *object = load();
	struct bpf_link *link =
		object ? bpf_program__attach_iter(bpf_object__next_program(object, NULL), NULL)
		       : NULL;
	int fd = link ? bpf_iter_create(bpf_link__fd(link)) : -1;

	bpf_link__destroy(link);
	bpf_object__close(object);
	return fd < 0 ? NULL : fdopen(fd, "r");
}
