// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sends N: send N datagrams by io_uring with IORING_OP_SEND_ZC, one at a time. Each send has two
 * completions: its result, and the notification that the kernel no longer needs the buffer.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "ring.h"

/* A socket that gets what it sends. */
static int to_itself(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t size = sizeof(address);
	int s = socket(AF_INET, SOCK_DGRAM, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(s, (struct sockaddr *)&address, size) ||
	    getsockname(s, (struct sockaddr *)&address, &size) ||
	    connect(s, (struct sockaddr *)&address, size))
		err(1, "socket");
	return s;
}

int main(int argc, char **argv)
{
	int s = to_itself(), sent = 0;
	static char datagram[4096];
	struct io_uring_sqe sqe = {
		.opcode = IORING_OP_SEND_ZC,
		.fd = s,
		.addr = (unsigned long)datagram,
		.len = sizeof(datagram),
	};

	if (argc != 2) {
		fprintf(stderr, "usage: sends N\n");
		return 1;
	}
	ring_set_up();
	for (int i = atoi(argv[1]); i > 0; i--) {
		sent += ring_do(&sqe, 2) == sizeof(datagram);
		if (recv(s, datagram, sizeof(datagram), 0) != sizeof(datagram))
			err(1, "recv");
	}
	printf("%d sent\n", sent);
	return 0;
}
