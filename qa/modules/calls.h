/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For test modules that count the calls of a function, by the command that makes the calls.
 */
#ifndef ESTAT_QA_MODULES_CALLS_H
#define ESTAT_QA_MODULES_CALLS_H

#include "aggregate.bpf.h"

struct calls_key {
	char command[16];
};

struct calls_value {
	estat_count_t calls ESTAT_FIELD(17, "Number of calls");
};

/* Declare the series NAME, and NAME_count() to count a call. */
#define CALLS(NAME, FUNCTION)                                                                  \
	ESTAT_SERIES(NAME, 0, struct calls_key, struct calls_value, 64, "Calls of " FUNCTION); \
	static __always_inline int NAME##_count(void)                                          \
	{                                                                                      \
		struct calls_key key = {};                                                     \
		struct calls_value *v;                                                         \
                                                                                               \
		bpf_get_current_comm(key.command, sizeof(key.command));                        \
		v = NAME##_get(&key);                                                          \
		if (v)                                                                         \
			estat_add(v->calls, 1);                                                \
		return 0;                                                                      \
	}

#endif /* ESTAT_QA_MODULES_CALLS_H */
