// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes the layers of an interval as a JSON document. */
#include <stdlib.h>

#include "breakdown_text.h"
#include "fail.h"
#include "hang.h"
#include "sentence.h"
#include "source/stats.h"
#include "stackprint.h"
#include "view/output.h"

#define IN(set, i) ((set) >> (i)&1)

/* Write the names of a set of layers as a JSON array. */
static void write_set(struct json *j, const char *name, const struct stack *stack, layer_set set)
{
	json_begin(j, name, '[');
	for (unsigned int i = 0; i < stack->n; i++)
		if (IN(set, i))
			json_put_string(j, NULL, stack->levels[i].layer->name);
	json_end(j, ']');
}

static void write_where(struct json *j, const struct stack *stack, unsigned int i)
{
	unsigned int naxes;
	double share;
	const struct key *key = stack_where(stack, i, &naxes, &share);

	if (!key) {
		json_put_string(j, "where", NULL);
		return;
	}
	json_begin(j, "where", '{');
	write_axes(j, key->axes, naxes);
	json_put_number(j, "share", "%.3f", share);
	json_end(j, '}');
}

/* Write the rows of a breakdown (NULL: none) as a JSON array. */
static void write_rows(struct json *j, const struct breakdown *breakdown)
{
	json_begin(j, "rows", '[');
	for (unsigned int r = 0; breakdown && r < breakdown->nrows; r++) {
		json_begin(j, NULL, '{');
		json_put_string(j, breakdown->axis, breakdown->rows[r].value);
		write_operations(j, &breakdown->rows[r].values, breakdown->level.seconds);
		json_put_number(j, "waiting", "%.3f", breakdown->rows[r].waiting);
		json_end(j, '}');
	}
	json_end(j, ']');
}

/* Write the breakdowns of layer i. */
static void write_breakdowns(struct json *j, const struct breakdowns *b, unsigned int i)
{
	const struct breakdown *plain = NULL;

	for (unsigned int k = 0; k < b->n && !plain; k++)
		if (b->breakdowns[k].layer == i && !breakdown_is_apart(&b->breakdowns[k]))
			plain = &b->breakdowns[k];
	if (b->o->nby) {
		json_put_string(j, "rows_of", plain ? plain->series.name : NULL);
		write_rows(j, plain);
	}
	json_begin(j, "breakdowns", '[');
	for (unsigned int k = 0; k < b->n; k++) {
		const struct breakdown *breakdown = &b->breakdowns[k];

		if (breakdown->layer != i || !breakdown_is_apart(breakdown))
			continue;
		json_begin(j, NULL, '{');
		json_put_string(j, "series", breakdown->series.name);
		json_put_string(j, "axis", breakdown->axis);
		json_put_raw(j, "all", breakdown->level.all ? "true" : "false");
		write_rows(j, breakdown);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void write_level(struct json *j, const struct stack *stack, const struct breakdowns *b,
			unsigned int i, double seconds)
{
	const struct level *level = &stack->levels[i];

	json_begin(j, NULL, '{');
	json_put_string(j, "layer", level->layer->name);
	json_put_integer(j, "rank", level->layer->rank);
	json_put_raw(j, "all", level->all ? "true" : "false");
	if (level->seconds != seconds)
		json_put_number(j, "seconds", "%.3f", level->seconds);
	write_operations(j, &level->values, level->seconds);
	if (level->layer->keys && has(level->layer->keys, FIELD_INFLIGHT))
		json_put_raw(j, "hangs", level->hangs ? "true" : "false");
	json_put_number(j, "waiting", "%.3f", level->waiting);
	json_put_number(j, "waited", "%.3f", level->waited);
	json_put_number(j, "own", "%.3f", level->own);
	json_put_number(j, "own_at_most", "%.3f", level->own_most);
	write_set(j, "above", stack, level->above);
	write_where(j, stack, i);
	if (b->naxes)
		write_breakdowns(j, b, i);
	json_end(j, '}');
}

static void write_verdict(struct json *j, const struct verdict *v, const struct stack *stack)
{
	json_put_raw(j, "slow", v->slow ? "true" : "false");
	json_put_raw(j, "waited", v->waited ? "true" : "false");
	json_put_string(j, "hidden", v->hidden);
	json_begin(j, "steps", '[');
	for (unsigned int i = 0; i < v->nsteps; i++) {
		const struct step *step = &v->steps[i];

		json_begin(j, NULL, '{');
		json_put_string(j, "layer", stack->levels[step->layer].layer->name);
		json_put_string(j, "place", step->place);
		write_axes(j, step->key->axes, step->key->naxes);
		json_put_number(j, "iops", "%.3f", step->ops);
		json_put_number(j, "avg_latency", "%.1f", step->mean);
		json_put_number(j, "waiting", "%.3f", step->waiting);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void write_who(struct json *j, const struct who *who, const struct verdict *v,
		      const struct stack *stack, const struct breakdowns *b)
{
	struct user users[MAX_USERS];
	char *commands[MAX_NEXT];
	unsigned int n = who_find(who, v, stack, users);

	json_begin(j, "who", '[');
	for (unsigned int i = 0; i < n; i++) {
		json_begin(j, NULL, '{');
		json_put_string(j, "axis", users[i].axis);
		json_put_string(j, "name", users[i].name);
		json_put_number(j, "share", "%.3f", users[i].share);
		json_end(j, '}');
	}
	json_end(j, ']');
	n = breakdowns_or_next(b, who, v, stack, commands);
	json_begin(j, "next", '[');
	for (unsigned int i = 0; i < n; i++) {
		json_put_string(j, NULL, commands[i]);
		free(commands[i]);
	}
	json_end(j, ']');
}

/* Write the sentences about the rows of the breakdowns, see breakdowns_note(). */
static void write_said(struct json *j, const struct breakdowns *b)
{
	json_begin(j, "axes", '{');
	for (unsigned int a = 0; a < b->naxes; a++) {
		char *text = breakdowns_note(b, a);

		json_put_string(j, b->axes[a], text);
		free(text);
	}
	json_end(j, '}');
}

void stack_print_json(const struct stack *stack, const struct verdict *v, const struct who *who,
		      const struct waits *waits, const struct breakdowns *b, const struct source *s,
		      const struct interval *interval)
{
	struct json j = document_begin("layers", s->host);
	char *hangs = hang_sentence(stack), *no_step = breakdowns_no_step(b, stack, v);
	char *text = no_step ? no_step : verdict_sentence(v, stack);
	char *failed = fail_sentence(stack);
	char *reasons = waits_sentence(waits, v, stack);

	write_when(&j, interval);
	json_put_string(&j, "place", stack->target->name);
	json_put_string(&j, "is", stack->target->is);
	json_put_string(&j, "hangs", hangs);
	json_put_string(&j, "failed", failed);
	json_begin(&j, "layers", '[');
	for (unsigned int i = 0; i < stack->n; i++)
		write_level(&j, stack, b, i, interval->seconds);
	json_end(&j, ']');
	write_verdict(&j, v, stack);
	write_who(&j, who, v, stack, b);
	json_put_string(&j, "reason", hangs && !v->slow ? hangs : text);
	json_put_string(&j, "waits", reasons);
	json_put_string(&j, "unknown", verdict_unknown(v, stack));
	if (b->naxes)
		write_said(&j, b);
	document_end(&j);
	free(reasons);
	free(failed);
	free(hangs);
	free(text);
}
