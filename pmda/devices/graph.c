// SPDX-License-Identifier: GPL-2.0-or-later
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "lib/xalloc.h"

struct alias {
	struct node *node;
	char *name;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct alias *)a)->name, ((const struct alias *)b)->name);
}

static void add_alias(struct graph *g, struct node *node, const char *name)
{
	struct alias *alias = xalloc(malloc(sizeof(*alias)));

	*alias = (struct alias){ node, xalloc(strdup(name)) };
	if (*(struct alias **)xalloc(tsearch(alias, &g->names, by_name)) == alias)
		return;
	free(alias->name);
	free(alias);
}

struct node *graph_find(const struct graph *g, const char *name)
{
	const struct alias wanted = { .name = (char *)name };
	struct alias **found = tfind(&wanted, &g->names, by_name);

	return found ? (*found)->node : NULL;
}

struct node *graph_add(struct graph *g, const char *name, const char *kind)
{
	struct node *node = graph_find(g, name);

	if (node)
		return node;
	node = xalloc(malloc(sizeof(*node)));
	*node = (struct node){
		.name = xalloc(strdup(name)),
		.kind = xalloc(strdup(kind)),
		.below = xalloc(strdup("")),
		.names = xalloc(strdup("")),
	};
	g->nodes = grow(g->nodes, g->n, sizeof(struct node *));
	g->nodes[g->n++] = node;
	add_alias(g, node, name);
	return node;
}

static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word), n;

	for (; *list; list += n + (list[n] == ' ')) {
		n = strcspn(list, " ");
		if (n == length && !strncmp(list, word, n))
			return true;
	}
	return false;
}

/* Add a word to a list of words, unless the list has the word. Takes ownership of `word`. */
static void add_word(char **list, char *word)
{
	char *longer;

	if (!has_word(*list, word)) {
		longer = xasprintf("%s%s%s", *list, **list ? " " : "", word);
		free(*list);
		*list = longer;
	}
	free(word);
}

void graph_name(struct graph *g, struct node *node, const char *prefix, const char *name)
{
	char *word = xasprintf("%s%s", prefix, name);

	add_alias(g, node, word);
	add_word(&node->names, word);
}

void graph_set_kind(struct node *node, const char *kind)
{
	free(node->kind);
	node->kind = xalloc(strdup(kind));
}

void graph_stand(struct node *node, const char *role, const char *below)
{
	add_word(&node->below, xasprintf("%s=%s", role, below));
}

/* The depth at which a search ends, should the graph have a cycle. */
#define DEPTH 16

static bool is_among(char *const *names, unsigned int n, const char *name)
{
	for (unsigned int i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static bool stands_on(const struct graph *g, const struct node *node, char *const *names,
		      unsigned int n, unsigned int depth)
{
	char *list = xalloc(strdup(node->below)), *rest = list, *word, *name;
	bool found = false;

	while (!found && (word = strsep(&rest, " "))) {
		const struct node *below;

		name = strchr(word, '=');
		below = name ? graph_find(g, name + 1) : NULL;
		found = below && (is_among(names, n, below->name) ||
				  (depth && stands_on(g, below, names, n, depth - 1)));
	}
	free(list);
	return found;
}

bool graph_stands_on(const struct graph *g, const struct node *node, char *const *names,
		     unsigned int n)
{
	return stands_on(g, node, names, n, DEPTH);
}

static void free_alias(void *alias)
{
	free(((struct alias *)alias)->name);
	free(alias);
}

void graph_free(struct graph *g)
{
	for (unsigned int i = 0; i < g->n; i++) {
		free(g->nodes[i]->name);
		free(g->nodes[i]->kind);
		free(g->nodes[i]->below);
		free(g->nodes[i]->names);
		free(g->nodes[i]);
	}
	free(g->nodes);
	tdestroy(g->names, free_alias);
	*g = (struct graph){};
}

char *graph_escape(const char *text)
{
	char *escaped = xalloc(malloc(4 * strlen(text) + 1)), *end = escaped;

	for (; *text; text++)
		if (strchr(" \t\n\\", *text))
			end += sprintf(end, "\\%03o", (unsigned char)*text);
		else
			*end++ = *text;
	*end = '\0';
	return escaped;
}
