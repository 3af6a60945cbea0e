// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * New pages of a table (pmda/load/publish.h), with a kernel that waits between the store of a map
 * and the return of the system call for as long as a test wants it to. The linker has publish.c
 * call the functions __wrap_* in place of libbpf's.
 */
#include <errno.h>
#include <semaphore.h>
#include <unistd.h>

#include "load/publish.h"
#include "unit.h"

#define PAGES 7 /* a descriptor of the array of maps, which no test opens */
#define MORE  3 /* pages */

int __wrap_bpf_map_update_elem(int fd, const void *key, const void *value, uint64_t flags);
int __wrap_bpf_map_lookup_elem(int fd, const void *key, void *value);

static int stored[8]; /* the pages' descriptors by number; 0: none */
static int calls;     /* how many system calls have stored a map and not returned */
static sem_t returns; /* a call of sem_post() lets one system call return */
static int error;     /* the next system call fails so; 0: it does not */

int __wrap_bpf_map_update_elem(int fd, const void *key, const void *value, uint64_t flags)
{
	(void)flags;
	assert_int_equal(fd, PAGES);
	if (error)
		return error;
	__atomic_fetch_add(&calls, 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&stored[*(const uint32_t *)key], *(const int *)value, __ATOMIC_SEQ_CST);
	sem_wait(&returns);
	__atomic_fetch_sub(&calls, 1, __ATOMIC_SEQ_CST);
	return 0;
}

int __wrap_bpf_map_lookup_elem(int fd, const void *key, void *value)
{
	assert_int_equal(fd, PAGES);
	*(uint32_t *)value = 1;
	return __atomic_load_n(&stored[*(const uint32_t *)key], __ATOMIC_SEQ_CST) ? 0 : -ENOENT;
}

/* A page is found before the system call returns: publish() would hang if it waited for that. */
static void test_at_once(void **state)
{
	(void)state;
	assert_int_equal(publish(PAGES, 0, 40), 0);
	assert_int_equal(stored[0], 40);
	assert_int_equal(calls, 1);
	sem_post(&returns);
}

/* Only one system call is under way: the next page waits for it. */
static void test_one_by_one(void **state)
{
	(void)state;
	for (uint32_t i = 1; i <= MORE; i++) {
		assert_int_equal(publish(PAGES, i, 40 + i), 0);
		assert_int_equal(stored[i], 40 + i);
		assert_int_equal(calls, 1);
		sem_post(&returns);
	}
}

/* An error is of this page alone. */
static void test_error(void **state)
{
	(void)state;
	error = -ENOMEM;
	assert_int_equal(publish(PAGES, 5, 45), -ENOMEM);
	assert_int_equal(publish(PAGES, 5, 45), -ENOMEM);
	error = 0;
	assert_int_equal(stored[5], 0);
	assert_int_equal(publish(PAGES, 5, 45), 0);
	assert_int_equal(stored[5], 45);
	sem_post(&returns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_at_once),
		cmocka_unit_test(test_one_by_one),
		cmocka_unit_test(test_error),
	};

	sem_init(&returns, 0, 0);
	alarm(60); /* ends a test that hangs */
	return cmocka_run_group_tests_name("publish", tests, NULL, NULL);
}
