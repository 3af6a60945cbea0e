// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>

#include "devices.h"
#include "devices/block.h"
#include "devices/changes.h"
#include "devices/luns.h"
#include "devices/mapper.h"
#include "devices/mounts.h"
#include "devices/pools.h"
#include "lib/clock.h"
#include "lib/hash.h"
#include "lib/json.h"
#include "lib/xalloc.h"
#include "load/kernel_btf.h"
#include "load/mapped.h"
#include "load/vdevs.h"
#include "units.h"

/*
 * A graph older than this is read again at the next request for the graph, because no event tells,
 * for example, that a Btrfs got a device.
 */
#define OLD_NS UINT64_C(60000000000)

/* PMID items in cluster 0, see status.c. */
enum item {
	KIND = 80,
	BELOW,
	NAMES,
};

static const struct agent_metric leaves[] = {
	{ KIND, "estat.device.kind", PM_TYPE_STRING, PM_SEM_DISCRETE, NONE,
	  "What a node of the graph of devices is: disk, partition, raid1, ext4, nfs, ...",
	  "Nodes are block devices, mounts, exports that are mounted, ZFS pools, vdevs that\n"
	  "are no block devices as POOL::VDEV, iSCSI sessions, LUNs of the iSCSI target as\n"
	  "TARGET::LUN, and swap. The kind of a mount is the type of its file system. Blanks\n"
	  "in names are \\040, as in /proc/self/mounts." },
	{ BELOW, "estat.device.below", PM_TYPE_STRING, PM_SEM_DISCRETE, NONE,
	  "What a node of the graph of devices stands on: ROLE=NODE ROLE=NODE ...",
	  "Roles are: data, log, realtime, metadata, cache, member, spare, path, special,\n"
	  "dedup, partition-of; origin, store: of snapshots and clones of device mapper; pool:\n"
	  "of ZFS or thin volumes; file: the mount on which the file of a loop device, swap, a\n"
	  "LUN or a pool lies; upper, lower: the mounts of directories of overlay, as named\n"
	  "in its options; export; session. What the kernel does not tell is left out." },
	{ NAMES, "estat.device.names", PM_TYPE_STRING, PM_SEM_DISCRETE, NONE,
	  "Other names of a node of the graph of devices, separated by blanks",
	  "Of a block device: MAJ:MIN, links in /dev, the name of a ZFS volume, and UUID=,\n"
	  "LABEL=, PARTUUID= and PARTLABEL= from udev. Of a mount: the MAJ:MIN of its file\n"
	  "system, the name of a ZFS dataset, and the UUID= of a Btrfs. Of an iSCSI session:\n"
	  "the target. Of a LUN: its backstore." },
};

struct instance {
	int number;
	const struct node *node;
};

static struct graph graph;
static struct instance *instances; /* the nodes of the graph, ordered by instance number */
static pmdaInstid *names;          /* the nodes of `instances`, in libpcp_pmda's form */
/* the domain in libpcp_pmda's table; NULL: the table does not exist yet */
static pmdaIndom *domain;
static uint64_t read_at; /* when the graph was read, CLOCK_MONOTONIC nanoseconds */

void devices_add_metrics(struct metrics *metrics, int domain)
{
	pmInDom indom = pmInDom_build(domain, SERIAL_DEVICES);

	mapped_want();
	vdevs_want();
	for (unsigned int i = 0; i < sizeof(leaves) / sizeof(leaves[0]); i++)
		metrics_add_status(metrics, METRIC_DEVICE, indom, &leaves[i]);
}

static int by_number(const void *a, const void *b)
{
	return ((const struct instance *)a)->number - ((const struct instance *)b)->number;
}

/* Archives contain the result as an instance's number, so never change the function. */
static int number_of(const char *name)
{
	return hash_bytes(name, strlen(name)) >> 2;
}

/* Make `names` the instances of the domain, after `domain` or `names` has changed. */
static void set_domain(void)
{
	if (!domain)
		return;
	domain->it_numinst = graph.n;
	domain->it_set = names;
}

static void number_nodes(void)
{
	instances = xalloc(realloc(instances, (graph.n + 1) * sizeof(*instances)));
	names = xalloc(realloc(names, (graph.n + 1) * sizeof(*names)));
	for (unsigned int i = 0; i < graph.n; i++)
		instances[i] = (struct instance){ number_of(graph.nodes[i]->name), graph.nodes[i] };
	qsort(instances, graph.n, sizeof(*instances), by_number);
	for (unsigned int i = 0; i < graph.n; i++) {
		if (i && instances[i].number <= instances[i - 1].number)
			instances[i].number = instances[i - 1].number + 1;
		names[i] = (pmdaInstid){ instances[i].number, instances[i].node->name };
	}
	set_domain();
}

void devices_build(pmdaIndom *indom)
{
	domain = indom;
	set_domain();
}

void devices_refresh(void)
{
	uint64_t now = clock_now();

	if (!changes_seen() && now - read_at < OLD_NS)
		return;
	graph_free(&graph);
	read_at = now;
	block_add(&graph);
	mapper_add(&graph);
	mounts_add(&graph);
	luns_add(&graph);
	pools_add(&graph);
	kernel_btf_forget(); /* frees types that mapper_add() and pools_add() may have read */
	number_nodes();
}

bool devices_stand(const char *device, char *const *names, unsigned int n)
{
	const struct node *node = graph_find(&graph, device);

	return node && graph_stands_on(&graph, node, names, n);
}

static const struct node *find(int inst)
{
	const struct instance wanted = { .number = inst }, *found;

	found = graph.n ? bsearch(&wanted, instances, graph.n, sizeof(*instances), by_number)
			: NULL;
	return found ? found->node : NULL;
}

int devices_label(unsigned int inst, pmLabelSet **set)
{
	struct json j = {};
	const struct node *node = find(inst);
	char *labels;
	size_t size;
	int sts;

	if (!node)
		return 0;
	j.f = xalloc(open_memstream(&labels, &size));
	json_begin(&j, NULL, '{');
	json_put_string(&j, "device", node->name);
	json_end(&j, '}');
	fclose(j.f);
	xalloc(labels);
	sts = pmdaAddLabels(set, "%s", labels);
	free(labels);
	return sts;
}

int devices_value(unsigned int item, unsigned int inst, pmAtomValue *atom)
{
	const struct node *node = find(inst);

	if (!node)
		return PM_ERR_INST;
	switch (item) {
	case KIND:
		atom->cp = node->kind;
		break;
	case BELOW:
		atom->cp = node->below;
		break;
	case NAMES:
		atom->cp = node->names;
		break;
	default:
		return PM_ERR_PMID;
	}
	return PMDA_FETCH_STATIC;
}

void devices_end(void)
{
	graph_free(&graph);
	free(instances);
	free(names);
	changes_end();
	mounts_close();
	mapped_end();
	vdevs_end();
}
