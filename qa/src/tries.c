// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tries UPDATES STEPS: by bpf(2), change an element of a trie (an LPM map) UPDATES times, and get
 * the trie's first key STEPS times.
 */
#include <bpf/bpf.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_NO_PREALLOC);
	struct {
		unsigned int bits, data;
	} key = { 32, 1 }, first;
	unsigned int value = 0;
	int trie;

	if (argc != 3) {
		fprintf(stderr, "usage: tries UPDATES STEPS\n");
		return 1;
	}
	trie = bpf_map_create(BPF_MAP_TYPE_LPM_TRIE, "trie", sizeof(key), sizeof(value), 4,
			      &options);
	for (int i = atoi(argv[1]); i > 0; i--) {
		if (bpf_map_update_elem(trie, &key, &value, BPF_ANY)) {
			perror("tries: bpf_map_update_elem");
			return 1;
		}
	}
	for (int i = atoi(argv[2]); i > 0; i--) {
		if (bpf_map_get_next_key(trie, NULL, &first)) {
			perror("tries: bpf_map_get_next_key");
			return 1;
		}
	}
	return 0;
}
