// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/bpf.h>
#include <errno.h>
#include <unistd.h>

#include "wake.h"

#define __unused __attribute__((unused))

static struct ring_buffer *ring;
static int map = -1;

static int ignore(__unused void *context, __unused void *record, __unused size_t size)
{
	return 0;
}

/*
 * Make the BPF ring buffer estat_wake. After a failure `map` is still -1, so that the next call of
 * wake_share() tries again.
 */
static int make(void)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "estat_wake", 0, 0, sysconf(_SC_PAGESIZE),
				NULL);

	if (fd < 0)
		return fd;
	ring = ring_buffer__new(fd, ignore, NULL, NULL);
	if (!ring) {
		int err = -errno;

		close(fd);
		return err;
	}
	map = fd;
	return 0;
}

int wake_share(const struct bpf_object *object)
{
	struct bpf_map *wake = bpf_object__find_map_by_name(object, "estat_wake");
	int err = map < 0 ? make() : 0;

	return err ?: wake ? bpf_map__reuse_fd(wake, map) : 0;
}

/*
 * With PREEMPT_RT a thread can sleep for the lock of a BPF ring buffer, on kernels without
 * 8b62645b09f8 "bpf: Use raw_spinlock_t in ringbuf" (Linux 6.12, and stable releases of older
 * kernels). A BPF program on a tracepoint must not sleep. The PREEMPT_RT patches add
 * /sys/kernel/realtime.
 */
bool wake_is_safe(void)
{
	return access("/sys/kernel/realtime", F_OK);
}

int wake_fd(void)
{
	return ring ? ring_buffer__epoll_fd(ring) : -1;
}

void wake_read(void)
{
	ring_buffer__consume(ring);
}
