// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filesystems.h"
#include "lib/xalloc.h"
#include "load/vdevs.h"
#include "pools.h"

/* The depth at which a search ends: a tree that ZFS changes during the search can have a cycle. */
#define DEPTH 16

/* Two values of ZFS's vdev_alloc_bias_t, from include/sys/vdev_impl.h. */
#define BIAS_SPECIAL 2
#define BIAS_DEDUP   3

struct pool {
	struct graph *g;
	struct node *node;
	uint64_t address;
};

/* The name of a vdev without a path, as zpool_vdev_name() of libzfs makes it. */
static char *group_name(const struct estat_vdev_answer *vdev)
{
	unsigned long long id = vdev->id;

	if (!strcmp(vdev->type, "raidz"))
		return xasprintf("raidz%llu-%llu", (unsigned long long)vdev->parity, id);
	if (!strcmp(vdev->type, "draid"))
		return xasprintf("draid%llu:%llud:%lluc:%llus-%llu",
				 (unsigned long long)vdev->draid[0],
				 (unsigned long long)vdev->draid[1],
				 (unsigned long long)vdev->draid[2],
				 (unsigned long long)vdev->draid[3], id);
	return xasprintf("%s-%llu", vdev->type, id);
}

static struct node *add_node(const struct pool *pool, const struct estat_vdev_answer *vdev)
{
	char *text = *vdev->text ? xalloc(strdup(vdev->text)) : group_name(vdev);
	char *escaped = graph_escape(text), *name = xasprintf("%s::%s", pool->node->name, escaped);
	struct node *node = graph_add(pool->g, name, vdev->type);

	if (!strcmp(vdev->type, "file"))
		stand_on_path(pool->g, node, escaped);
	free(name);
	free(escaped);
	free(text);
	return node;
}

static void add_vdevs(const struct pool *pool, struct node *above, const char *role,
		      uint64_t address, uint64_t n, unsigned int depth);

/*
 * The role of a vdev. `role`: data, spare or cache if the vdev is in this array of the pool, member
 * if the vdev is below another vdev. The pool's array data also has the vdevs whose roles are log,
 * special and dedup.
 */
static const char *role_of(const struct estat_vdev_answer *vdev, const char *role)
{
	if (strcmp(role, "data"))
		return role;
	if (vdev->log)
		return "log";
	return vdev->bias == BIAS_SPECIAL ? "special" : vdev->bias == BIAS_DEDUP ? "dedup" : "data";
}

static void add_vdev(const struct pool *pool, struct node *above, const char *role,
		     const struct estat_vdev_answer *vdev, unsigned int depth)
{
	char *path = graph_escape(vdev->text);
	struct node *node = *path == '/' ? device_at(pool->g, path) : NULL;

	free(path);
	if (!node)
		node = add_node(pool, vdev);
	graph_stand(above, role_of(vdev, role), node->name);
	add_vdevs(pool, node, "member", vdev->arrays[0].address, vdev->arrays[0].n, depth - 1);
}

/*
 * Is this not a vdev of the pool any more? Removed vdevs have the type hole or indirect. If the
 * vdev's memory was freed, the memory can have a vdev of another pool now.
 */
static bool is_gone(const struct pool *pool, const struct estat_vdev_answer *vdev)
{
	return vdev->pool != pool->address || !strcmp(vdev->type, "hole") ||
	       !strcmp(vdev->type, "indirect");
}

static void add_vdevs(const struct pool *pool, struct node *above, const char *role,
		      uint64_t address, uint64_t n, unsigned int depth)
{
	struct estat_vdev_answer *answers = xalloc(malloc(2 * sizeof(*answers)));
	struct estat_vdev_answer *array = &answers[0], *vdev = &answers[1];

	if (n > ESTAT_VDEVS)
		n = ESTAT_VDEVS;
	if (n && depth && vdevs_look(ESTAT_VDEV_ARRAY, address, n, array))
		for (uint64_t i = 0; i < n; i++)
			if (vdevs_look(ESTAT_VDEV_VDEV, array->vdevs[i], 0, vdev) &&
			    !is_gone(pool, vdev))
				add_vdev(pool, above, role, vdev, depth);
	free(answers);
}

static void add_pool(struct graph *g, const struct estat_vdev_answer *found)
{
	static const char *const roles[] = { "data", "spare", "cache" };
	char *name = graph_escape(found->text);
	struct pool pool = { .g = g, .address = found->pool };

	pool.node = graph_add(g, name, "pool");
	for (unsigned int i = 0; i < 3; i++)
		add_vdevs(&pool, pool.node, roles[i], found->arrays[i].address, found->arrays[i].n,
			  DEPTH);
	free(name);
}

/*
 * Add the pool at a node of ZFS's AVL tree of pools, unless the pool is a temporary one, and the
 * pools at the nodes below. Only `depth` levels of nodes are searched, the node's level included.
 */
static void add_pools(struct graph *g, uint64_t node, unsigned int depth)
{
	struct estat_vdev_answer *found = xalloc(malloc(sizeof(*found)));

	if (node && depth && vdevs_look(ESTAT_VDEV_POOL, node, 0, found)) {
		add_pools(g, found->nodes[0], depth - 1);
		/* names of ZFS's temporary pools begin with $ */
		if (*found->text && *found->text != '$')
			add_pool(g, found);
		add_pools(g, found->nodes[1], depth - 1);
	}
	free(found);
}

void pools_add(struct graph *g)
{
	struct estat_vdev_answer *root = xalloc(malloc(sizeof(*root)));
	uint64_t tree = vdevs_tree();

	if (tree && vdevs_look(ESTAT_VDEV_TREE, tree, 0, root))
		add_pools(g, root->nodes[0], DEPTH);
	free(root);
}
