// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/filter.h>
#include <linux/netlink.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kmod.h"
#include "kmod_events.h"

/* The multicast group of NETLINK_KOBJECT_UEVENT to which the kernel itself sends. */
#define KERNEL 1

/* Four characters of an event, as a BPF_ABS load reads them. */
#define CHARACTERS(a, b, c, d) ((a) << 24 | (b) << 16 | (c) << 8 | (d))

/*
 * Let only events pass that begin with "add@/mod" or "remove@/modu", which are those of kernel
 * modules, so that other events, such as those of disks, do not wake the agent.
 */
static struct sock_filter filter[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CHARACTERS('a', 'd', 'd', '@'), 0, 2),
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 4),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CHARACTERS('/', 'm', 'o', 'd'), 3, 4),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CHARACTERS('r', 'e', 'm', 'o'), 0, 3),
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 8),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CHARACTERS('m', 'o', 'd', 'u'), 0, 1),
	BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
	BPF_STMT(BPF_RET | BPF_K, 0),
};

static int events = -1;

void kmod_events_begin(void)
{
	struct sock_fprog program = { .len = sizeof(filter) / sizeof(*filter), .filter = filter };
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = KERNEL };

	events =
		socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
	if (events < 0)
		return;
	if (setsockopt(events, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) ||
	    bind(events, (struct sockaddr *)&address, sizeof(address)))
		kmod_events_end();
}

int kmod_events_fd(void)
{
	return events;
}

void kmod_events_read(void)
{
	char event[1];

	/* the first byte is enough, because recv(2) drops the rest of the event */
	while (recv(events, event, sizeof(event), 0) > 0)
		;
	kmods_changed();
}

void kmod_events_end(void)
{
	if (events >= 0)
		close(events);
	events = -1;
}
