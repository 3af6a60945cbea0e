// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clocks.h"
#include "helper.h"
#include "host.h"
#include "object.h"

bool clocks_run(const struct bpf_program *p)
{
	return bpf_program__type(p) == BPF_PROG_TYPE_PERF_EVENT;
}

static struct bpf_program *program_of(const struct bpf_object *object)
{
	struct bpf_program *p;

	bpf_object__for_each_program (p, object)
		if (clocks_run(p))
			return p;
	return NULL;
}

unsigned int clocks_links(const struct bpf_object *object)
{
	return program_of(object) ? host_cpus() : 0;
}

static struct bpf_link *attach_clock(const struct bpf_program *p, unsigned int cpu, uint32_t hz)
{
	int fd = helper_clock(cpu, hz), err;
	struct bpf_link *link;

	if (fd < 0) {
		libbpf_log_add("cannot open the clock of CPU %u", cpu);
		errno = -fd;
		return NULL;
	}
	link = bpf_program__attach_perf_event(p, fd); /* if made, the link owns fd */
	if (link)
		return link;
	err = errno;
	close(fd);
	errno = err;
	return NULL;
}

/*
 * A number that changes each time the CPU comes online, as after a suspend; 0: the CPU is offline.
 * The number is the inode number of the CPU's folder `topology`, which the kernel makes anew.
 */
static uint64_t cpu_number(unsigned int cpu)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/topology", cpu);
	return stat(path, &st) ? 0 : st.st_ino;
}

int clocks_attach(const struct loaded *l, struct bpf_link **links)
{
	const struct bpf_program *p = program_of(l->object);
	uint64_t *clocked = l->programs.clocked;
	int err = 0;

	for (unsigned int cpu = 0; cpu < l->programs.clocks; cpu++) {
		uint64_t number = cpu_number(cpu);

		if (number != clocked[cpu]) {
			bpf_link__destroy(links[cpu]);
			links[cpu] = NULL;
			clocked[cpu] = number;
		}
		if (number && !links[cpu] &&
		    !(links[cpu] = attach_clock(p, cpu, l->programs.clock_hz)))
			err = -errno;
	}
	return err;
}
