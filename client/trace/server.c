// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Joins the journeys of an NFS client with those of the server's host. A server's thread does an
 * operation for one RPC, which both hosts know by its XID and the addresses of client and server.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/pcptime.h"
#include "base/text.h"
#include "journeys.h"
#include "lib/xalloc.h"

static bool keep(void *context, const struct record *r)
{
	journeys_add(context, r);
	return true;
}

/*
 * Read all journeys of the archive. If the archive cannot be read to its end, the reason is copied
 * to damaged->damage. Leaves the archive's PCP context open, but the caller's context current.
 */
static void read_served(struct journeys *served, struct source *s, const char *archive,
			struct source *damaged)
{
	pmOptions opts = { .flags = PM_OPTFLAG_ENV_ONLY | PM_OPTFLAG_BOUNDARIES };
	char *argv[] = { (char *)pmGetProgname(), NULL };
	int context = pmWhichContext(), sts = 0;
	pcp_time start;

	/*
	 * The server's archive is read without the command line's time window, which is for the NFS
	 * client's archive, because the clocks of the two hosts may differ.
	 */
	setenv("PCP_ARCHIVE", archive, 1);
	unsetenv("PCP_START_TIME");
	unsetenv("PCP_FINISH_TIME");
	unsetenv("PCP_ORIGIN_TIME");
	unsetenv("PCP_ALIGN_TIME");
	pmGetOptions(1, argv, &opts);
	source_open(s, &opts, "");
	records_find(&served->records, s, "trace");
	served->records.name = "trace of the server";
	served->records.end = INFINITY;
	start = pcp_time_of(s->start);
	pmSetMode(PM_MODE_FORW, &start, 0);
	while (sts >= 0)
		sts = records_fetch(&served->records, keep, served);
	source_read_failed(s, sts, served->records.moment);
	if (*s->damage)
		snprintf(damaged->damage, sizeof(damaged->damage), "%s", s->damage);
	pmUseContext(context);
	journeys_select(served, NULL);
}

static bool same_text(const struct journeys *all, const struct stage *s,
		      const struct journeys *served, const struct stage *of_server,
		      const char *name)
{
	const char *text = stage_text(all, s, name);

	return *text && !strcmp(text, stage_text(served, of_server, name));
}

/*
 * Was the operation of the server's journey done for the RPC? Not if the operation is itself an
 * RPC, of an NFS client on the server's host.
 */
static bool is_for(const struct journeys *all, const struct stage *rpc,
		   const struct journeys *served, const struct journey *j)
{
	return !is_rpc_itself(served, j->operation) &&
	       same_text(all, rpc, served, j->operation, "xid") &&
	       same_text(all, rpc, served, j->operation, "client") &&
	       same_text(all, rpc, served, j->operation, "server");
}

static void set_text(const struct journeys *all, struct stage *s, const char *name, char *text)
{
	for (unsigned int i = 0; i < all->records.nparameters; i++) {
		if (strcmp(all->records.parameters[i].name, name))
			continue;
		free(s->record.texts[i]);
		s->record.texts[i] = text;
		return;
	}
	free(text);
}

/* A copy of a stage of the server's journey, without parameters that the client's records lack. */
static struct stage copy_of(const struct journeys *all, const struct journeys *served,
			    const struct stage *s)
{
	struct stage copy = *s;

	copy.host = served->records.s->host;
	copy.record = (struct record){ .time = s->record.time };
	for (unsigned int i = 0; i < all->records.nparameters; i++) {
		const char *text = stage_text(served, s, all->records.parameters[i].name);

		copy.record.texts[i] = *text ? xalloc(strdup(text)) : NULL;
	}
	return copy;
}

static unsigned int spans_of(const struct journey *j)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < j->n; i++)
		n = j->stages[i].span >= n ? j->stages[i].span + 1 : n;
	return n;
}

/*
 * Put the stages of the server's journey below the RPC, whose span is `above`. `since`: ns from the
 * begin of the client's operation to that of the server's operation.
 */
static void put_below(const struct journeys *all, struct journey *j, unsigned int above,
		      const struct journeys *served, const struct journey *theirs, double since)
{
	unsigned int first = spans_of(j);

	for (unsigned int i = 0; i < theirs->n; i++) {
		struct stage s = copy_of(all, served, &theirs->stages[i]);
		unsigned long parent =
			s.span ? first + strtoul(stage_text(all, &s, "parent"), NULL, 10) : above;

		if (!s.span && s.whole)
			set_text(all, &s, "stage", xalloc(strdup("file")));
		s.span += first;
		s.since += since;
		set_text(all, &s, "journey", xasprintf("%llu", (unsigned long long)j->number));
		set_text(all, &s, "began", xasprintf("%llu", (unsigned long long)j->began));
		set_text(all, &s, "span", xasprintf("%u", s.span));
		set_text(all, &s, "parent", xasprintf("%lu", parent));
		set_text(all, &s, "since", xasprintf("%.0f", s.since));
		j->stages = grow(j->stages, j->n, sizeof(*j->stages));
		j->stages[j->n++] = s;
	}
}

/* The part `wire` of an RPC: the time on the network and at the server; NULL: no such part. */
static const struct stage *wire_of(const struct journeys *all, const struct journey *j,
				   unsigned int span)
{
	for (unsigned int i = 0; i < j->n; i++)
		if (j->stages[i].span == span && !j->stages[i].whole &&
		    !strcmp(stage_text(all, &j->stages[i], "stage"), "wire"))
			return &j->stages[i];
	return NULL;
}

/*
 * Put what the server did for the RPC below the RPC. Returns false if the server's archive has no
 * operation for this RPC.
 */
static bool join_rpc(const struct journeys *all, struct journey *j, struct stage rpc,
		     const struct journeys *served)
{
	const struct stage *wire = wire_of(all, j, rpc.span);
	double begin = INFINITY, end = 0, since = rpc.since;
	const struct journey **found = NULL;
	unsigned int n = 0;

	for (unsigned int i = 0; i < served->n; i++) {
		const struct journey *theirs = &served->journeys[i];

		if (!is_for(all, &rpc, served, theirs))
			continue;
		found = grow(found, n, sizeof(*found));
		found[n++] = theirs;
		begin = fmin(begin, theirs->began);
		end = fmax(end, theirs->began + theirs->operation->time);
	}
	/*
	 * The hosts' clocks need not agree, so they are not compared. The RPC's way to the server
	 * and the way back are assumed to take the same time.
	 */
	if (wire && wire->time > end - begin)
		since = wire->since + (wire->time - (end - begin)) / 2;
	else if (wire)
		since = wire->since;
	for (unsigned int i = 0; i < n; i++)
		put_below(all, j, rpc.span, served, found[i], since + found[i]->began - begin);
	free(found);
	return n;
}

/* Is the stage an RPC that reads, writes or commits, for which the server can have a journey? */
static bool is_served(const struct journeys *all, const struct stage *s)
{
	static const char *const served[] = { "read", "read_plus", "write", "commit" };
	const char *procedure = stage_text(all, s, "procedure");
	bool is = false;

	for (unsigned int i = 0; i < sizeof(served) / sizeof(served[0]); i++)
		is |= !strcmp(procedure, served[i]);
	return is && s->whole && !strcmp(stage_text(all, s, "stage"), "rpc");
}

void journeys_join(struct journeys *all, const char *archive)
{
	static struct source source;
	static struct journeys served;
	unsigned int rpcs = 0, joined = 0;

	read_served(&served, &source, archive, all->records.s);
	for (unsigned int i = 0; i < all->n; i++) {
		struct journey *j = &all->journeys[i];

		for (unsigned int k = 0, n = j->n; k < n; k++) {
			bool found;

			if (!is_served(all, &j->stages[k]))
				continue;
			/* join_rpc() can reallocate j->stages, so it gets a copy of the stage */
			found = join_rpc(all, j, j->stages[k], &served);
			j->stages[k].unserved = !found;
			rpcs++;
			joined += found;
		}
		journey_order(j);
	}
	if (joined < rpcs)
		note("%s has %u of %u RPCs that read, write or commit", archive, joined, rpcs);
}
