/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens object files of modules; refuses files that others than root may write. Collects libbpf's
 * messages.
 */
#ifndef ESTAT_PMDA_LOAD_OBJECT_H
#define ESTAT_PMDA_LOAD_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

struct bpf_object;

/* Is `name` a name of a module's file: *.bpf.o, no leading dot? */
bool object_is_module_file(const char *name);

/*
 * Open a regular file that root owns and only root can write. Returns a descriptor; -1: not opened;
 * `error` says why, for example because another user can write the file.
 */
int object_file(const char *path, char *error, size_t size);

/*
 * Open the object in a file of object_file(); free the object with bpf_object__close(). `types`: a
 * descriptor of a file of the kernel's types, which the caller keeps open until the load; -1: none.
 * Returns NULL after a failure: `error` says why, and libbpf_log_end() may say more.
 */
struct bpf_object *object_open(int file, const char *name, int types, char *error, size_t size);

/*
 * Open a file of BTF that only root can write. Returns a descriptor; -1: not opened, see `error`.
 */
int object_open_types(const char *path, char *error, size_t size);

/* Begin to collect libbpf's warnings, until libbpf_log_end(). */
void libbpf_log_begin(void);

/* If warnings are being collected, add a line to them. */
void libbpf_log_add(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Stop collecting warnings. If `failed`, log the last warnings. *reason becomes the first warning
 * ("" if there is none), followed by the verifier's last message if the verifier has refused a BPF
 * program.
 */
void libbpf_log_end(const char *module, bool failed, char *reason, size_t size);

#endif /* ESTAT_PMDA_LOAD_OBJECT_H */
