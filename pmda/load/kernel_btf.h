/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types of the kernel and of kernel modules, from the BTF in /sys/kernel/btf,
 * which every user can read. libbpf itself would ask the kernel for the BTF of all
 * kernel modules by number, which takes CAP_SYS_ADMIN; so estat tells libbpf where
 * a BPF program attaches, and the layout of a kernel module's structs. Results are
 * kept until kernel_btf_forget(), because modules often start one after another.
 */
#ifndef ESTAT_PMDA_LOAD_KERNEL_BTF_H
#define ESTAT_PMDA_LOAD_KERNEL_BTF_H

#include <stdint.h>

struct bpf_object;

/* Register the libbpf handlers for fentry, fexit, tp_btf, kprobe and kretprobe sections. */
void kernel_btf_register(void);

/* The object's BPF programs will be attached: name their symbols with kallsyms_want(). */
void kernel_btf_want(const struct bpf_object *object);

/*
 * A file descriptor for object_open(): the kernel's types together with
 * those of a kernel module. That is `kernel_module` or, if it is NULL or has
 * no BTF, the first one that the object's BPF programs probe. -1: libbpf
 * finds all types itself. The descriptor stays open here; do not close it.
 */
int kernel_btf_file(const struct bpf_object *object, const char *kernel_module);

/*
 * An enumerator's value in the kernel's own types;
 * ESTAT_NO_ENUMERATOR: not there, or not 32 bits.
 */
uint32_t kernel_btf_enumerator(const char *name);

/* Drop all types, when kernel modules may have changed, or when all modules have started. */
void kernel_btf_forget(void);

#endif /* ESTAT_PMDA_LOAD_KERNEL_BTF_H */
