/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the network namespaces of the host, for walks, without locks. */
#ifndef ESTAT_MODULES_NFS_NET_H
#define ESTAT_MODULES_NFS_NET_H

#include "block/types.bpf.h"
#include "vfs/types.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* declared in include/net/net_namespace.h */
struct net {
	struct list_head list; /* node of net_namespace_list */
	struct net_generic *gen;
};

#pragma clang attribute pop

ESTAT_ADDRESS(net_namespace_list);

/*
 * Set *net, the list node of a network namespace, to the node of the next namespace or, if *net is
 * 0, of the first. Returns flags of the walk. 0: *net is the next namespace. ESTAT_WALK_END: all
 * namespaces were visited. ESTAT_WALK_END | ESTAT_WALK_PARTIAL: the next namespace cannot be found,
 * because the node *net has left the list and does not lead back to the list, or because the
 * address of the list is not known (a kernel without KALLSYMS_ALL).
 */
static __always_inline int net_next(__u64 *net)
{
	__u64 head = estat_address_net_namespace_list;
	struct list_head *last = (struct list_head *)(*net ? *net : head);

	*net = (__u64)BPF_CORE_READ(last, next);
	if (head && *net == head)
		return ESTAT_WALK_END;
	/* a node that points to NULL or to itself as its next node has left the list */
	return !*net || *net == (__u64)last ? ESTAT_WALK_END | ESTAT_WALK_PARTIAL : 0;
}

/*
 * The data that a kernel module has for the network namespace whose list node is `net`
 * (net_generic() in include/net/netns/generic.h), or NULL. `id` is the address of the variable that
 * holds the kernel module's index in the namespace's array of such data.
 */
static __always_inline void *net_data(__u64 net, __u64 id)
{
	struct net *of = (void *)net - bpf_core_field_offset(struct net, list);
	void **data = (void **)BPF_CORE_READ(of, gen), *found = NULL;
	__u32 number = 0;

	if (bpf_probe_read_kernel(&number, sizeof(number), (void *)id) || !number)
		return NULL;
	bpf_probe_read_kernel(&found, sizeof(found), data + number);
	return found;
}

#endif /* ESTAT_MODULES_NFS_NET_H */
