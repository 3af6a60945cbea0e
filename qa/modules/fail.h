/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the modules that tests of failures load have in common: one series, its
 * key a number. What is wrong with each is in its own file.
 */
#ifndef ESTAT_QA_MODULES_FAIL_H
#define ESTAT_QA_MODULES_FAIL_H

#include "aggregate.bpf.h"

struct fail_key {
	__u32 number;
};

struct fail_value {
	estat_count_t ops ESTAT_HELP("Number of events");
};

/* Declare module NAME, and NAME_count(number) to count an event. */
#define FAIL_MODULE(NAME, CLUSTER, KEYS)                                                        \
	ESTAT_MODULE(NAME, CLUSTER);                                                            \
	ESTAT_SERIES(NAME, 0, struct fail_key, struct fail_value, KEYS, "Events, by a number"); \
	static __always_inline int NAME##_count(__u32 number)                                   \
	{                                                                                       \
		struct fail_key key = { .number = number };                                     \
		struct fail_value *v = NAME##_get(&key);                                        \
                                                                                                \
		if (v)                                                                          \
			estat_add(v->ops, 1);                                                   \
		return 0;                                                                       \
	}

#endif /* ESTAT_QA_MODULES_FAIL_H */
