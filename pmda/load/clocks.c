// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clocks.h"
#include "helper.h"
#include "host.h"
#include "lib/cpus.h"
#include "lib/file.h"

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
		errno = -fd;
		return NULL;
	}
	link = bpf_program__attach_perf_event(p, fd); /* owns fd from now on */
	if (link)
		return link;
	err = errno;
	close(fd);
	errno = err;
	return NULL;
}

int clocks_attach(const struct loaded *l, struct bpf_link **links)
{
	const struct bpf_program *p = program_of(l->object);
	unsigned int cpus = clocks_links(l->object);
	char *online = cpus ? read_text("/sys/devices/system/cpu/online") : NULL;
	int err = 0;

	for (unsigned int cpu = 0; cpu < cpus && online; cpu++) {
		bool on = cpus_have(online, cpu);

		if (on && !links[cpu] &&
		    !(links[cpu] = attach_clock(p, cpu, l->programs.clock_hz))) {
			err = -errno;
		} else if (!on) {
			bpf_link__destroy(links[cpu]);
			links[cpu] = NULL;
		}
	}
	free(online);
	return err;
}
