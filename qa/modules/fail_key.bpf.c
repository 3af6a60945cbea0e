// SPDX-License-Identifier: GPL-2.0-or-later
/* A module whose key has a member of a type that no axis can be. */
#include "aggregate.bpf.h"

ESTAT_MODULE(fail_key, 0);

struct key {
	void *address;
};

struct value {
	estat_count_t ops;
};

ESTAT_SERIES(fail_key, 0, struct key, struct value, 4, "Events, by an address");

SEC("tp_btf/block_rq_issue")
int fail_key_issue(__u64 *ctx)
{
	struct key key = { .address = (void *)ctx[0] };
	struct value *v = fail_key_get(&key);

	if (v)
		estat_add(v->ops, 1);
	return 0;
}
