/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types of the kernel and of kernel modules, from /sys/kernel/btf, which every user can read.
 * libbpf itself would ask the kernel for the BTF of all kernel modules, which takes CAP_SYS_ADMIN.
 * Types are kept until kernel_btf_forget(), because modules often start one after another.
 */
#ifndef ESTAT_PMDA_LOAD_KERNEL_BTF_H
#define ESTAT_PMDA_LOAD_KERNEL_BTF_H

#include <stdbool.h>
#include <stdint.h>

struct bpf_object;
struct bpf_program;

/* Register the libbpf handlers for fentry, fexit, tp_btf, kprobe and kretprobe sections. */
void kernel_btf_register(void);

/* Read the kernel's types now, so that the first load need not. Takes 15 ms or more. */
void kernel_btf_read(void);

/* Call kallsyms_want() for each symbol that the object's BPF programs probe. */
void kernel_btf_want(const struct bpf_object *object);

/*
 * Has the kernel, or a loaded kernel module, the function? kernel_btf_has() looks in the kernel's
 * BTF first, because the agent reads this BTF at each start anyway, and a reading of /proc/kallsyms
 * takes 30 ms or more.
 */
bool kernel_btf_has(const char *function);

/*
 * Returns 0 if the kernel has what the object's chosen BPF programs probe, and lets the agent load
 * BPF programs of their types. Else returns the negative errno with which the load or the
 * attachment would fail, and adds the reason to libbpf's messages (object.h).
 */
int kernel_btf_check(const struct bpf_object *object);

/*
 * Make an empty file of types, for object_open(). Returns a descriptor, which the caller closes
 * after the load; -1: the file cannot be made, or the kernel has no BTF. libbpf reports at the load
 * that BTF is missing.
 */
int kernel_btf_file(void);

/*
 * Before the load, write to `file` the types that the object needs: those of the kernel, those of
 * the kernel module named `needs`, those of the kernel module that ESTAT_ALSO names, and those in
 * the file `made` (-1: no file). If `needs` is NULL, or that kernel module has no BTF, other kernel
 * modules take its place: those that the object's BPF programs probe, and those that ESTAT_TYPES
 * names. Returns 0 or a negative errno.
 */
int kernel_btf_fill(int file, const struct bpf_object *object, const char *needs, int made);

/*
 * Load an object of the agent's own, which lies from `begin` to `end` in memory, with the types
 * that kernel_btf_fill() writes for `kernel_module` as `needs` and for `made`. The caller closes
 * the object. Returns NULL if the load fails: errno says why.
 */
struct bpf_object *kernel_btf_load(int made, const char *kernel_module, const char *name,
				   const char *begin, const char *end);

/* The value of an enumerator of the kernel; ESTAT_NO_ENUMERATOR: no 32-bit enum has it. */
uint32_t kernel_btf_enumerator(const char *name);

/*
 * The number of arguments of the function that a BPF program probes. 0, too, if BTF lacks the
 * function, or if the BPF program probes no function.
 */
unsigned int kernel_btf_arguments(const struct bpf_program *p);

/* Free all types, because kernel modules may have changed, or all modules have started. */
void kernel_btf_forget(void);

#endif /* ESTAT_PMDA_LOAD_KERNEL_BTF_H */
