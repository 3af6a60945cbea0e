/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A module's object file: who may have written it, and what libbpf says of it.
 */
#ifndef ESTAT_PMDA_LOAD_OBJECT_H
#define ESTAT_PMDA_LOAD_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

struct bpf_object;

/* Is that the name of a module's file? */
bool object_is_module_file(const char *name);

/*
 * Open a file that only root can have written; `name` is what libbpf calls it,
 * and `types`, if not -1, a file that it reads the kernel's types from, as long as
 * the object is not loaded. Returns the object, to be closed with
 * bpf_object__close(), or NULL with the reason in error; listen to libbpf for more.
 */
struct bpf_object *object_open(const char *path, const char *name, int types, char *error,
			       size_t size);

/* Open a file of types that only root can have written; or -1, with the reason. */
int object_open_types(const char *path, char *error, size_t size);

/* Keep what libbpf warns of from here on. */
void libbpf_listen(void);

/* Say a line among its, from what it calls. */
void libbpf_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Stop that. If something failed, log the last lines, and write one line to
 * reason: what libbpf could not do and, if the verifier spoke, its last word.
 */
void libbpf_heard(const char *module, bool failed, char *reason, size_t size);

#endif /* ESTAT_PMDA_LOAD_OBJECT_H */
