/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's types and those of its modules, by the BTF that anybody can read in
 * /sys/kernel/btf. libbpf would ask the kernel for the BTF of all its modules by number,
 * which takes CAP_SYS_ADMIN; so it is told here where programs attach and, of a kernel
 * module, how its structs are laid out. What was read is kept until it is forgotten, for
 * modules often start one after another.
 */
#ifndef ESTAT_PMDA_LOAD_KERNEL_BTF_H
#define ESTAT_PMDA_LOAD_KERNEL_BTF_H

#include <stdint.h>

struct bpf_object;

/* Have libbpf ask here where programs attach: on fentry, fexit, tp_btf, kprobe and kretprobe. */
void kernel_btf_register(void);

/* The object's programs will be started: see kallsyms_want(). */
void kernel_btf_want(const struct bpf_object *object);

/*
 * A file for object_open() with the kernel's types and those of the kernel module that it
 * names, or else whose functions or tracepoints the object's programs probe: the first one's,
 * if there are several. -1: libbpf finds all types itself. It is not the caller's to close.
 */
int kernel_btf_file(const struct bpf_object *object, const char *kernel_module);

/*
 * The value of an enumerator of the kernel's own types, ESTAT_NO_ENUMERATOR if no enumeration of
 * 32 bits has one of that name.
 */
uint32_t kernel_btf_enumerator(const char *name);

/* Kernel modules may have come or gone, or all have started. */
void kernel_btf_forget(void);

#endif /* ESTAT_PMDA_LOAD_KERNEL_BTF_H */
