// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sleeper: how long nanosleep takes, by command, if no signal interrupts it. For the tests of
 * probes on functions: a thousand threads can be in nanosleep at once.
 */
#include "aggregate.bpf.h"
#include "return.bpf.h"

ESTAT_MODULE(sleeper, 0);

struct key {
	char command[16];
};

ESTAT_SERIES(sleeper, 0, struct key, struct estat_latency, 16,
	     "From the entry of hrtimer_nanosleep to its return");

ESTAT_CALL(sleep_ends, hrtimer_nanosleep, 1, estat_every_call)
{
	struct key key = {};

	if (call->ret)
		return 0;
	bpf_get_current_comm(key.command, sizeof(key.command));
	estat_count_latency(sleeper_get(&key), estat_elapsed(call));
	return 0;
}
