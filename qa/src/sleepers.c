// SPDX-License-Identifier: GPL-2.0-or-later
/* sleepers N MILLISECONDS: N threads that call nanosleep(2) once each, all at the same time. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static struct timespec duration;
static pthread_barrier_t barrier;

static void *sleeper(void *unused)
{
	pthread_barrier_wait(&barrier);
	nanosleep(&duration, NULL);
	return unused;
}

int main(int argc, char **argv)
{
	int n = argc == 3 ? atoi(argv[1]) : 0, ms = argc == 3 ? atoi(argv[2]) : 0;
	pthread_attr_t attributes;
	pthread_t *threads;

	if (n <= 0 || ms <= 0) {
		fprintf(stderr, "usage: sleepers N MILLISECONDS\n");
		return 1;
	}
	threads = calloc(n, sizeof(*threads));
	duration = (struct timespec){ ms / 1000, ms % 1000 * 1000000L };
	pthread_barrier_init(&barrier, NULL, n);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 64 << 10);
	for (int i = 0; i < n; i++) {
		if (!threads || pthread_create(&threads[i], &attributes, sleeper, NULL)) {
			perror("sleepers: pthread_create");
			return 1;
		}
	}
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
