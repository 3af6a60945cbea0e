// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What each client context has fetched before.
 */
#include <stdlib.h>

#include "client.h"
#include "util.h"

/* How much all snapshots may take before those of who was idle longest are let go, bytes. */
#define MOST_BYTES (32 << 20)

static struct client {
	int context;
	uint64_t used; /* when last, CLOCK_MONOTONIC nanoseconds */
	unsigned int ninstants;
	struct snapshot **previous;
} * clients;
static unsigned int nclients;
static uint64_t forgotten;

static struct client *find(int context)
{
	for (unsigned int i = 0; i < nclients; i++)
		if (clients[i].context == context)
			return &clients[i];
	return NULL;
}

const struct snapshot *client_previous(int context, unsigned int instant)
{
	const struct client *c = find(context);

	return c ? c->previous[instant] : NULL;
}

static struct client *add(int context, unsigned int ninstants)
{
	clients = or_die(realloc(clients, (nclients + 1) * sizeof(*clients)));
	clients[nclients] = (struct client){
		.context = context,
		.ninstants = ninstants,
		.previous = or_die(calloc(ninstants, sizeof(struct snapshot *))),
	};
	return &clients[nclients++];
}

/* The context that has been idle for longest. */
static int find_idlest(void)
{
	const struct client *idlest = clients;

	for (unsigned int i = 1; i < nclients; i++)
		if (clients[i].used < idlest->used)
			idlest = &clients[i];
	return idlest->context;
}

void client_remember(int context, unsigned int instant, unsigned int ninstants,
		     struct snapshot *snapshot)
{
	struct client *c = find(context);

	if (!c)
		c = add(context, ninstants);
	if (c->previous[instant])
		snapshot_put(c->previous[instant]);
	c->previous[instant] = snapshot;
	c->used = clock_now();
	while (snapshots_size() > MOST_BYTES && nclients > 1) {
		client_end(find_idlest());
		forgotten++;
	}
}

void client_end(int context)
{
	struct client *c = find(context);

	if (!c)
		return;
	for (unsigned int i = 0; i < c->ninstants; i++)
		if (c->previous[i])
			snapshot_put(c->previous[i]);
	free(c->previous);
	*c = clients[--nclients];
}

unsigned int client_count(void)
{
	return nclients;
}

uint64_t client_forgotten(void)
{
	return forgotten;
}
