// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests publish(), which gives a table new pages (pmda/load/publish.h). The linker replaces
 * libbpf's functions by the functions __wrap_*. __wrap_bpf_map_update_elem() imitates a system call
 * that stores a map at once, and returns only when the test lets it return.
 */
#include <errno.h>
#include <semaphore.h>
#include <unistd.h>

#include "load/publish.h"
#include "unit.h"

#define ARRAY 7                     /* a descriptor of the array of maps, which no test opens */
#define MANY  (PUBLISH_AT_ONCE + 3) /* pages */

int __wrap_bpf_map_update_elem(int fd, const void *key, const void *value, uint64_t flags);
int __wrap_bpf_map_lookup_elem(int fd, const void *key, void *value);

static int stored[MANY + 1];    /* each page's descriptor, by the page's number; 0: none */
static sem_t returns[MANY + 1]; /* sem_post(&returns[N]) lets the system call for page N return */
static int calls;               /* how many system calls have stored a map and not returned */
static int error;               /* system calls fail with this error; 0: they succeed */

int __wrap_bpf_map_update_elem(int fd, const void *key, const void *value, uint64_t flags)
{
	uint32_t number = *(const uint32_t *)key;

	(void)flags;
	assert_int_equal(fd, ARRAY);
	if (error)
		return error;
	__atomic_fetch_add(&calls, 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&stored[number], *(const int *)value, __ATOMIC_SEQ_CST);
	sem_wait(&returns[number]);
	__atomic_fetch_sub(&calls, 1, __ATOMIC_SEQ_CST);
	return 0;
}

int __wrap_bpf_map_lookup_elem(int fd, const void *key, void *value)
{
	assert_int_equal(fd, ARRAY);
	*(uint32_t *)value = 1;
	return __atomic_load_n(&stored[*(const uint32_t *)key], __ATOMIC_SEQ_CST) ? 0 : -ENOENT;
}

/* The array has a page before the system call returns; a publish() that waited would hang. */
static void test_at_once(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < PUBLISH_AT_ONCE; i++) {
		assert_int_equal(publish(ARRAY, i, 40 + i), 0);
		assert_int_equal(stored[i], 40 + i);
	}
	assert_int_equal(calls, PUBLISH_AT_ONCE);
}

/* With PUBLISH_AT_ONCE system calls under way, publish() waits until the earliest returns. */
static void test_no_more(void **state)
{
	(void)state;
	for (uint32_t i = PUBLISH_AT_ONCE; i < MANY; i++) {
		sem_post(&returns[i - PUBLISH_AT_ONCE]);
		assert_int_equal(publish(ARRAY, i, 40 + i), 0);
		assert_int_equal(stored[i], 40 + i);
		assert_int_equal(calls, PUBLISH_AT_ONCE);
	}
	for (uint32_t i = MANY - PUBLISH_AT_ONCE; i < MANY; i++)
		sem_post(&returns[i]);
}

/* publish() returns the error of its page; after an error the same page can be published. */
static void test_error(void **state)
{
	(void)state;
	error = -ENOMEM;
	assert_int_equal(publish(ARRAY, MANY, 40), -ENOMEM);
	assert_int_equal(publish(ARRAY, MANY, 40), -ENOMEM);
	error = 0;
	assert_int_equal(stored[MANY], 0);
	assert_int_equal(publish(ARRAY, MANY, 40), 0);
	assert_int_equal(stored[MANY], 40);
	sem_post(&returns[MANY]);
	publish_end();
	assert_int_equal(calls, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_at_once),
		cmocka_unit_test(test_no_more),
		cmocka_unit_test(test_error),
	};

	for (uint32_t i = 0; i <= MANY; i++)
		sem_init(&returns[i], 0, 0);
	alarm(60); /* ends a test that hangs */
	return cmocka_run_group_tests_name("publish", tests, NULL, NULL);
}
