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

/* Optional: read the kernel's types now, which takes 15 ms or more, and not at the first load. */
void kernel_btf_read(void);

/* Call kallsyms_want() for each symbol that the object's BPF programs probe. */
void kernel_btf_want(const struct bpf_object *object);

/*
 * Has the kernel, by kallsyms.h, what the object's chosen BPF programs probe, and does it let the
 * agent load BPF programs of these types? If not, returns the negative errno that a load or an
 * attachment would give, and logs the reason.
 */
int kernel_btf_check(const struct bpf_object *object);

/*
 * An empty file for object_open(), as a descriptor that the caller closes after the object is
 * loaded. Fill the file before: kernel_btf_fill() writes the types that the object needs, of the
 * kernel and of `kernel_module`; if that is NULL or has no BTF, of the first kernel module that the
 * object's BPF programs probe. kernel_btf_file() returns -1 if the kernel has no BTF: libbpf says
 * so. kernel_btf_fill() returns 0 or a negative errno.
 */
int kernel_btf_file(void);
int kernel_btf_fill(int file, const struct bpf_object *object, const char *kernel_module);

/*
 * Load an object of the agent's own, from `begin` to `end`, with the types in the file `types`; -1:
 * with those of the kernel and of `kernel_module` (NULL: of the kernel alone). NULL: errno says why
 * not.
 */
struct bpf_object *kernel_btf_load(int types, const char *kernel_module, const char *name,
				   const char *begin, const char *end);

/* The value of a kernel's enumerator; ESTAT_NO_ENUMERATOR: none of that name with 32 bits. */
uint32_t kernel_btf_enumerator(const char *name);

/* The number of arguments of the function that the BPF program probes; 0: not in kernel BTF. */
unsigned int kernel_btf_arguments(const struct bpf_program *p);

/* Free all types: kernel modules may have changed, or all modules have started. */
void kernel_btf_forget(void);

#endif /* ESTAT_PMDA_LOAD_KERNEL_BTF_H */
