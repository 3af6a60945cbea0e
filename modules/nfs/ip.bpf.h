/* SPDX-License-Identifier: GPL-2.0-or-later */
/* IP addresses of clients and servers, for keys. */
#ifndef ESTAT_MODULES_NFS_IP_H
#define ESTAT_MODULES_NFS_IP_H

#include <linux/in.h>
#include <linux/in6.h>

#include "aggregate.bpf.h"

/* from include/linux/socket.h */
#define AF_INET  2
#define AF_INET6 10

/*
 * Set *ip to the IP address in `sockaddr`, which is in the kernel's memory; an IPv4 address becomes
 * ::ffff:a.b.c.d. If `sockaddr` has no IP address, *ip stays zero. The caller has set *ip to zero.
 */
static __always_inline void estat_ip_of(estat_ip_t *ip, const char *sockaddr)
{
	__u16 family = 0;

	bpf_probe_read_kernel(&family, sizeof(family), sockaddr);
	if (family == AF_INET6) {
		bpf_probe_read_kernel(ip->octets, 16,
				      sockaddr +
					      __builtin_offsetof(struct sockaddr_in6, sin6_addr));
	} else if (family == AF_INET) {
		ip->octets[10] = ip->octets[11] = 0xff;
		bpf_probe_read_kernel(ip->octets + 12, 4,
				      sockaddr + __builtin_offsetof(struct sockaddr_in, sin_addr));
	}
}

#endif /* ESTAT_MODULES_NFS_IP_H */
