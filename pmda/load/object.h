/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A module's object file: only root may have written it. Collects libbpf's messages about it. */
#ifndef ESTAT_PMDA_LOAD_OBJECT_H
#define ESTAT_PMDA_LOAD_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

struct bpf_object;

/* Is `name` a name of a module's file: *.bpf.o, no leading dot? */
bool object_is_module_file(const char *name);

/*
 * Open an object file that only root can have written. `types`: a descriptor of the kernel's types,
 * to stay open until the object is loaded; -1: none. The caller closes the object with
 * bpf_object__close(). NULL: `error` has the reason; libbpf_log_end() may have more.
 */
struct bpf_object *object_open(const char *path, const char *name, int types, char *error,
			       size_t size);

/* Open a file of BTF that only root can have written. Returns a descriptor; -1: see `error`. */
int object_open_types(const char *path, char *error, size_t size);

/* Collect libbpf's warnings from here on. */
void libbpf_log_begin(void);

/* Add a line to libbpf's warnings; for handlers that libbpf calls. */
void libbpf_log_add(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Stop collecting. If `failed`, log the last lines. *reason becomes libbpf's first warning and,
 * if the verifier refused a BPF program, the verifier's last message.
 */
void libbpf_log_end(const char *module, bool failed, char *reason, size_t size);

#endif /* ESTAT_PMDA_LOAD_OBJECT_H */
