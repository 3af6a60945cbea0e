// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "client.h"
#include "data/series.h"
#include "exports.h"
#include "lib/clock.h"
#include "lib/xalloc.h"

/*
 * The most bytes of all snapshots together, without those of baselines. A single context may have
 * more.
 */
#define MOST_BYTES (32 << 20)

/* What a client context has fetched of one module. */
static struct client {
	int context;
	const struct exports *exports;
	uint64_t used; /* when an instant metric was fetched last, CLOCK_MONOTONIC ns */
	/* for each instant metric, the snapshot at the context's newest fetch; NULL: not fetched */
	struct snapshot **previous;
} * clients;
static unsigned int nclients;
static uint64_t forgotten;

static struct client *find(int context, const struct exports *exports)
{
	for (unsigned int i = 0; i < nclients; i++)
		if (clients[i].context == context && clients[i].exports == exports)
			return &clients[i];
	return NULL;
}

const struct snapshot *client_previous(int context, const struct exports *exports,
				       unsigned int instant)
{
	const struct client *c = find(context, exports);

	return c ? c->previous[instant] : NULL;
}

static struct client *add(int context, const struct exports *exports)
{
	clients = grow(clients, nclients, sizeof(*clients));
	clients[nclients] = (struct client){
		.context = context,
		.exports = exports,
		.previous = xalloc(calloc(exports->metrics.ninstants, sizeof(struct snapshot *))),
	};
	return &clients[nclients++];
}

static void end(struct client *c)
{
	for (unsigned int i = 0; i < c->exports->metrics.ninstants; i++)
		if (c->previous[i])
			snapshot_put(c->previous[i]);
	free(c->previous);
	*c = clients[--nclients];
}

static uint64_t last_used(int context)
{
	uint64_t last = 0;

	for (unsigned int i = 0; i < nclients; i++)
		if (clients[i].context == context && clients[i].used > last)
			last = clients[i].used;
	return last;
}

static int find_idlest(void)
{
	int idlest = clients[0].context;

	for (unsigned int i = 1; i < nclients; i++)
		if (last_used(clients[i].context) < last_used(idlest))
			idlest = clients[i].context;
	return idlest;
}

void client_remember(int context, const struct exports *exports, unsigned int instant,
		     struct snapshot *snapshot)
{
	struct client *c = find(context, exports);

	if (!c)
		c = add(context, exports);
	if (c->previous[instant])
		snapshot_put(c->previous[instant]);
	c->previous[instant] = snapshot;
	c->used = clock_now();
	while (snapshots_size() - baseline_size() > MOST_BYTES && client_count() > 1) {
		client_end(find_idlest());
		forgotten++;
	}
}

void client_end(int context)
{
	for (unsigned int i = nclients; i-- > 0;)
		if (clients[i].context == context)
			end(&clients[i]);
}

void clients_forget(const struct exports *exports)
{
	for (unsigned int i = nclients; i-- > 0;)
		if (clients[i].exports == exports)
			end(&clients[i]);
}

unsigned int client_count(void)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < nclients; i++) {
		unsigned int first = 0;

		while (clients[first].context != clients[i].context)
			first++;
		n += first == i;
	}
	return n;
}

uint64_t client_forgotten(void)
{
	return forgotten;
}
