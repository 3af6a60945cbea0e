// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * BPF programs find a page as soon as its map is in the array of maps. But the system call that
 * stores the map returns only after no BPF program has the element's old value any more
 * (maybe_wait_bpf_programs), some 5 to 30 ms later. Keys of a burst must not wait that long for
 * slots, so a thread makes the system call.
 */
#include <bpf/bpf.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include "publish.h"

#define PENDING 1 /* no result of a system call */

static struct {
	int pages, page;
	uint32_t number;
	int result; /* PENDING, 0 or a negative errno */
} job;

static pthread_t thread;
static bool is_running;

static void *store(void *unused)
{
	int err = bpf_map_update_elem(job.pages, &job.number, &job.page, BPF_ANY);

	__atomic_store_n(&job.result, err, __ATOMIC_RELEASE);
	return unused;
}

static bool begin(void)
{
	pthread_attr_t small;

	if (pthread_attr_init(&small))
		return false;
	is_running = !pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN + 16384) &&
		     !pthread_create(&thread, &small, store, NULL);
	pthread_attr_destroy(&small);
	return is_running;
}

static bool is_found(void)
{
	uint32_t id;

	return !bpf_map_lookup_elem(job.pages, &job.number, &id);
}

int publish(int pages, uint32_t number, int page)
{
	const struct timespec moment = { .tv_nsec = 50000 };
	int result;

	if (is_running)
		pthread_join(thread, NULL);
	is_running = false;
	job.pages = pages;
	job.page = page;
	job.number = number;
	job.result = PENDING;
	if (!begin())
		store(NULL);
	while ((result = __atomic_load_n(&job.result, __ATOMIC_ACQUIRE)) == PENDING && !is_found())
		nanosleep(&moment, NULL);
	return result == PENDING ? 0 : result;
}
