// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "descend.h"
#include "judge.h"

/*
 * v->unsubmitted is set only if the waits before requests, at the last step's place, have at least
 * this share of the first step's waiting time.
 */
#define BEFORE 0.1

/*
 * Both processes and servers, such as nfsd, call layers with fact.called. If the worst step in such
 * a layer has more than MORE times the pain() of the worst step in the topmost layers, servers
 * alone cannot cause the pain: processes of this host must wait for the step, too. The step then
 * becomes the verdict's first step.
 */
#define MORE 2

/*
 * Do layers below the step count operations of the step's disk? If the step has no place,
 * operations at any place count.
 */
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
 * A layer of waits before requests (fact.before_requests) that may hold up the first step's
 * operations, but whose keys the filters cannot select. At the last step's place, the waiting time
 * of the layer is at least half of the first step's waiting time. NULL: there is no such layer.
 */
static const struct layer *find_unfiltered(const struct judging *j, const struct verdict *v)
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
 * submits several operations in one call waits for each of them in turn. False if the verdict is
 * not slow.
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
 * Find the first step. Candidates are all operations of the topmost layers and, of layers with
 * fact.apart, the operations for which no layer above waits; the worst step of them is taken. The
 * worst step in layers that processes call (fact.called) replaces that step if its pain() is more
 * than MORE times as great. If no slow step is found in this way, find_first() goes down all layers
 * from the top until the worst step so far is slow, and takes that step. If no step is slow, the
 * step found before stays; if none was found before, find_first() takes the worst step of all
 * layers.
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

/*
 * Is the device a member of `place`, or the place of a step before the last? If such a step is at a
 * pool or an iSCSI target, the pool's vdevs or the target's LUNs count, too. No caller passes a
 * mount.
 */
static bool is_above(const struct verdict *v, const struct device *device,
		     const struct place *place)
{
	bool is = place_has(place, device->name);

	for (unsigned int s = 0; s < v->nsteps - 1; s++)
		is |= v->steps[s].place && device_is_at(device, v->steps[s].place);
	return is;
}

/*
 * The role, such as log, that a vdev of ZFS has for its pool; sets *pool to that pool. NULL, with
 * *pool as it was: the device is no vdev that is directly below its pool, or the role is member or
 * data.
 */
static const char *role_in_pool(const struct judging *j, const struct device *vdev,
				const struct device **pool)
{
	const struct device *of = device_is_vdev(vdev) ? devices_pool(j->graph->devices, vdev->name)
						       : NULL;
	const struct below *part = of ? device_part(of, vdev->name) : NULL;

	if (!part || !strcmp(part->role, "member") || !strcmp(part->role, "data"))
		return NULL;
	*pool = of;
	return part->role;
}

/*
 * Set v->role to the role that the last step's place has for a node directly above that place, and
 * v->role_of to the node's name or, of a mount, to its kind. Only two sorts of nodes count: mounts
 * directly above the place of the first step with a place, and other nodes of which is_above() is
 * true. No role is set if the last step is at the place of that first step. The role data, and the
 * role of a disk for its partition, do not count. A member of a mirrored log has the role log.
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
		v->role = role_in_pool(j, device, &device) ?: part->role;
		v->role_of = mount ? device->kind : device->name;
		return;
	}
}

/*
 * Is it unknown on which devices the first step's place stands, so that the verdict cannot go down
 * to devices? False for the place of a file system, because a file system need not have a device.
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
 * The other work, such as a scrub, that a pool does beside the step. Of the keys in the step's
 * layer and place for which no layer above waits, the key with the longest waiting time tells the
 * work: by its value on layer->axis. NULL: the step's layer has no such axis or is above the pools;
 * or that key's waiting time is neither about as long as that of step->key nor longer; or the step
 * is that work itself, such as the scrub.
 */
static const char *find_beside(const struct judging *j, const struct step *step)
{
	const struct layer *layer = j->stack->levels[step->layer].layer;
	const struct series *keys = j->stack->levels[step->layer].layer->keys;
	const struct key *most = NULL;
	const char *work, *own;
	struct selection of = {
		.layer = step->layer, .kinds = ALL_KINDS, .place = step->place, .apart = true
	};

	if (!layer->axis || layer->rank < RANK_BLOCK)
		return NULL;
	for (unsigned int k = 0; k < keys->nkeys; k++)
		if (selection_has(j, &of, keys->keys[k]) &&
		    (!most || keys->keys[k]->values.sum_ns > most->values.sum_ns))
			most = keys->keys[k];
	if (!most || most->values.sum_ns <= ABOUT_THE_SAME * step->key->values.sum_ns)
		return NULL;
	work = key_axis(most, layer->axis);
	own = key_axis(step->key, layer->axis);
	return own && !strcmp(own, work) ? NULL : work;
}

/* Is the last step about files on which the pool of the step before stands? */
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
		/*
		 * no step before had a place, or the last step is about files of a pool: go on
		 * below the last step's place
		 */
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
	/*
	 * the mean is as short as that of reads from a cache, so the few long operations are taken
	 * to have waited for a CPU, not for storage
	 */
	if (v->end == END_OWN && v->steps[0].mean < FLOOR_MEAN &&
	    stack->levels[v->steps[v->nsteps - 1].layer].layer->rank < RANK_BLOCK)
		v->slow = false;
	if (stack->levels[v->steps[0].layer].layer->rank >= RANK_BLOCK)
		v->swap = find_swap(j->graph, v->steps[0].place);
	for (unsigned int i = v->nsteps; i-- > 0 && !v->beside;)
		v->beside = find_beside(j, &v->steps[i]);
	v->unfiltered = find_unfiltered(j, v);
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
