/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types of the kernel and of kernel modules, from /sys/kernel/btf, which every user can read.
 * libbpf itself would ask the kernel for the BTF of all kernel modules, which takes CAP_SYS_ADMIN.
 * Types are kept until kernel_btf_forget(), because modules often start one after another.
 */
#ifndef ESTAT_PMDA_LOAD_KERNEL_BTF_H
#define ESTAT_PMDA_LOAD_KERNEL_BTF_H

#include <stdint.h>

struct bpf_object;
struct bpf_program;

/* Register the libbpf handlers for fentry, fexit, tp_btf, kprobe and kretprobe sections. */
void kernel_btf_register(void);

/* Call kallsyms_want() for each symbol that the object's BPF programs probe. */
void kernel_btf_want(const struct bpf_object *object);

/*
 * A descriptor, for object_open(), of a file with the types of the kernel and of `kernel_module`;
 * if that is NULL or has no BTF, of the first kernel module that the object's BPF programs probe,
 * unless `object` is NULL. The caller does not close the descriptor. -1: libbpf finds all types
 * itself.
 */
int kernel_btf_file(const struct bpf_object *object, const char *kernel_module);

/* The value of a kernel's enumerator; ESTAT_NO_ENUMERATOR: none of that name with 32 bits. */
uint32_t kernel_btf_enumerator(const char *name);

/* The number of arguments of the function that the BPF program probes; 0: not in kernel BTF. */
unsigned int kernel_btf_arguments(const struct bpf_program *p);

/* Free all types: kernel modules may have changed, or all modules have started. */
void kernel_btf_forget(void);

#endif /* ESTAT_PMDA_LOAD_KERNEL_BTF_H */
