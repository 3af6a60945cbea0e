// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests how many shards a module gets, by the host's CPUs and memory (pmda/load/host.h,
 * pmda/load/maps.h).
 */
#include "lib/cpus.h"
#include "load/host.h"
#include "load/maps.h"
#include "unit.h"

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

/* Bytes of one shard of 1,024 slots of 2 KiB. A shard of the module zio has 2.5 MiB. */
#define SHARD (1024 * UINT64_C(2048))

static void cpus(void **state)
{
	(void)state;
	assert_int_equal(cpus_of("0\n"), 1);
	assert_int_equal(cpus_of("0-1\n"), 2);
	assert_int_equal(cpus_of("0-255\n"), 256);
	assert_int_equal(cpus_of("0-3,8-11\n"), 12);
	assert_int_equal(cpus_of("0,2,64"), 65);
	assert_int_equal(cpus_of(""), 0);
	assert_int_equal(cpus_of("\n"), 0);
	assert_true(host_cpus() > 0);
}

/*
 * If n is a power of two, a host with at most n CPUs and with n GiB of memory has at least as many
 * shards as CPUs. With less memory the host may have fewer shards.
 */
static void shards_of_2_mib(void **state)
{
	(void)state;
	assert_int_equal(maps_shards(SHARD, 1, 1 * GIB), 1);
	assert_int_equal(maps_shards(SHARD, 2, 1 * GIB), 2);
	assert_int_equal(maps_shards(SHARD, 12, 32 * GIB), 16);
	assert_int_equal(maps_shards(SHARD, 64, 64 * GIB), 64);
	assert_int_equal(maps_shards(SHARD, 64, 63 * GIB), 32);
	assert_int_equal(maps_shards(SHARD, 65, 256 * GIB), 128);
	assert_int_equal(maps_shards(SHARD, 256, 512 * GIB), 256);
}

/*
 * With little or unknown memory all shards together have at most 5 MiB; a larger shard is the only
 * one.
 */
static void shards_of_small_hosts(void **state)
{
	(void)state;
	assert_int_equal(maps_shards(1 * MIB, 64, 2 * GIB), 4);
	assert_int_equal(maps_shards(1 * MIB, 64, 0), 4);
	assert_int_equal(maps_shards(100 * MIB, 64, 1 * GIB), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpus),
		cmocka_unit_test(shards_of_2_mib),
		cmocka_unit_test(shards_of_small_hosts),
	};

	return cmocka_run_group_tests_name("host", tests, NULL, NULL);
}
