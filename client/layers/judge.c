// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"

/* A time that has at least this share of another time counts as about as long. */
#define ABOUT_THE_SAME 0.8

/* A disk is busy if at least this many of its operations are under way on average. */
#define BUSY 0.8

/*
 * If direct operations wait for their requests for at least this share of the operations' time,
 * v->unsubmitted is set.
 */
#define BEFORE 0.1

/* The most devices without operations between a disk and the disks below. */
#define MAX_DEPTH 3

/*
 * Servers, such as nfsd, and processes call the same layers (fact.called). The worst step in such a
 * layer becomes the verdict's first step if its pain() is more than MORE times that of the
 * worst step in the layers above: then processes of this host wait for it, too.
 */
#define MORE 2

/* Is layer i measured, and directly below layer `upper`? */
static bool is_below(const struct judging *j, unsigned int i, unsigned int upper)
{
	return j->measured & BIT(i) && layers_above(j->layers, i, j->measured) & BIT(upper);
}

/* The operations of layer i for which operations of `step` may wait. */
static struct step below(const struct judging *j, const struct step *step,
			 const struct place *place, unsigned int i)
{
	struct selection of = {
		.layer = i,
		.kinds = fact_in(j, i)->only_for ? ALL_KINDS : step->kinds,
		.waited = true,
		.stored = fact_in(j, step->layer)->stored,
		.asked = j->filtered,
		.in = place,
	};

	if (step->place && key_is_at(step->key, step->place) && key_axis(step->key, "disk")) {
		of.place = step->place;
		/* select by the disk's name, because the disk can have another depth in `place` */
		of.in = NULL;
	} else if (place) {
		/* a pool waits for disks below it, not for its volumes, which are disks, too */
		of.depth = nearest_depth(j, &of, key_axis(step->key, "pool") && has_disks(j, i));
	}
	return add_up_place(j, &of);
}

/*
 * The layer in which the disks below the last step's disk are looked up: that of the first step
 * with a disk.
 */
static unsigned int layer_of_disks(const struct verdict *v)
{
	unsigned int s = 0;

	while (s < v->nsteps - 1 && !key_axis(v->steps[s].key, "disk"))
		s++;
	return v->steps[s].layer;
}

/*
 * Limit the time of `waits`, which are waits for requests, to `left`: the time of the step above
 * less the time for which that step waits for other operations. `left` <= 0 sets no limit. The sum
 * of the waits can exceed `left`, because the waits of the parts of a split bio overlap.
 */
static void limit_waits(struct step *waits, double left)
{
	if (left <= 0)
		return;
	waits->waiting = fmin(waits->waiting, left);
	waits->among = fmin(waits->among, left);
}

/*
 * The operations of `disk`, for which operations of `upper` may wait, in layer i or, if clearly
 * more time is there, in a layer directly below layer i: paths of NVMe have no bios of their own,
 * and waits for io.max are over before the bio begins.
 */
static struct step on_disk(const struct judging *j, const struct step *upper, unsigned int i,
			   kind_set kinds, const char *disk)
{
	struct selection of = { .layer = i, .kinds = kinds, .place = disk, .asked = j->filtered };
	struct step most = add_up(j, &of), step;
	double left = upper->waiting - most.waiting;

	for (of.layer = i + 1; of.layer < j->stack->n; of.layer++) {
		if (!is_below(j, of.layer, i) || (j->filtered && !(j->asked & BIT(of.layer))))
			continue;
		step = add_up(j, &of);
		if (fact_in(j, of.layer)->before_requests)
			limit_waits(&step, left);
		if (step.waiting * ABOUT_THE_SAME > most.waiting)
			most = step;
	}
	return most;
}

/*
 * The operations of an export of another host, for which operations of a loop device with a file
 * there may wait. If `name` is no export, or no layer has its operations, the key is NULL.
 */
static struct step on_export(const struct judging *j, kind_set kinds, const char *name)
{
	const struct device *device = devices_find(j->graph->devices, name);
	struct selection of = { .kinds = kinds, .asked = j->filtered };
	struct step step = { 0 };
	struct place place;

	if (!device || strcmp(device->kind, "export"))
		return step;
	place_find(&place, j->graph, name);
	of.in = &place;
	for (; of.layer < j->stack->n && !step.key; of.layer++)
		if (j->measured & BIT(of.layer) && fact_in(j, of.layer)->remote)
			step = add_up(j, &of);
	step.place = step.key ? key_place(step.key) : NULL;
	place_free(&place);
	return step;
}

/*
 * Take the operations of the disks directly below `disk`. A single disk can have less than half of
 * the last step's time, as under a thin pool that writes only its metadata: then the disks below
 * that disk are taken instead, if they have more time.
 */
static void take_disks(const struct judging *j, const struct verdict *v, const char *disk,
		       unsigned int depth, struct places *places)
{
	const struct step *last = &v->steps[v->nsteps - 1];
	const char **disks = NULL;
	unsigned int n = disks_below(j->graph, disk, &disks);
	/* a RAID also reads when it writes */
	kind_set kinds = n > 1 ? ALL_KINDS : last->kinds;

	for (unsigned int i = 0; i < n; i++) {
		struct step step = on_disk(j, last, layer_of_disks(v), kinds, disks[i]);
		struct places deeper = { 0 };

		if (!step.key)
			step = on_export(j, kinds, disks[i]);
		if (depth && (!step.key || (n == 1 && step.waiting < SHARE * last->waiting)))
			take_disks(j, v, disks[i], depth - 1, &deeper);
		if (deeper.waiting > step.waiting)
			places_add(places, &deeper);
		else
			places_take(places, &step);
	}
	free(disks);
}

/* The operations of the disks below the last step's disk. If there are none, the key is NULL. */
static struct step disk_below(const struct judging *j, const struct verdict *v)
{
	const struct step *last = &v->steps[v->nsteps - 1];
	struct places places = { 0 };
	struct step most;

	if (!last->place || !key_axis(last->key, "disk"))
		return places.longest;
	take_disks(j, v, last->place, MAX_DEPTH, &places);
	if (places_main(&places)) {
		most = *places_main(&places);
	} else {
		most = places.longest;
		most.place = NULL;
		most.waiting = places.waiting;
		most.ops = places.ops;
		most.mean = places.ops > 0 ? places.waiting / places.ops * US : 0;
	}
	most.among = places.waiting;
	return most;
}

/* Do layers below the step count operations of the step's disk? */
static bool has_requests(const struct judging *j, const struct step *step)
{
	struct selection of = { .layer = step->layer + 1,
				.kinds = ALL_KINDS,
				.place = step->place };

	for (; of.layer < j->stack->n; of.layer++)
		if (j->measured & BIT(of.layer) && add_up(j, &of).key)
			return true;
	return false;
}

/* Can operations of the step wait for layer i? Not if layer i has none of the step's disk. */
static bool can_wait(const struct judging *j, const struct step *step, unsigned int i)
{
	struct selection of = { .layer = i, .kinds = ALL_KINDS };

	if (step->place && key_axis(step->key, "disk") && has_disks(j, i))
		of.place = step->place;
	return add_up(j, &of).key;
}

/* How bad the waits of a step are: the sum of its squared latencies a second. */
static double pain(const struct step *step)
{
	return step->waiting * step->typical;
}

/*
 * The time of the upper step for which its operations can have waited for operations like the lower
 * step's, at any place.
 */
static double part(const struct step *upper, const struct step *lower)
{
	return fmin(fmax(lower->among, lower->for_each), upper->waiting);
}

/*
 * Are the reads of `lower` longer and fewer than those of `upper`, as read-ahead? Then it is
 * unknown which operations of `upper` wait for them.
 */
static bool is_parallel(const struct step *upper, const struct step *lower)
{
	return upper->kinds == KIND_BIT(KIND_READ) && lower->waiting > 1.5 * upper->waiting &&
	       lower->mean > 4 * upper->mean && lower->ops < upper->ops;
}

/*
 * Does a loop device wait for a busy disk? A loop device may do one request at a time: then the
 * requests' time is in its queue, and the disk below has less than half of that time.
 */
static bool is_busy(const struct judging *j, const struct step *loop, const struct step *disk)
{
	return j->stack->levels[loop->layer].layer->rank >
		       j->stack->levels[disk->layer].layer->rank &&
	       disk->waiting >= BUSY && disk->ops >= SHARE * loop->ops;
}

/*
 * The calls for files with which the pool of the last step, or what the pool stands on, has vdevs.
 * If it has no files, or they are not in `place`, the key is NULL.
 */
static struct step files_below(const struct judging *j, const struct step *last,
			       const struct place *place)
{
	const char *pool = key_axis(last->key, "pool");
	const struct device *device = pool ? devices_pool(j->graph->devices, pool) : NULL;
	struct selection of = { .kinds = last->kinds, .in = place, .asked = j->filtered };
	struct step step = { 0 };

	if (!place || !device || !device_has_files(device))
		return step;
	for (; of.layer < j->stack->n && !step.key; of.layer++) {
		if (!(j->measured & BIT(of.layer)) || !fact_in(j, of.layer)->called)
			continue;
		of.depth = nearest_depth(j, &of, 1);
		if (of.depth != NOT_IN_PLACE)
			step = add_up_place(j, &of);
	}
	return step;
}

/* The waiting time of operations in layers after layer i for which those of `upper` may wait. */
static double after(const struct judging *j, const struct step *upper, const struct place *place,
		    unsigned int i)
{
	double all = 0;

	while (++i < j->stack->n)
		if (is_below(j, i, upper->layer))
			all += below(j, upper, place, i).among;
	return all;
}

/* Has `lower` enough of the time of `upper` to be the next step? */
static bool is_part(const struct step *upper, const struct step *lower)
{
	return lower->key && part(upper, lower) >= SHARE * upper->waiting;
}

/*
 * Has `lower` nearly all of the pain of `upper`, and a good part of the time? A few operations that
 * wait long for io.max, beside many of a neighbour, have less than half of the time.
 */
static bool has_the_pain(const struct step *upper, const struct step *lower)
{
	return lower->key && pain(lower) >= NEARLY_ALL * pain(upper) &&
	       part(upper, lower) >= GOOD_PART * upper->waiting;
}

/* Find the step below the verdict's last step. Returns false, and sets v->end, if there is none. */
static bool descend(const struct judging *j, struct verdict *v, const struct place *place)
{
	const struct step *last = &v->steps[v->nsteps - 1];
	const struct fact *fact;
	struct step next = { 0 }, worst = { 0 }, step;
	bool any = false;

	v->lacking = NULL;
	for (unsigned int i = last->layer + 1; i < j->stack->n; i++) {
		if (!is_below(j, i, last->layer))
			continue;
		fact = fact_in(j, i);
		if (j->filtered && !(j->asked & BIT(i))) {
			if (can_wait(j, last, i))
				v->lacking =
					target_lacks(j->stack->target, j->stack->levels[i].layer);
			continue;
		}
		if ((fact->only_for && !(fact->only_for & KIND_BIT(v->kind))) ||
		    (fact->remote && !fact_is_remote(key_axis(last->key, "fs"))))
			continue;
		any = true;
		step = below(j, last, place, i);
		if (fact->before_requests)
			limit_waits(&step, last->waiting - after(j, last, place, i));
		if (fact->shared)
			step.for_each = last->ops * fmin(step.mean, last->mean) / US;
		if (part(last, &step) * ABOUT_THE_SAME > part(last, &next))
			next = step;
		if (pain(&step) > pain(&worst))
			worst = step;
	}
	step = disk_below(j, v);
	v->stacked = step.key;
	if (step.key && part(last, &step) * ABOUT_THE_SAME >= part(last, &next))
		next = step;
	v->end = any ? END_OWN : END_LOWEST;
	v->below = next.key ? part(last, &next) / last->waiting : 0;
	if (!is_part(last, &next)) {
		if (step.key && is_busy(j, last, &step))
			next = step;
		else if (has_the_pain(last, &worst))
			next = worst;
		else
			next = files_below(j, last, place);
		if (!next.key)
			return false;
	}
	if (is_parallel(last, &next)) {
		v->end = END_PARTLY;
		return false;
	}
	if (fact_in(j, next.layer)->kinds)
		next.kinds = fact_in(j, next.layer)->kinds;
	v->share *= fmin(1, fmax(next.waiting, next.for_each) / last->waiting);
	v->steps[v->nsteps++] = next;
	return true;
}

static bool is_measured(const struct judging *j, const char *layer)
{
	for (unsigned int i = 0; i < j->stack->n; i++)
		if (!strcmp(j->stack->levels[i].layer->name, layer))
			return j->measured & BIT(i);
	return false;
}

/* The layer that could tell what the last step waits for, but is not measured; NULL: none. */
static const char *hidden_below(const struct judging *j, const struct verdict *v)
{
	const struct step *last = &v->steps[v->nsteps - 1];
	const struct layer *layer = j->stack->levels[last->layer].layer;
	const char *needs = fact_needs(layer->name, key_axis(last->key, "fs"), v->kind);

	if (!needs || layer->rank >= RANK_BLOCK || is_measured(j, needs))
		return NULL;
	return needs;
}

/*
 * The layer of waits for a request that the filters cannot select, if the waits there, for the disk
 * of a step, are as long as half of the first step's time: the operations may have waited there,
 * before the first step's layer had them. NULL: none.
 */
static const struct layer *find_untold(const struct judging *j, const struct verdict *v)
{
	struct selection of = { .kinds = ALL_KINDS, .place = v->steps[v->nsteps - 1].place };

	for (; j->filtered && of.place && of.layer < j->stack->n; of.layer++)
		if (j->measured & BIT(of.layer) && !(j->asked & BIT(of.layer)) &&
		    fact_in(j, of.layer)->before_requests &&
		    add_up(j, &of).waiting >= SHARE * v->steps[0].waiting)
			return j->stack->levels[of.layer].layer;
	return NULL;
}

/*
 * Do the direct operations of the first step wait before their requests exist? Then a program that
 * submits several operations in one call waits for each of them in turn.
 */
static bool is_unsubmitted(const struct judging *j, const struct verdict *v)
{
	const struct step *first = &v->steps[0];
	const char *how = key_axis(first->key, "how");
	struct selection of = { .kinds = ALL_KINDS, .place = v->steps[v->nsteps - 1].place };

	if (!v->slow || !how || strcmp(how, "direct") || !fact_in(j, first->layer)->unsubmitted)
		return false;
	for (of.layer = 0; of.layer < j->stack->n; of.layer++)
		if (j->measured & BIT(of.layer) && fact_in(j, of.layer)->before_requests)
			return add_up(j, &of).waiting >= BEFORE * first->waiting;
	return false;
}

static bool is_slow(const struct judging *j, const struct verdict *v)
{
	const struct step *step = &v->steps[0];

	return step->waiting >= (v->waited || !j->heard ? FLOOR_WAITING : FLOOR_UNWAITED) &&
	       step->typical >= FLOOR_TYPICAL;
}

/*
 * Take operations of layer i as the verdict's first step if their pain() is the greatest so
 * far. `apart`: only operations for which layers above do not wait. `waited`: what v->waited is set
 * to.
 */
static void take_worst(const struct judging *j, struct verdict *v, unsigned int i, bool apart,
		       bool waited)
{
	const struct key *const *keys = j->keys[i];
	kind_set done = 0; /* kinds that are already judged at the place of the key */

	for (unsigned int k = 0; k < j->stack->levels[i].layer->keys->nkeys; k++) {
		const struct key *key = keys[k];
		enum kind kind = kind_of(key);
		struct selection of = { .layer = i,
					.kinds = KIND_BIT(kind),
					.place = key_place(key),
					.apart = apart,
					.asked = true };
		struct step step;

		if (k && of.place && !key_is_at(keys[k - 1], of.place))
			done = 0;
		if (done & of.kinds || !selection_has(j, &of, key))
			continue;
		done |= of.kinds;
		step = add_up(j, &of);
		if (v->nsteps && pain(&step) <= pain(&v->steps[0]))
			continue;
		*v = (struct verdict){ .kind = kind, .waited = waited, .share = 1, .nsteps = 1 };
		v->steps[0] = step;
	}
}

/*
 * Find the first step. It is the worst step in the topmost layers and among operations for which no
 * layer above waits (fact.apart). The worst step in layers that processes call (fact.called)
 * replaces that step if its pain() is more than MORE times as great. If the step that is found
 * so is not slow, find_first() goes down all layers from the top until the worst step so far is
 * slow, and takes that step instead.
 */
static void find_first(const struct judging *j, struct verdict *v)
{
	struct verdict other = { 0 };

	for (unsigned int i = 0; i < j->stack->n; i++)
		if (j->asked & BIT(i) && !layers_above(j->layers, i, j->asked))
			take_worst(j, v, i, false, j->stack->levels[i].layer->rank < RANK_BLOCK);
		else if (j->asked & BIT(i) && fact_in(j, i)->apart)
			take_worst(j, v, i, true, true);
	for (unsigned int i = 0; i < j->stack->n; i++)
		if (j->asked & BIT(i) && fact_in(j, i)->called)
			take_worst(j, &other, i, false, true);
	if (other.nsteps && v->nsteps && pain(&other.steps[0]) > MORE * pain(&v->steps[0]))
		*v = other;
	if (v->nsteps && is_slow(j, v))
		return;
	other.nsteps = 0;
	for (unsigned int i = 0; i < j->stack->n; i++)
		if (j->asked & BIT(i) && !(other.nsteps && is_slow(j, &other)))
			take_worst(j, &other, i, false, fact_in(j, i)->called);
	if (other.nsteps && (!v->nsteps || is_slow(j, &other)))
		*v = other;
}

static enum swap find_swap(const struct graph *graph, const char *place)
{
	const struct device *swap = devices_find(graph->devices, "swap");
	const char **disks = NULL;
	unsigned int n = place ? disks_below(graph, "swap", &disks) : 0;
	enum swap found = SWAP_NONE;

	for (unsigned int i = 0; i < n && found != SWAP_ALL; i++)
		if (!strcmp(disks[i], place))
			found = device_part(swap, place) ? SWAP_ALL : SWAP_PART;
	free(disks);
	return found;
}

/* Is the device, which is no mount, in `place`, or the place of a step before the last? */
static bool is_above(const struct verdict *v, const struct device *device,
		     const struct place *place)
{
	bool is = place_has(place, device->name);

	for (unsigned int s = 0; s < v->nsteps - 1; s++)
		is |= v->steps[s].place && device_is_at(device, v->steps[s].place);
	return is;
}

/*
 * Set v->role to the role that the last step's place has in the graph of devices: for a file system
 * on the first place that a step has, or for a disk or pool in `place`, which is found from the
 * first place. The role data is not set.
 */
static void find_role(const struct judging *j, struct verdict *v, const struct place *place)
{
	const char *first = NULL, *last = v->steps[v->nsteps - 1].place;

	for (unsigned int s = 0; s < v->nsteps && !first; s++)
		first = v->steps[s].place;
	for (unsigned int i = 0; first && last && i < j->graph->devices->n; i++) {
		const struct device *device = j->graph->devices->devices[i];
		const struct below *part = device_part(device, last);
		bool mount = device_is_mount(device);
		bool above = mount ? device_part(device, first) != NULL
				   : is_above(v, device, place);

		if (!part || !strcmp(part->role, "data") || is_partition(part) ||
		    !strcmp(first, last) || !above)
			continue;
		v->role = part->role;
		v->role_of = mount ? device->kind : device->name;
		return;
	}
}

/*
 * Is it unknown on which devices the first step's place stands, so that the verdict cannot go down
 * to devices? Places of file systems do not count: a file system can have no device.
 */
static bool is_unplaced(const struct judging *j, const struct verdict *v, const struct place *place)
{
	if (!v->steps[0].place || key_axis(v->steps[0].key, "fs") ||
	    fact_in(j, v->steps[0].layer)->remote ||
	    j->stack->levels[v->steps[v->nsteps - 1].layer].layer->rank >= RANK_BLOCK)
		return false;
	return !place_is_stacked(place);
}

static bool has_times(const struct series *keys)
{
	return keys && has(keys, FIELD_OPS) && !(keys->lacks & 1U << FIELD_OPS);
}

/*
 * If the step is in a layer of pools: the value on layer->axis, such as scrub, of the work for
 * which no layer above waits and that takes most time at the step's place. NULL: there is no such
 * work, or it takes clearly less time than the step.
 */
static const char *find_beside(const struct judging *j, const struct step *step)
{
	const struct layer *layer = j->stack->levels[step->layer].layer;
	const struct series *keys = j->stack->levels[step->layer].layer->keys;
	const struct key *most = NULL;
	struct selection of = {
		.layer = step->layer, .kinds = ALL_KINDS, .place = step->place, .apart = true
	};

	if (!layer->axis || layer->rank < RANK_BLOCK)
		return NULL;
	for (unsigned int k = 0; k < keys->nkeys; k++)
		if (selection_has(j, &of, keys->keys[k]) &&
		    (!most || keys->keys[k]->values.sum_ns > most->values.sum_ns))
			most = keys->keys[k];
	return most && most->values.sum_ns > ABOUT_THE_SAME * step->key->values.sum_ns
		       ? key_axis(most, layer->axis)
		       : NULL;
}

/* Are the last step's calls for files below a pool of the step before? */
static bool is_file_of_pool(const struct judging *j, const struct verdict *v)
{
	const struct step *last = &v->steps[v->nsteps - 1];

	return fact_in(j, last->layer)->called && last->layer < last[-1].layer;
}

/* Go down from the first step, and set what the sentence says of the last step. */
static void find_cause(const struct judging *j, struct verdict *v)
{
	const struct stack *stack = j->stack;
	struct place place;

	v->slow = is_slow(j, v);
	v->steps[0].kinds = kinds_below(v->kind);
	place_find(&place, j->graph, v->steps[0].place ? v->steps[0].place : "");
	while (v->nsteps < MAX_STEPS && descend(j, v, *place.name ? &place : NULL)) {
		const char *at = v->steps[v->nsteps - 1].place;

		if (!at || (*place.name && !is_file_of_pool(j, v)))
			continue;
		/* the first step had no place, or these are files: go on below this step's place */
		place_free(&place);
		place_find(&place, j->graph, at);
	}
	v->heard = j->heard;
	v->mount = graph_mount(j->graph, v->steps[0].place);
	find_role(j, v, &place);
	v->unplaced = is_unplaced(j, v, &place);
	place_free(&place);
	if (v->end == END_OWN || v->end == END_LOWEST)
		v->hidden = hidden_below(j, v);
	if (v->hidden)
		v->end = END_HIDDEN;
	/* operations as short as reads from a cache are slow only because others use the CPUs */
	if (v->end == END_OWN && v->steps[0].mean < FLOOR_MEAN &&
	    stack->levels[v->steps[v->nsteps - 1].layer].layer->rank < RANK_BLOCK)
		v->slow = false;
	if (stack->levels[v->steps[0].layer].layer->rank >= RANK_BLOCK)
		v->swap = find_swap(j->graph, v->steps[0].place);
	for (unsigned int i = v->nsteps; i-- > 0 && !v->beside;)
		v->beside = find_beside(j, &v->steps[i]);
	v->untold = find_untold(j, v);
	v->requests = has_requests(j, &v->steps[v->nsteps - 1]);
	v->unsubmitted = is_unsubmitted(j, v);
}

void judge(struct verdict *v, const struct stack *stack, const struct layers *layers,
	   const struct graph *graph)
{
	struct judging j = { stack, layers, graph, .filtered = stack->target->o->nfilters };

	*v = (struct verdict){ 0 };
	for (unsigned int i = 0; i < stack->n; i++) {
		const struct series *keys = stack_keys(&stack->levels[i]);

		if (!has_times(keys))
			continue;
		j.measured |= BIT(i);
		j.asked |= stack->levels[i].all ? 0 : BIT(i);
		j.axes[i] = keys->nkeys ? key_place_axis(keys->keys[0]) : NULL;
		j.keys[i] = keys_by(keys, j.axes[i]);
	}
	for (unsigned int i = 0; i < stack->n; i++)
		j.heard |= j.asked & BIT(i) && stack->levels[i].layer->rank < RANK_BLOCK &&
			   !layers_above(layers, i, j.measured);
	find_first(&j, v);
	if (v->nsteps)
		find_cause(&j, v);
	for (unsigned int i = 0; i < stack->n; i++)
		free(j.keys[i]);
}
