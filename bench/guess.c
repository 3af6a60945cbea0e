// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * guess OBJECT KEYS: run the BPF program in guess.bpf.o with KEYS keys in use. Prints the
 * nanoseconds that a run takes: the lowest of ROUNDS means, each over RUNS runs.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>

#define SLOTS  1024
#define ROUNDS 50
#define RUNS   100000

static struct bpf_object *load(const char *path, unsigned int keys)
{
	struct bpf_object *object = bpf_object__open(path);
	struct bpf_map *by_size, *rodata;
	size_t size;

	if (!object)
		return NULL;
	by_size = bpf_object__find_map_by_name(object, "guess_by_size");
	rodata = bpf_object__find_map_by_name(object, ".rodata.keys");
	if (!rodata || !by_size || bpf_map__set_autocreate(by_size, false))
		return NULL;
	*(unsigned int *)bpf_map__initial_value(rodata, &size) = keys;
	return bpf_object__load(object) ? NULL : object;
}

/* Push the numbers of all slots to the stack from which the BPF program takes a slot for a key. */
static int fill_slots(const struct bpf_object *object)
{
	int slots = bpf_object__find_map_fd_by_name(object, "guess_free"), err = 0;

	for (unsigned int i = 0; i < SLOTS && !err; i++)
		err = bpf_map_update_elem(slots, NULL, &i, BPF_ANY);
	return err;
}

/*
 * The nanoseconds that a run takes; 0 on error. The result is the lowest of ROUNDS means, each over
 * RUNS runs, because interrupts only make a mean higher.
 */
static unsigned int least_time(const struct bpf_object *object)
{
	int program = bpf_program__fd(bpf_object__find_program_by_name(object, "find"));
	unsigned int least = 0;
	char packet[64] = "";

	for (int i = 0; i < ROUNDS; i++) {
		LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = packet,
			    .data_size_in = sizeof(packet), .repeat = RUNS);

		if (bpf_prog_test_run_opts(program, &run))
			return 0;
		if (!least || run.duration < least)
			least = run.duration;
	}
	return least;
}

int main(int argc, char **argv)
{
	struct bpf_object *object = argc == 3 ? load(argv[1], atoi(argv[2])) : NULL;
	unsigned int ns;

	if (!object || fill_slots(object)) {
		fprintf(stderr, "usage: guess OBJECT KEYS\n");
		return 1;
	}
	ns = least_time(object);
	printf("%u\n", ns);
	return !ns;
}
