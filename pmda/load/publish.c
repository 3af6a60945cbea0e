// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * BPF programs find a page, a map with slots, as soon as the page is in the array of maps. But the
 * system call that stores the page returns only after no BPF program has the element's old value
 * any more (maybe_wait_bpf_programs), which can take 30 ms. Keys of a burst must not wait that long
 * for slots, so a thread makes the system call.
 */
#include <bpf/bpf.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include "publish.h"

/*
 * the `result` of a job whose system call has not returned yet; none of the jobs' system calls
 * returns 1
 */
#define PENDING 1

static struct job {
	pthread_t thread;
	bool has_thread;
	int pages, page;
	uint32_t number;
	int result; /* PENDING, 0 or a negative errno */
} jobs[PUBLISH_AT_ONCE];

static void *store(void *of)
{
	struct job *job = of;
	int err = bpf_map_update_elem(job->pages, &job->number, &job->page, BPF_ANY);

	__atomic_store_n(&job->result, err, __ATOMIC_RELEASE);
	return NULL;
}

static bool begin(struct job *job)
{
	pthread_attr_t small;

	if (pthread_attr_init(&small))
		return false;
	job->has_thread = !pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN + 16384) &&
			  !pthread_create(&job->thread, &small, store, job);
	pthread_attr_destroy(&small);
	return job->has_thread;
}

static bool is_found(const struct job *job)
{
	uint32_t id;

	return !bpf_map_lookup_elem(job->pages, &job->number, &id);
}

/* Wait until the thread of the job, if there is one, has ended. */
static void join(struct job *job)
{
	if (job->has_thread)
		pthread_join(job->thread, NULL);
	job->has_thread = false;
}

int publish(int pages, uint32_t number, int page)
{
	static unsigned int n;
	const struct timespec moment = { .tv_nsec = 50000 };
	/* an unused job or, if there is none, the job that began first */
	struct job *job = &jobs[n++ % PUBLISH_AT_ONCE];
	int result;

	join(job);
	*job = (struct job){ .pages = pages, .page = page, .number = number, .result = PENDING };
	if (!begin(job))
		store(job);
	while ((result = __atomic_load_n(&job->result, __ATOMIC_ACQUIRE)) == PENDING &&
	       !is_found(job))
		nanosleep(&moment, NULL);
	return result == PENDING ? 0 : result;
}

void publish_end(void)
{
	for (struct job *job = jobs; job < jobs + PUBLISH_AT_ONCE; job++)
		join(job);
}
