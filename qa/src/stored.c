// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stored N: call sched_getscheduler(2), so that the test module `stores` keeps a value for this
 * thread; then change this thread's element in the module's map `kept`, N times.
 */
#include <bpf/bpf.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int find_map(const char *name)
{
	uint32_t id = 0;

	while (!bpf_map_get_next_id(id, &id)) {
		struct bpf_map_info info = {};
		uint32_t size = sizeof(info);
		int fd = bpf_map_get_fd_by_id(id);

		if (!bpf_obj_get_info_by_fd(fd, &info, &size) && !strcmp(info.name, name))
			return fd;
		close(fd);
	}
	return -1;
}

int main(int argc, char **argv)
{
	int map = find_map("kept"), thread = syscall(SYS_pidfd_open, getpid(), 0);
	uint64_t value = 0;

	if (argc != 2) {
		fprintf(stderr, "usage: stored N\n");
		return 1;
	}
	sched_getscheduler(0);
	for (int i = atoi(argv[1]); i > 0; i--) {
		if (bpf_map_update_elem(map, &thread, &value, BPF_ANY)) {
			perror("stored: bpf_map_update_elem");
			return 1;
		}
	}
	return 0;
}
