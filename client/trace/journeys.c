// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pcptime.h"
#include "journeys.h"
#include "lib/format.h"
#include "lib/xalloc.h"

const char *stage_text(const struct journeys *all, const struct stage *s, const char *name)
{
	return record_text(&all->records, &s->record, name);
}

bool is_rpc_itself(const struct journeys *all, const struct stage *s)
{
	const char *procedure = stage_text(all, s, "procedure");

	return !s->span && *procedure && strcmp(procedure, "none") != 0;
}

static uint64_t number_in(const struct journeys *all, const struct record *r, const char *name)
{
	return strtoull(record_text(&all->records, r, name), NULL, 10);
}

static uint64_t stage_number(const struct journeys *all, const struct stage *s, const char *name)
{
	return number_in(all, &s->record, name);
}

static struct journey *journey_of(struct journeys *all, const struct record *r)
{
	uint64_t number = number_in(all, r, "journey"), began = number_in(all, r, "began");
	struct journey *j = all->journeys + all->n;

	while (j-- > all->journeys)
		if (j->number == number && j->began == began)
			return j;
	all->journeys = grow(all->journeys, all->n, sizeof(*all->journeys));
	j = &all->journeys[all->n++];
	*j = (struct journey){ .number = number, .began = began };
	return j;
}

void journeys_add(struct journeys *all, const struct record *r)
{
	struct journey *j = journey_of(all, r);
	struct stage *s;

	j->stages = grow(j->stages, j->n, sizeof(*j->stages));
	s = &j->stages[j->n++];
	*s = (struct stage){
		.since = number_in(all, r, "since"),
		.time = number_in(all, r, "time"),
		.span = number_in(all, r, "span"),
		.whole = !number_in(all, r, "part"),
		.record = { .time = r->time },
	};
	for (unsigned int i = 0; i < all->records.nparameters; i++)
		if (r->texts[i])
			s->record.texts[i] = xalloc(strdup(r->texts[i]));
}

/*
 * For qsort(3): stages by begin, then by the number of their span; a whole span comes before its
 * parts.
 */
static int by_begin(const void *a, const void *b)
{
	const struct stage *x = a, *y = b;

	if (x->since != y->since)
		return x->since < y->since ? -1 : 1;
	if (x->span != y->span)
		return x->span < y->span ? -1 : 1;
	return y->whole - x->whole;
}

static int by_time(const void *a, const void *b)
{
	const struct journey *x = a, *y = b;

	return (x->elapsed < y->elapsed) - (x->elapsed > y->elapsed);
}

void journey_order(struct journey *j)
{
	qsort(j->stages, j->n, sizeof(*j->stages), by_begin);
	for (unsigned int i = 0; i < j->n; i++) {
		j->elapsed = fmax(j->elapsed, j->stages[i].since + j->stages[i].time);
		if (!j->stages[i].span && j->stages[i].whole)
			j->operation = &j->stages[i];
	}
}

void journeys_select(struct journeys *all, const struct options *o)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < all->n; i++) {
		struct journey j = all->journeys[i];

		journey_order(&j);
		if (j.operation && (!o || record_matches(&all->records, &j.operation->record, o)))
			all->journeys[n++] = j;
	}
	all->n = n;
}

void journeys_sort(struct journeys *all)
{
	if (all->n)
		qsort(all->journeys, all->n, sizeof(*all->journeys), by_time);
}

/* Is the stage a whole span, and is the span that of a disk or of a vdev of a pool? */
static bool is_of_disk(const struct journeys *all, const struct stage *s)
{
	static const char *const others[] = { "cache",     "journal", "log",    "block",
					      "throttled", "rpc",     "server", "file" };
	const char *stage = stage_text(all, s, "stage");

	for (unsigned int i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(stage, others[i]))
			return false;
	return s->whole && s->span;
}

/*
 * Print the device and bytes of a span `file`, which is an operation of the NFS server on a file;
 * if the span is from the server's archive, also the server's host.
 */
static void print_file(FILE *f, const struct journeys *all, const struct stage *s)
{
	char size[FORMAT_LEN];

	fprintf(f, "file of %s, %s", stage_text(all, s, "device"),
		format_size(size, stage_number(all, s, "bytes")));
	if (s->host)
		fprintf(f, ", on %s", s->host);
}

/*
 * Print the begin of a stage's name: of the operation's span, the operation; of a span `file`, the
 * file of the NFS server; of a disk's or vdev's span, the device, after `vdev` or `flush` if that
 * is the parameter `stage`; of any other stage, `stage`.
 */
static void print_what(FILE *f, const struct journeys *all, const struct stage *s)
{
	const char *stage = stage_text(all, s, "stage");

	if (s->whole && !s->span)
		fprintf(f, "%s%s", stage_text(all, s, "op"), is_rpc_itself(all, s) ? " RPC" : "");
	else if (s->whole && !strcmp(stage, "file"))
		print_file(f, all, s);
	else if (!is_of_disk(all, s))
		fputs(stage, f);
	else if (!strcmp(stage, "vdev") || !strcmp(stage, "flush"))
		fprintf(f, "%s %s", stage, stage_text(all, s, "device"));
	else
		fputs(stage_text(all, s, "device"), f);
}

/* Print the bytes of a span, and where they begin in the file or on the disk. */
static void print_place(FILE *f, const struct journeys *all, const struct stage *s)
{
	uint64_t at = stage_number(all, s, "offset");
	char size[FORMAT_LEN];

	fprintf(f, ", %s", format_size(size, stage_number(all, s, "bytes")));
	if (at != UINT64_MAX && is_of_disk(all, s))
		fprintf(f, " at sector %llu", (unsigned long long)at / 512);
	else if (at != UINT64_MAX)
		fprintf(f, " at %llu", (unsigned long long)at);
}

static void print_note(FILE *f, const char *note)
{
	if (!strcmp(note, "arc"))
		fputs(", from the ARC", f);
	else if (!strcmp(note, "elsewhere"))
		fputs(", waited for what is not followed", f);
	else if (strcmp(note, "none"))
		fprintf(f, ", %s", note);
}

/*
 * Print three details, which records of older agents lack. Of a stage `dirty`: why writeback took
 * the data. Of a span that waits for the journal: how many bytes of the bios below the span are of
 * other files. Of the whole span of a disk, vdev or RPC (`sent` is true): the name of the thread
 * that sent the I/O, if the operation's thread has another name.
 */
static void print_cause(FILE *f, const struct journeys *all, const struct stage *s, bool sent)
{
	const char *reason = stage_text(all, s, "reason"), *by = stage_text(all, s, "by");
	uint64_t others = stage_number(all, s, "others");
	char size[FORMAT_LEN];

	if (!strcmp(stage_text(all, s, "stage"), "dirty") && *reason && strcmp(reason, "none"))
		fprintf(f, ", %s", reason);
	if (others && s->whole && !sent)
		fprintf(f, ", %s of other files", format_size(size, others));
	if (sent && *by && strcmp(by, stage_text(all, s, "command")))
		fprintf(f, ", by %s", by);
}

/* Print what an RPC is: procedure and server; of a read or write also bytes and offset. */
static void print_rpc(FILE *f, const struct journeys *all, const struct stage *s)
{
	uint64_t bytes = stage_number(all, s, "bytes");
	char size[FORMAT_LEN];

	fprintf(f, "%s to %s", stage_text(all, s, "procedure"), stage_text(all, s, "server"));
	if (bytes)
		fprintf(f, ", %s at %s", format_size(size, bytes), stage_text(all, s, "offset"));
}

char *stage_name(const struct journeys *all, const struct stage *s)
{
	const char *stage = stage_text(all, s, "stage");
	char *text = NULL;
	size_t length;
	FILE *f = xalloc(open_memstream(&text, &length));
	bool of_disk = is_of_disk(all, s);
	bool of_rpc = s->whole && !strcmp(stage, "rpc");

	if (of_rpc)
		print_rpc(f, all, s);
	else
		print_what(f, all, s);
	if ((of_disk && strcmp(stage, "flush")) ||
	    (s->whole && (!s->span || !strcmp(stage, "block"))))
		print_place(f, all, s);
	if (s->whole)
		print_note(f, stage_text(all, s, "note"));
	if (s->unserved)
		fputs(", not in the server's archive", f);
	print_cause(f, all, s, of_disk || of_rpc);
	fclose(f);
	return xalloc(text);
}

char *journey_title(const struct journeys *all, const struct journey *j)
{
	const struct stage *o = j->operation;
	char elapsed[FORMAT_LEN], time[64];

	print_time(time, sizeof(time), "%D %H:%M:%S", o->record.time);
	return xasprintf("%s  %s%s of %s (inode %s of %s) by %s (%s) of %s, %s",
			 format_latency(elapsed, j->elapsed / 1000, 0), stage_text(all, o, "op"),
			 is_rpc_itself(all, o) ? " RPC" : "", stage_text(all, o, "file"),
			 stage_text(all, o, "inode"), stage_text(all, o, "device"),
			 stage_text(all, o, "command"), stage_text(all, o, "pid"),
			 stage_text(all, o, "cgroup"), time);
}

struct walk {
	const struct journeys *all;
	const struct journey *j;
	void (*show)(void *context, const struct stage *s, int depth);
	void *context;
};

static void walk_span(const struct walk *w, const struct stage *span, int depth)
{
	w->show(w->context, span, depth);
	for (unsigned int i = 0; i < w->j->n; i++) {
		const struct stage *s = &w->j->stages[i];

		if (!s->whole && s->span == span->span)
			w->show(w->context, s, depth + 1);
		else if (s->whole && s->span > span->span &&
			 stage_number(w->all, s, "parent") == span->span)
			walk_span(w, s, depth + 1);
	}
}

void journey_walk(const struct journeys *all, const struct journey *j,
		  void (*show)(void *context, const struct stage *s, int depth), void *context)
{
	walk_span(&(struct walk){ all, j, show, context }, j->operation, 0);
}
