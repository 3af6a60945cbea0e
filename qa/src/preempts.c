// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * preempts N: a thread with SCHED_FIFO calls nanosleep(2) N times, for a millisecond each, on a CPU
 * where another thread changes an element of 4 MiB by bpf(2) again and again. So a kernel that can
 * preempt a thread within bpf(2) does so at the end of most sleeps.
 */
#include <bpf/bpf.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SIZE (4 << 20)

static int map;
static volatile int done;

static void *change(void *element)
{
	while (!done && !bpf_map_update_elem(map, &(int){ 0 }, element, BPF_ANY))
		;
	return NULL;
}

int main(int argc, char **argv)
{
	int n = argc == 2 ? atoi(argv[1]) : 0;
	struct timespec ms = { .tv_nsec = 1000000 };
	struct sched_param first = { .sched_priority = 1 };
	pthread_t changer;
	cpu_set_t cpu;

	if (n <= 0) {
		fprintf(stderr, "usage: preempts N\n");
		return 1;
	}
	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
	map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "large", sizeof(int), SIZE, 1, NULL);
	if (map < 0 || sched_setaffinity(0, sizeof(cpu), &cpu) ||
	    pthread_create(&changer, NULL, change, calloc(1, SIZE)) ||
	    sched_setscheduler(0, SCHED_FIFO, &first)) {
		perror("preempts");
		return 1;
	}
	while (n-- > 0)
		nanosleep(&ms, NULL);
	done = 1;
	pthread_join(changer, NULL);
	return 0;
}
