// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "descend.h"

/* A disk is busy if at least this many of its operations are under way on average. */
#define BUSY 0.8

/*
 * One of two disks takes the time if it has at least this share of the time of both, see
 * main_disk().
 */
#define SHARE_OF_TWO 0.6

/* The most times in a row that take_disks() replaces a disk by the disks below. */
#define MAX_DEPTH 3

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
		/*
		 * of.place selects the keys of the step's disk, however deep the disk is in
		 * `place`; of.in would select only keys at the depth of.depth
		 */
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
 * Limit the time of `waits`, which are waits before requests begin, to `left`: the time of the step
 * above, less the time for which operations of that step wait for other operations. `left` <= 0
 * sets no limit. The sum of the waits can exceed `left`, because the waits of the parts of a split
 * bio overlap.
 */
static void limit_waits(struct step *waits, double left)
{
	if (left <= 0)
		return;
	waits->waiting = fmin(waits->waiting, left);
	waits->among = fmin(waits->among, left);
}

/*
 * The operations of `disk` for which operations of `upper` may wait: those in layer i or, if a
 * layer directly below layer i has clearly more time, those in that lower layer. A lower layer can
 * have more time because paths of NVMe have no bios of their own, and because a bio begins after
 * its wait for io.max.
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
 * The operations of an export of another host, for which operations of a loop device may wait,
 * because the device's file is on the export. If `name` is no export, or no layer has its
 * operations, the key is NULL.
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
 * Add to `places` the operations of the disks directly below `disk`. The disks below such a disk
 * replace it if they have more time, and one of two conditions holds. Either the replaced disk has
 * no operations; or it is the only disk directly below `disk`, and has less than SHARE of the last
 * step's time. The second condition holds below a thin volume that waits for metadata: the pool's
 * device, the only disk below the volume, does not count writes of metadata, but the metadata's
 * disk does. `depth`: how many times in a row disks can be replaced.
 */
static void take_disks(const struct judging *j, const struct verdict *v, const char *disk,
		       unsigned int depth, struct places *places)
{
	const struct step *last = &v->steps[v->nsteps - 1];
	const char **disks = NULL;
	unsigned int n = disks_below(j->graph, disk, &disks);
	/* a disk that stands on several may be a RAID, which also reads when it writes */
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

/*
 * The disk that takes the time, see places_main(); NULL: none does. If there are two disks, one
 * always has half of the time or more. So one of two disks that places_main() chooses for its share
 * of the time, and not for its slowness, needs the share SHARE_OF_TWO.
 */
static const struct step *main_disk(const struct places *places)
{
	const struct step *most = places_main(places);
	bool alike = places->n == 2 && places->longest.waiting < SHARE_OF_TWO * places->waiting;

	return alike && most == &places->longest ? NULL : most;
}

/*
 * Of the disks below the last step's disk: the operations of the disk that main_disk() chooses or,
 * if main_disk() chooses none, of all disks. If the disks have no operations, the key is NULL.
 */
static struct step disk_below(const struct judging *j, const struct verdict *v)
{
	const struct step *last = &v->steps[v->nsteps - 1];
	struct places places = { 0 };
	struct step most;

	if (!last->place || !key_axis(last->key, "disk"))
		return places.longest;
	take_disks(j, v, last->place, MAX_DEPTH, &places);
	if (main_disk(&places)) {
		most = *main_disk(&places);
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

/*
 * Can operations of the step wait for layer i? Not if layer i has no operations or, if both the
 * step and layer i have disks, no operations of the step's disk.
 */
static bool can_wait(const struct judging *j, const struct step *step, unsigned int i)
{
	struct selection of = { .layer = i, .kinds = ALL_KINDS };

	if (step->place && key_axis(step->key, "disk") && has_disks(j, i))
		of.place = step->place;
	return add_up(j, &of).key;
}

double pain(const struct step *step)
{
	return step->waiting * step->typical;
}

/*
 * The part of the waiting time of `upper` for which the operations of `upper` can have waited for
 * operations like those of `lower`, at the place of `lower` or at other places.
 */
static double part(const struct step *upper, const struct step *lower)
{
	return fmin(fmax(lower->among, lower->for_each), upper->waiting);
}

/*
 * Are the reads of `lower` fewer and far longer than those of `upper`, and is the sum of their
 * latencies clearly greater, as if the reads of `lower` were read-ahead? Then it is unknown which
 * reads of `upper` wait for the reads of `lower`. False unless `upper` has only reads.
 */
static bool is_parallel(const struct step *upper, const struct step *lower)
{
	return upper->kinds == KIND_BIT(KIND_READ) && lower->waiting > 1.5 * upper->waiting &&
	       lower->mean > 4 * upper->mean && lower->ops < upper->ops;
}

/*
 * Does a loop device wait for a busy disk? If a loop device does one request at a time, most of the
 * requests' time passes in its queue. Then the disk has less than half of that time, but the
 * requests wait for the disk. False unless the layer of `loop`, such as that of requests, is below
 * the layer of `disk`, such as bio.
 */
static bool is_busy(const struct judging *j, const struct step *loop, const struct step *disk)
{
	return j->stack->levels[loop->layer].layer->rank >
		       j->stack->levels[disk->layer].layer->rank &&
	       disk->waiting >= BUSY && disk->ops >= SHARE * loop->ops;
}

/*
 * The calls for files on which the last step's pool, or a vdev of the pool, stands. The key is NULL
 * if there are no such files, or if no key of such calls is in `place`.
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

/*
 * The waiting time of operations for which operations of `upper` may wait: the sum over those
 * layers directly below the layer of `upper` whose index is greater than i.
 */
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
 * Has `lower` nearly all of the pain of `upper`, and a good part of the time? If few operations
 * wait long for io.max beside many quick operations of a neighbour, the few have most of the pain,
 * but less than half of the time.
 */
static bool has_the_pain(const struct step *upper, const struct step *lower)
{
	return lower->key && pain(lower) >= NEARLY_ALL * pain(upper) &&
	       part(upper, lower) >= GOOD_PART * upper->waiting;
}

/*
 * Is the step in a layer whose keys the filters cannot select? Then set v->lacking to the axis that
 * the layer lacks.
 */
static bool is_unfiltered(const struct judging *j, struct verdict *v, const struct step *step)
{
	if (!step->key || !j->filtered || j->asked & BIT(step->layer))
		return false;
	v->lacking = target_lacks(j->stack->target, j->stack->levels[step->layer].layer);
	return true;
}

bool descend(const struct judging *j, struct verdict *v, const struct place *place)
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
	if (is_unfiltered(j, v, &step))
		step = (struct step){ 0 };
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
		if (!next.key || is_unfiltered(j, v, &next))
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
