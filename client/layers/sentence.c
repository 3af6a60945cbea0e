// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "lib/format.h"
#include "lib/xalloc.h"
#include "facts.h"
#include "sentence.h"

/* A share of the time that is as good as all. */
#define ALMOST_ALL 0.95

static const char *layer_name(const struct stack *stack, const struct step *step)
{
	return stack->levels[step->layer].layer->name;
}

static const struct step *last_of(const struct verdict *v)
{
	return &v->steps[v->nsteps - 1];
}

/* Print the operation with its article: "An fsync", "A buffered write". */
static void print_operation(FILE *f, const struct verdict *v, const struct stack *stack)
{
	const struct step *first = &v->steps[0];
	const char *op = key_axis(first->key, "op");
	const struct fact *fact = fact_of(layer_name(stack, first));
	const char *noun = fact->noun                 ? fact->noun
			   : !op                      ? "commit"
			   : !strcmp(op, "fault")     ? "page fault"
			   : v->kind == KIND_BUFFERED ? "buffered write"
						      : op;
	bool vowel = strchr("aeio", *noun) || !strcmp(noun, "fsync") || !strcmp(noun, "unlink");

	fprintf(f, "A%s %s", vowel ? "n" : "", noun);
}

/* Print where the operations are: " of ext4 on dm-0", " of NFS clients". */
static void print_place(FILE *f, const struct step *step)
{
	const char *fs = key_axis(step->key, "fs");

	if (fs && strcmp(fs, "bdev") && step->place)
		fprintf(f, " of %s on %s", fs, step->place);
	else if (key_axis(step->key, "initiator"))
		fprintf(f, " served by iSCSI target %s", step->place);
	else if (step->place)
		fprintf(f, " on %s", step->place);
	else if (key_axis(step->key, "version"))
		fputs(" of NFS clients", f);
}

/* The device of a step, with its other name: "dm-0 (named slow)". The caller frees the text. */
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
 * Print, as the end of a sentence, what takes the time of the last step. `device` NULL: the step
 * has no single device.
 */
static void print_cause(FILE *f, const struct verdict *v, const struct stack *stack,
			const char *device)
{
	const struct step *last = last_of(v);
	const char *layer = layer_name(stack, last);
	const struct fact *fact = fact_of(layer);
	const char *cause = v->requests && fact->before ? fact->before : fact->cause;

	if (v->stacked && device) {
		fprintf(f, "is spent by %s itself (%s), not below it", device, layer);
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

/* Print how much of the wait the last step takes: ", of which 7.9ms is spent by dm-0 (bio)". */
static void print_share(FILE *f, const struct verdict *v, const struct stack *stack)
{
	const struct step *first = &v->steps[0], *last = last_of(v);
	char *device = device_of(last), text[FORMAT_LEN];

	if (v->nsteps > 1) {
		format_latency(text, first->mean * v->share, 0);
		if (v->share < ALMOST_ALL)
			fprintf(f, ", of which %s ", text);
		else
			fputs("; almost all of that ", f);
		print_cause(f, v, stack, device);
		if (v->beside)
			fprintf(f, ", beside %s", v->beside);
	} else if (stack->levels[first->layer].layer->rank < RANK_BLOCK) {
		fputs(v->below < 1 - ALMOST_ALL ? "; all of that " : "; most of that ", f);
		print_cause(f, v, stack, device);
	}
	free(device);
}

/* Print below which layer no layer has the axes of the filters. */
static void print_unfiltered(FILE *f, const struct verdict *v, const struct stack *stack)
{
	char text[FORMAT_LEN];

	if (v->nsteps > 1)
		fprintf(f, ", of which %s is in %s",
			format_latency(text, v->steps[0].mean * v->share, 0),
			layer_name(stack, last_of(v)));
	fprintf(f, "; the layers below %s lack axis %s", layer_name(stack, last_of(v)), v->lacking);
}

char *verdict_sentence(const struct verdict *v, const struct stack *stack)
{
	char *text = NULL, mean[FORMAT_LEN];
	size_t size;
	FILE *f;

	if (!v->nsteps && stack->target->name)
		return xasprintf("No operation of %s has ended, and none is known to hang.",
				 stack->target->name);
	if (!v->nsteps)
		return xalloc(strdup("No operation of any layer has ended."));
	f = xalloc(open_memstream(&text, &size));
	if (!v->slow)
		fputs("Nothing that ended waited long. ", f);
	print_operation(f, v, stack);
	print_place(f, &v->steps[0]);
	fputs(v->swap ? ", which has swap," : "", f);
	fprintf(f, " takes %s on average", format_latency(mean, v->steps[0].mean, 0));
	if (v->lacking && v->end != END_HIDDEN)
		print_unfiltered(f, v, stack);
	else if (v->unplaced && v->end != END_HIDDEN)
		fprintf(f, "; what it waits for is not known: the devices behind %s are not known",
			v->steps[0].place);
	else if (v->end == END_HIDDEN)
		fprintf(f, "; what it waits for is not known: %s does not count", v->hidden);
	else if (v->end == END_PARTLY)
		fprintf(f, "; how much of that is for read-ahead is not known");
	else
		print_share(f, v, stack);
	fputc('.', f);
	if (v->slow && !v->waited && !(v->swap && v->kind == KIND_READ))
		fputs(v->heard ? " No measured call of a process waits for it."
			       : " Whether a process waits for it is not known.",
		      f);
	fclose(f);
	return xalloc(text);
}

const char *verdict_unknown(const struct verdict *v, const struct stack *stack)
{
	return v->unsubmitted ? fact_of(layer_name(stack, &v->steps[0]))->unsubmitted : NULL;
}

static const char *const ends[] = {
	[END_LOWEST] = "no layer is below",
	[END_OWN] = "the layers and devices below have less than half of that",
	[END_HIDDEN] = "a layer below does not count",
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
		       v->lacking ? "layers below lack an axis of the filters" : ends[v->end]);
}
