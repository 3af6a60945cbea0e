/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BPF objects of the agent's own, which are a part of its program. */
#ifndef ESTAT_PMDA_LOAD_EMBED_H
#define ESTAT_PMDA_LOAD_EMBED_H

#include <bpf/libbpf.h>
#include <errno.h>

/*
 * Define NAME and NAME_end, the begin and the end of the file OBJECT. Link-time optimization may
 * move this asm away from the code that uses the symbols, so the symbols are global and hidden.
 */
#define EMBED(NAME, OBJECT)                                                      \
	extern const char NAME[], NAME##_end[];                                  \
	__asm__(".pushsection .rodata\n"                                         \
		".globl " #NAME ", " #NAME "_end\n"                              \
		".hidden " #NAME ", " #NAME "_end\n"                             \
		".balign 8\n" #NAME ": .incbin \"" OBJECT "\"\n" #NAME "_end:\n" \
		".popsection\n");

/*
 * Load the object from `begin` to `end` with the types in the file `types`. NULL: errno says why
 * not.
 */
static inline struct bpf_object *embed_load_with(const char *types, const char *name,
						 const char *begin, const char *end)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = name, .btf_custom_path = types);
	struct bpf_object *object = bpf_object__open_mem(begin, end - begin, &options);
	int err = object ? bpf_object__load(object) : -errno;

	if (!err)
		return object;
	bpf_object__close(object);
	errno = -err;
	return NULL;
}

/* The same with the kernel's types. */
static inline struct bpf_object *embed_load(const char *name, const char *begin, const char *end)
{
	return embed_load_with("/sys/kernel/btf/vmlinux", name, begin, end);
}

#endif /* ESTAT_PMDA_LOAD_EMBED_H */
