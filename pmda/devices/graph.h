/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The graph of devices: which block device, mount, export or pool of this host stands on which
 * others. Names are escaped as in /proc/self/mounts: a blank, for example, is \040.
 */
#ifndef ESTAT_PMDA_DEVICES_GRAPH_H
#define ESTAT_PMDA_DEVICES_GRAPH_H

#include <stdbool.h>

struct node {
	char *name;
	char *kind;  /* what the node is: a word, such as disk or ext4 */
	char *below; /* what the node stands on: words ROLE=NODE, separated by blanks */
	char *names; /* other names of the node, separated by blanks */
};

/* A graph of zeros is empty. The graph owns its nodes and their texts. */
struct graph {
	unsigned int n;
	struct node **nodes; /* in the order of graph_add() */
	void *names;         /* finds nodes by all their names, see tsearch(3) */
};

/*
 * Add a node, and return it. But if graph_find() finds a node by `name`, which can be another name
 * of that node, return that node, unchanged.
 */
struct node *graph_add(struct graph *g, const char *name, const char *kind);

/*
 * Give a node another name, `prefix` + `name`. If two nodes get the same name, graph_find() finds
 * the node that got the name first.
 */
void graph_name(struct graph *g, struct node *node, const char *prefix, const char *name);

/* The node that has `name` as its name or as one of its other names; NULL: none. */
struct node *graph_find(const struct graph *g, const char *name);

void graph_set_kind(struct node *node, const char *kind);

/* Remember that a node stands, in a role such as log, on the node named `below`. */
void graph_stand(struct node *node, const char *role, const char *below);

/* Does the node stand, directly or by other nodes, on a node whose `name` is one of `names`? */
bool graph_stands_on(const struct graph *g, const struct node *node, char *const *names,
		     unsigned int n);

/* Free all nodes. The graph is empty then. */
void graph_free(struct graph *g);

/*
 * A copy of the text, with \ooo (octal) for each blank, tab, newline and backslash, which
 * unescape_name() undoes. The caller frees the copy.
 */
char *graph_escape(const char *text);

#endif /* ESTAT_PMDA_DEVICES_GRAPH_H */
