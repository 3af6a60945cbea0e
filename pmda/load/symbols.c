// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "embed.h"
#include "symbols.h"

EMBED(symbols_object, SYMBOLS_OBJECT)

FILE *symbols_open(void)
{
	struct bpf_object *object = embed_load("estat_symbols", symbols_object, symbols_object_end);
	struct bpf_link *link =
		object ? bpf_program__attach_iter(bpf_object__next_program(object, NULL), NULL)
		       : NULL;
	int fd = link ? bpf_iter_create(bpf_link__fd(link)) : -1;

	bpf_link__destroy(link);
	bpf_object__close(object);
	return fd < 0 ? NULL : fdopen(fd, "r");
}
