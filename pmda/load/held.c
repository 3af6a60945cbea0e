// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clocks.h"
#include "held.h"
#include "lib/xalloc.h"
#include "probes.h"

/* Duplicate the descriptor `fd`. Returns the new descriptor or a negative errno. */
static int duplicate(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	return copy < 0 ? -errno : copy;
}

static int add_map(struct held *held, const struct bpf_map *map)
{
	int fd = duplicate(bpf_map__fd(map));

	if (fd < 0)
		return fd;
	held->maps = grow(held->maps, held->nmaps, sizeof(*held->maps));
	held->maps[held->nmaps++] = (struct held_map){
		.name = xalloc(strdup(bpf_map__name(map))),
		.fd = fd,
		.type = bpf_map__type(map),
		.flags = bpf_map__map_flags(map),
		.key_size = bpf_map__key_size(map),
		.value_size = bpf_map__value_size(map),
		.max_entries = bpf_map__max_entries(map),
	};
	return 0;
}

static int add_program(struct held *held, const struct bpf_object *object,
		       const struct bpf_program *p)
{
	int fd = duplicate(bpf_program__fd(p));

	if (fd < 0)
		return fd;
	held->programs = grow(held->programs, held->nprograms, sizeof(*held->programs));
	held->programs[held->nprograms++] = (struct held_program){
		.name = xalloc(strdup(bpf_program__name(p))),
		.section = xalloc(strdup(bpf_program__section_name(p))),
		.fd = fd,
		.probes = probes_is_attached(p),
		.clock = clocks_run(p),
		.counts_runs = probes_count_runs(object, p),
		.ends_calls = probes_end_calls(object, p),
	};
	return 0;
}

int held_take(struct loaded *l)
{
	struct bpf_program *p;
	struct bpf_map *map;
	int err = 0;

	bpf_object__for_each_map (map, l->object)
		if (!err && bpf_map__autocreate(map))
			err = add_map(&l->held, map);
	bpf_object__for_each_program (p, l->object)
		if (!err && bpf_program__autoload(p))
			err = add_program(&l->held, l->object, p);
	return err;
}

void held_free(struct held *held)
{
	for (unsigned int i = 0; i < held->nmaps; i++) {
		close(held->maps[i].fd);
		free(held->maps[i].name);
	}
	for (unsigned int i = 0; i < held->nprograms; i++) {
		close(held->programs[i].fd);
		free(held->programs[i].name);
		free(held->programs[i].section);
	}
	free(held->maps);
	free(held->programs);
	*held = (struct held){};
}

const struct held_map *held_map(const struct held *held, const char *name)
{
	for (unsigned int i = 0; i < held->nmaps; i++)
		if (!strcmp(held->maps[i].name, name))
			return &held->maps[i];
	return NULL;
}

int held_map_fd(const struct held *held, const char *name)
{
	const struct held_map *map = held_map(held, name);

	return map ? map->fd : -1;
}

const struct held_program *held_program(const struct held *held, const char *name)
{
	for (unsigned int i = 0; i < held->nprograms; i++)
		if (!strcmp(held->programs[i].name, name))
			return &held->programs[i];
	return NULL;
}
