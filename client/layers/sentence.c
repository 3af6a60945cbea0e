// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "lib/format.h"
#include "lib/xalloc.h"
#include "facts.h"
#include "sentence.h"

/* A sentence calls at least this share of the time "all" or "almost all". */
#define ALMOST_ALL 0.95

static const char *layer_name(const struct stack *stack, const struct step *step)
{
	return stack->levels[step->layer].layer->name;
}

static const struct step *last_of(const struct verdict *v)
{
	return &v->steps[v->nsteps - 1];
}

/* Is it known that a process or client waits for the operations? */
static bool is_waited_for(const struct verdict *v)
{
	return v->waited || (v->swap == SWAP_ALL && v->kind == KIND_READ);
}

/* What the sentence calls an operation: "fsync", "buffered write". */
static const char *noun_of(const struct verdict *v, const struct stack *stack)
{
	const struct step *first = &v->steps[0];
	const char *op = key_axis(first->key, "op");
	const struct fact *fact = fact_of(layer_name(stack, first));

	return fact->noun                 ? fact->noun
	       : !op                      ? "commit"
	       : !strcmp(op, "fault")     ? "page fault"
	       : v->kind == KIND_BUFFERED ? "buffered write"
					  : op;
}

/*
 * Print the operation with its article, after words that say whether the verdict is slow and, if
 * so, whether a process or client is known to wait: "Worst wait: an fsync", "Worst: a discard",
 * "Nothing that ended waited long. A buffered write".
 */
static void print_operation(FILE *f, const struct verdict *v, const struct stack *stack)
{
	const char *noun = noun_of(v, stack);
	bool vowel = strchr("aeio", *noun) || !strcmp(noun, "fsync") || !strcmp(noun, "unlink");

	fputs(!v->slow           ? "Nothing that ended waited long. A"
	      : is_waited_for(v) ? "Worst wait: a"
				 : "Worst: a",
	      f);
	fprintf(f, "%s %s", vowel ? "n" : "", noun);
}

/* Print where the operations are: " of ext4 on dm-0", " of overlay at /srv", " by NFS clients". */
static void print_place(FILE *f, const struct verdict *v)
{
	const struct step *step = &v->steps[0];
	const char *fs = key_axis(step->key, "fs");

	if (fs && strcmp(fs, "bdev") && step->place)
		fprintf(f, " of %s %s %s", fs, v->mount ? "at" : "on",
			v->mount ? v->mount : step->place);
	else if (key_axis(step->key, "initiator"))
		fprintf(f, " served by iSCSI target %s", step->place);
	else if (key_axis(step->key, "server") && step->place)
		fprintf(f, " on %s:%s", key_axis(step->key, "server"), step->place);
	else if (step->place)
		fprintf(f, " on %s", step->place);
	else if (key_axis(step->key, "version"))
		fputs(" by NFS clients", f);
}

/*
 * The place of a step and, of a disk, its other name if there is one: "dm-0 (named slow)"; NULL:
 * the step has no single place. The caller frees the text.
 */
static char *device_of(const struct step *step)
{
	if (!step->place)
		return NULL;
	return step->key->device && strcmp(step->key->device, step->place) &&
			       key_axis(step->key, "disk")
		       ? xasprintf("%s (named %s)", step->place, step->key->device)
		       : xalloc(strdup(step->place));
}

char *fill_text(const char *text, const struct key *key)
{
	char *filled = NULL;
	size_t size;
	FILE *f = xalloc(open_memstream(&filled, &size));

	while (*text) {
		size_t length = strcspn(text, "{"), axis = strcspn(text + length, "}");
		char *name = axis ? xalloc(strndup(text + length + 1, axis - 1)) : NULL;
		const char *value = name ? key_axis(key, name) : NULL;

		if (name && !value)
			value = key_place(key);
		fprintf(f, "%.*s%s", (int)length, text, value ? value : "");
		text += length + axis + (name != NULL);
		free(name);
	}
	fclose(f);
	return xalloc(filled);
}

/*
 * Print, as the end of a sentence, what takes the time of the last step. `device`: device_of() of
 * the last step.
 */
static void print_cause(FILE *f, const struct verdict *v, const struct stack *stack,
			const char *device)
{
	const struct step *last = last_of(v);
	const char *layer = layer_name(stack, last);
	const struct fact *fact = fact_of(layer);
	const char *cause = !v->requests || !fact->before ? fact->cause
			    : v->below >= GOOD_PART       ? fact->both
							  : fact->before;

	if (v->stacked && device) {
		fprintf(f, "is spent by %s itself (%s)", device, layer);
		return;
	}
	if (stack->levels[last->layer].layer->rank < RANK_BLOCK && !cause) {
		fprintf(f, "is spent in %s or is not measured", layer);
		return;
	}
	if (cause && (device || !key_place(last->key))) {
		char *filled = fill_text(cause, last->key);

		fputs(filled, f);
		free(filled);
	} else {
		fprintf(f, "is %s %s",
			strstr(layer, "queue") ? "waiting in the queue of" : "spent by",
			device ? device : "several disks");
	}
	if (v->role && !cause)
		fprintf(f, ", %s of %s", v->role, v->role_of);
	fprintf(f, " (%s)", layer);
}

/*
 * Print how much of the wait the last step takes: ", of which 7.9ms is spent by dm-0 (bio)". Print
 * nothing if the last step is the first, and its layer has RANK_BLOCK or a higher rank.
 */
static void print_share(FILE *f, const struct verdict *v, const struct stack *stack)
{
	const struct step *first = &v->steps[0], *last = last_of(v);
	char *device = device_of(last), text[FORMAT_LEN];

	if (v->nsteps > 1) {
		format_latency(text, first->mean * v->share, 0);
		if (v->share < ALMOST_ALL)
			fprintf(f, ", of which %s ", text);
		else
			fputs("; almost all ", f);
		print_cause(f, v, stack, device);
	} else if (stack->levels[first->layer].layer->rank < RANK_BLOCK) {
		fputs(v->below < 1 - ALMOST_ALL ? "; all " : "; most ", f);
		print_cause(f, v, stack, device);
	}
	free(device);
}

/*
 * Print that a layer below the last step's layer, for which the operations may wait, lacks a
 * filter's axis. If the last step is not the first, print before that how much of the first step's
 * time is in the last step's layer.
 */
static void print_unfiltered(FILE *f, const struct verdict *v, const struct stack *stack)
{
	char text[FORMAT_LEN];

	if (v->nsteps > 1)
		fprintf(f, ", of which %s is in %s",
			format_latency(text, v->steps[0].mean * v->share, 0),
			layer_name(stack, last_of(v)));
	fprintf(f, "; not all layers below %s can be filtered by %s", layer_name(stack, last_of(v)),
		v->lacking);
}

char *nothing_ended(const struct stack *stack, const char *filters)
{
	const char *name = stack->target->name;
	char *which = xasprintf("%s%s%s%s",
				name      ? " of "
				: filters ? ""
					  : " of any layer",
				name ? name : "", filters ? " with " : "", filters ? filters : "");
	char *text;

	if (stack->failed.key)
		text = xasprintf("No operation%s has succeeded.", which);
	else if (stack->hang.under_way)
		text = xasprintf("No operation%s has ended; %" PRIu64
				 " %s under way, for less than 1s.",
				 which, stack->hang.under_way,
				 stack->hang.under_way == 1 ? "is" : "are");
	else
		text = xasprintf("No operation%s has ended, and none is seen under way.", which);
	free(which);
	return text;
}

/* Say that no process is known to wait for the operation `noun`, such as "discard". */
static void print_waiter(FILE *f, const struct verdict *v, const char *noun)
{
	/* a process waits for a page from swap in a page fault, which is no call */
	if (v->heard && !(v->swap && v->kind == KIND_READ))
		fprintf(f, " No measured call of a process waits for the %s.", noun);
	else
		fprintf(f, " Whether a process waits for the %s is not known.", noun);
}

char *verdict_sentence(const struct verdict *v, const struct stack *stack)
{
	char *text = NULL, mean[FORMAT_LEN];
	size_t size;
	FILE *f;

	if (!v->nsteps)
		return nothing_ended(stack, NULL);
	f = xalloc(open_memstream(&text, &size));
	print_operation(f, v, stack);
	print_place(f, v);
	fputs(v->swap ? ", which has swap," : "", f);
	fprintf(f, " takes %s on average", format_latency(mean, v->steps[0].mean, 0));
	if (v->lacking && v->end != END_HIDDEN)
		print_unfiltered(f, v, stack);
	else if (v->unplaced && v->end != END_HIDDEN)
		fprintf(f, "; the cause is not known, as the devices behind %s are not known",
			v->steps[0].place);
	else if (v->end == END_HIDDEN)
		fprintf(f, "; the cause is not known, as %s is not measured", v->hidden);
	else if (v->end == END_PARTLY)
		fprintf(f, "; how much of that is for read-ahead is not known");
	else
		print_share(f, v, stack);
	fputc('.', f);
	if (v->nsteps > 1 && v->beside)
		fprintf(f, " Meanwhile the pool does %s I/O.", v->beside);
	if (v->unfiltered)
		fprintf(f, " %s (%s) cannot be filtered by %s.",
			fact_of(v->unfiltered->name)->waits, v->unfiltered->name,
			target_lacks(stack->target, v->unfiltered));
	if (v->slow && !is_waited_for(v))
		print_waiter(f, v, noun_of(v, stack));
	fclose(f);
	return xalloc(text);
}

const char *verdict_unknown(const struct verdict *v, const struct stack *stack)
{
	return v->unsubmitted ? fact_of(layer_name(stack, &v->steps[0]))->unsubmitted : NULL;
}

static const char *const ends[] = {
	[END_LOWEST] = "these operations can wait for no measured layer below",
	[END_OWN] = "no single layer below has half of that, nor have all disks below in sum",
	[END_HIDDEN] = "a layer below is not measured",
	[END_PARTLY] = "reads below are longer and fewer: read-ahead",
};

void verdict_explain(const struct verdict *v, const struct stack *stack)
{
	for (unsigned int i = 0; i < v->nsteps; i++) {
		const struct step *step = &v->steps[i];
		char ops[FORMAT_LEN], mean[FORMAT_LEN], waiting[FORMAT_LEN];
		char *of = key_text(step->key, NULL);

		format_number(ops, step->ops, 3, 5);
		format_latency(mean, step->mean, 0);
		format_number(waiting, step->waiting, 3, 5);
		printf("%*s%s%s%s: %s ops/s, %s each, %s s/s; most: %s\n", 2 * i, "",
		       layer_name(stack, step), step->place ? " " : "",
		       step->place ? step->place : "", ops, mean, waiting, of);
		free(of);
	}
	if (v->nsteps)
		printf("%*s%s\n", 2 * v->nsteps, "",
		       v->lacking ? "a layer below lacks an axis of the filters" : ends[v->end]);
}
