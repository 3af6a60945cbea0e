/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The graph of devices: which block device, mount, export or pool of this host stands on which
 * others. Names are escaped as in /proc/self/mounts: a blank, for example, is \040.
 */
#ifndef ESTAT_PMDA_DEVICES_GRAPH_H
#define ESTAT_PMDA_DEVICES_GRAPH_H

struct node {
	char *name;
	char *kind;  /* a word, such as disk or ext4 */
	char *below; /* what the node stands on: words ROLE=NODE, separated by blanks */
	char *names; /* other names of the node, separated by blanks */
};

/* A graph of zeros is empty. The graph owns its nodes and their texts. */
struct graph {
	unsigned int n;
	struct node **nodes; /* in the order of graph_add() */
	void *names;         /* finds nodes by all their names, see tsearch(3) */
};

/* Add a node, and return it. If a node has this name already, return that node as it is. */
struct node *graph_add(struct graph *g, const char *name, const char *kind);

/* Add PREFIX and `name` as another name. Of two nodes with the name, graph_find() finds the first.
 */
void graph_name(struct graph *g, struct node *node, const char *prefix, const char *name);

/* The node with this name, or with this other name; NULL: none. */
struct node *graph_find(const struct graph *g, const char *name);

void graph_set_kind(struct node *node, const char *kind);

/* Note that a node stands on the node `below`. */
void graph_stand(struct node *node, const char *role, const char *below);

/* Free all nodes: the graph is empty. */
void graph_free(struct graph *g);

/*
 * A copy of the text, with \ooo for each blank, tab, newline and backslash; unescape_name() undoes
 * that. The caller frees the copy.
 */
char *graph_escape(const char *text);

#endif /* ESTAT_PMDA_DEVICES_GRAPH_H */
