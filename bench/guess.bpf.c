// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each run finds the slot of a key, chosen at random among `keys` keys in use, to time the slot
 * cache. The keys are as in the module zio: disks with 64-bit ids that look random, and four
 * priorities for each disk.
 */
#include "aggregate.bpf.h"

ESTAT_MODULE(guess, 0);

struct key {
	estat_name_t pool;
	estat_name_t vdev;
	__u32 op;
	__u32 priority;
};

ESTAT_TABLE(guess, struct key, struct estat_io, 1024);

const volatile __u32 keys SEC(".rodata.keys") = 0;
__u64 random = 1;

SEC("xdp")
int find(void *ctx)
{
	/* Knuth's random number generator for MMIX */
	__u64 n = random * 6364136223846793005 + 1442695040888963407;
	__u64 number = (n >> 33) % keys, disk = number / 4;
	struct key key = {
		.pool = 0xf5a2c3b19d8e7046,
		.vdev = (disk + 1) * 0x9e3779b97f4a7c15,
		.op = 257 + (number & 1),
		.priority = 256 + (number & 3),
	};
	struct estat_io *v = guess_get(&key);

	random = n;
	if (v)
		estat_add(v->ops, 1);
	return 0;
}
