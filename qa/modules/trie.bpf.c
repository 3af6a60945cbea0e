// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trie: calls of two functions of tries (LPM maps), by command and function: for the test of
 * skipped kprobes. bpf(2) calls the first function while bpf_prog_active is set, and the second
 * while bpf_prog_active is not set.
 */
#include "aggregate.bpf.h"
#include "probe.bpf.h"

ESTAT_MODULE(trie, 0);

enum function {
	function_update,
	function_get_next_key,
};

struct key {
	char command[16];
	enum function function;
};

struct value {
	estat_count_t calls ESTAT_FIELD(17, "Number of calls");
};

ESTAT_SERIES(trie, 0, struct key, struct value, 16,
	     "Calls of trie_update_elem and trie_get_next_key");
ESTAT_ONE_WRITER(trie);

static __always_inline int count(enum function function)
{
	struct key key = {};
	struct value *v;

	bpf_get_current_comm(key.command, sizeof(key.command));
	key.function = function;
	v = trie_get(&key);
	if (v)
		estat_add(v->calls, 1);
	return 0;
}

ESTAT_ENTRY(trie_updated, trie_update_elem, 1)
{
	return count(function_update);
}

ESTAT_ENTRY(trie_walked, trie_get_next_key, 1)
{
	return count(function_get_next_key);
}
