/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What follows for a module from an error: state, text of the error, and whether to try again. */
#ifndef ESTAT_PMDA_LOAD_FAILURE_H
#define ESTAT_PMDA_LOAD_FAILURE_H

#include "module.h"

struct failure {
	enum module_state state; /* MODULE_WAITING or MODULE_FAILED */
	bool passes;             /* the agent tries to load or attach again after a pause */
	/* the kernel forbids the BPF programs, or lacks the kind of probe that they use */
	bool is_kernels;
	char error[MODULE_ERROR_LEN];
};

/*
 * Find out what follows if the object `l` could not be loaded or attached. `err`: a negative errno.
 * `reason`: libbpf's text. If l->error or l->edition->error is set, the state is
 * MODULE_FAILED. Else the state is MODULE_WAITING in two cases:
 * - the kernel module that the module needs is not ready; with `enabled = on` only if, besides, the
 *   module has counters and `l` is of the module's edition
 * - `enabled = auto`, failure_is_missing(), and kernel_is_confidential() is false
 * In any other case the state is MODULE_FAILED.
 */
void failure_judge(const struct module *m, const struct loaded *l, int err, const char *reason,
		   struct failure *f);

/* Does `err` mean that a probed function or its BTF is missing? A kernel module may bring these. */
bool failure_is_missing(int err);

/* Does `err` mean that memory or descriptors were lacking, or that the call was interrupted? */
bool failure_is_transient(int err);

/*
 * Shall libbpf's warnings be logged? False if `err` is no error, or if the kernel forbids BPF
 * programs, because the warnings then explain nothing.
 */
bool failure_is_logged(int err);

#endif /* ESTAT_PMDA_LOAD_FAILURE_H */
