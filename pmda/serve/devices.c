// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "devices.h"
#include "devices/block.h"
#include "devices/changes.h"
#include "devices/mounts.h"
#include "lib/clock.h"
#include "lib/json.h"
#include "lib/xalloc.h"
#include "units.h"

/* Numbers that archives contain: never change one. PMID items are in cluster 0, see status.c. */
#define FIRST_ITEM 80
#define SERIAL     5

/* The kernel does not tell when, for example, a Btrfs gets a device: an older graph is read again.
 */
#define OLD_NS UINT64_C(60000000000)

/* PCP's cache forgets the name of a node that is gone for so long, in seconds. */
#define FORGET_S 3600

enum leaf {
	KIND,
	BELOW,
	NAMES,
};

static const struct {
	const char *name, *oneline, *help;
} leaves[] = {
	[KIND] = { "estat.device.kind",
		   "What a node of the graph of devices is: disk, partition, raid1, ext4, nfs, ...",
		   "Nodes are block devices, mounts, exports that are mounted, ZFS pools, iSCSI\n"
		   "sessions, and swap. The kind of a mount is the type of its file system. "
		   "Blanks\n"
		   "in names are \\040, as in /proc/self/mounts." },
	[BELOW] = { "estat.device.below",
		    "What a node of the graph of devices stands on: ROLE=NODE ROLE=NODE ...",
		    "Roles are: data, log, realtime, cache, member, spare, path, partition-of; "
		    "file: "
		    "the\nmount on which the file of a loop device or of swap lies; upper, lower: "
		    "the mounts\nof directories of overlay, as named in its options; pool; export; "
		    "session. What the\nkernel does not tell is left out." },
	[NAMES] = { "estat.device.names",
		    "Other names of a node of the graph of devices, separated by blanks",
		    "Of a block device: MAJ:MIN, links in /dev, and UUID=, LABEL=, PARTUUID= and\n"
		    "PARTLABEL= from udev. Of a mount: the MAJ:MIN of its file system, and a "
		    "dataset's\nname. Of an iSCSI session: the target." },
};

static struct graph graph;
static uint64_t read_at; /* when the graph was read, CLOCK_MONOTONIC nanoseconds */

pmInDom devices_domain(int domain)
{
	return pmInDom_build(domain, SERIAL);
}

void devices_add_metrics(struct metrics *metrics, int domain)
{
	for (unsigned int i = 0; i < sizeof(leaves) / sizeof(leaves[0]); i++) {
		pmDesc desc = {
			.pmid = PMDA_PMID(0, FIRST_ITEM + i),
			.type = PM_TYPE_STRING,
			.indom = devices_domain(domain),
			.sem = PM_SEM_DISCRETE,
			.units = NONE,
		};

		metrics_add_status(metrics, METRIC_DEVICE, leaves[i].name, &desc, leaves[i].oneline,
				   leaves[i].help);
	}
}

void devices_refresh(int domain)
{
	pmInDom indom = devices_domain(domain);
	uint64_t now = clock_now();

	if (!changes_seen() && now - read_at < OLD_NS)
		return;
	graph_free(&graph);
	read_at = now;
	block_add(&graph);
	mounts_add(&graph);
	pmdaCacheOp(indom, PMDA_CACHE_INACTIVE);
	/* the number of an instance comes from its name, so it is the same after a restart */
	for (unsigned int i = 0; i < graph.n; i++)
		pmdaCacheStoreKey(indom, PMDA_CACHE_ADD, graph.nodes[i]->name,
				  strlen(graph.nodes[i]->name), graph.nodes[i]->name,
				  graph.nodes[i]);
	pmdaCachePurge(indom, FORGET_S);
}

int devices_label(pmInDom indom, unsigned int inst, pmLabelSet **set)
{
	struct json j = {};
	char *labels, *name;
	size_t size;
	int sts;

	if (pmdaCacheLookup(indom, inst, &name, NULL) != PMDA_CACHE_ACTIVE)
		return 0;
	j.f = xalloc(open_memstream(&labels, &size));
	json_begin(&j, NULL, '{');
	json_put_string(&j, "device", name);
	json_end(&j, '}');
	fclose(j.f);
	xalloc(labels);
	sts = pmdaAddLabels(set, "%s", labels);
	free(labels);
	return sts;
}

int devices_value(pmInDom indom, unsigned int item, unsigned int inst, pmAtomValue *atom)
{
	const struct node *node;
	void *found;

	if (pmdaCacheLookup(indom, inst, NULL, &found) != PMDA_CACHE_ACTIVE)
		return PM_ERR_INST;
	node = found;
	switch (item - FIRST_ITEM) {
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
	changes_end();
	mounts_close();
}
