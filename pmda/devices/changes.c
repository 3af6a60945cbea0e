// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "changes.h"
#include "mounts.h"

/*
 * Multicast groups of NETLINK_KOBJECT_UEVENT. udev sends its events after udev's database has
 * changed.
 */
#define KERNEL 1
#define UDEV   2

static int uevents = -1, swaps = -1;
static bool begun;

static void begin(void)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = KERNEL | UDEV };

	begun = true;
	swaps = open("/proc/swaps", O_RDONLY | O_CLOEXEC);
	uevents =
		socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
	if (uevents >= 0 && bind(uevents, (struct sockaddr *)&address, sizeof(address))) {
		close(uevents);
		uevents = -1;
	}
}

/*
 * Read the events that have arrived, up to an error. True: one was of a block device, an event was
 * lost (ENOBUFS), or the agent gets no events.
 */
static bool read_uevents(void)
{
	static const char block[] = "SUBSYSTEM=block";
	char event[8192];
	bool changed = false;
	ssize_t n;

	if (uevents < 0)
		return true;
	while ((n = recv(uevents, event, sizeof(event), 0)) > 0)
		changed |= memmem(event, n, block, sizeof(block)) != NULL;
	return changed || (n < 0 && errno == ENOBUFS);
}

bool changes_seen(void)
{
	struct pollfd fds[] = {
		{ .fd = mounts_fd(), .events = POLLPRI },
		{ .fd = swaps, .events = POLLPRI },
	};
	bool changed = !begun;

	if (!begun)
		begin();
	changed |= read_uevents();
	/*
	 * poll(2) reports each change of mounts or swap only once; no read is needed for that. So
	 * call poll(2) even if `changed` is true: else the next changes_seen() would report the
	 * same change again.
	 */
	return poll(fds, 2, 0) > 0 || changed;
}

void changes_end(void)
{
	if (uevents >= 0)
		close(uevents);
	if (swaps >= 0)
		close(swaps);
	uevents = swaps = -1;
	begun = false;
}
