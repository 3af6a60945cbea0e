/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Selects keys of a layer, and adds up their operations to a step of a verdict. */
#ifndef ESTAT_CLIENT_LAYERS_SELECTION_H
#define ESTAT_CLIENT_LAYERS_SELECTION_H

#include "facts.h"
#include "kinds.h"
#include "place.h"
#include "source/sorted.h"
#include "stack.h"

#define US 1e6

/* A time that has at least this share of another time counts as about as long. */
#define ABOUT_THE_SAME 0.8

/*
 * The share of a time that counts as most of the time. A verdict goes down from a step to a step
 * below that has this share of the upper step's time. descend.c has the cases in which less is
 * enough, or this share is not enough.
 */
#define SHARE 0.5

/*
 * A place with NEARLY_ALL of the slowness (see places_main()), or a step with NEARLY_ALL of the
 * pain (see has_the_pain()), needs only GOOD_PART of the time, where others need SHARE.
 */
#define NEARLY_ALL 0.8
#define GOOD_PART  0.25

/* Operations of one layer at one place. */
struct step {
	unsigned int layer; /* index in stack->levels */
	/* the place of all keys, see key_place(); NULL: keys can have different places, or none */
	const char *place;
	const struct key *key; /* the key with the longest waiting time */
	kind_set kinds;
	double ops;     /* operations a second */
	double waiting; /* sum of latencies, s a second: the mean number of operations under way */
	/* sum of `waiting` over all places from which `place` was chosen; see part() */
	double among;
	/*
	 * if the layer has fact.shared: the time, s a second, for which the operations of the step
	 * above wait if each of them waits for one operation of this step; at most `waiting` of the
	 * step above. 0: the layer lacks fact.shared
	 */
	double for_each;
	double mean;    /* mean latency, us */
	double typical; /* mean latency, us, each latency weighted by itself */
};

/* The keys that a step adds up. */
struct selection {
	unsigned int layer;
	kind_set kinds;
	/* only keys at this place; NULL: keys at any place, or without a place */
	const char *place;
	bool waited; /* only keys for which layers above wait: layer_is_awaited() */
	bool apart;  /* only keys for which layers above do not wait */
	/*
	 * no keys of file systems of other hosts, or of devices that stand on exports of other
	 * hosts
	 */
	bool stored;
	bool asked; /* only keys for which target_has() is true */
	/*
	 * only keys without a place, and keys whose place_depth() in `in` is `depth`. If `depth` is
	 * NOT_IN_PLACE and in->known is true, only keys without a place. NULL: all keys
	 */
	const struct place *in;
	/* the place_depth() in `in` that a key with a place must have; unused if `in` is NULL */
	unsigned int depth;
};

/* What judge() makes a verdict of: the layers of an interval, and their keys. */
struct judging {
	const struct stack *stack;
	const struct layers *layers;
	const struct graph *graph;
	layer_set measured; /* layers whose keys have counts and sums of latencies of operations */
	/*
	 * there are filters: steps have only keys that the filters select, and are in layers of
	 * `asked`. on_export() and files_below() look in all measured layers, but descend() does
	 * not take a step outside `asked`
	 */
	bool filtered;
	layer_set asked; /* layers of `measured` for which level.all is false */
	/*
	 * one of the layers `asked` has calls of processes or requests of clients: no measured
	 * layer is above that layer, and the layer's rank is below RANK_BLOCK
	 */
	bool heard;
	/*
	 * of each measured layer: its keys, sorted by keys_by() with the axis in axes[]; judge()
	 * frees the arrays
	 */
	const struct key **keys[MAX_LAYERS];
	/* the axis that says where the layer's keys are; NULL: none */
	const char *axes[MAX_LAYERS];
};

const struct fact *fact_in(const struct judging *j, unsigned int i);

bool key_is_at(const struct key *key, const char *place);

bool selection_has(const struct judging *j, const struct selection *of, const struct key *key);

/* Add up the selected keys. The `place` of the result is of->place. */
struct step add_up(const struct judging *j, const struct selection *of);

/*
 * Sums over several places, and the worst of these places by time and by slowness, which can be one
 * place. The places are those of a selection's keys, or the disks below a disk.
 */
struct places {
	struct step longest;           /* the place with the longest waiting time */
	struct step slowest;           /* the place with the most waiting time x mean latency */
	double waiting, ops, slowness; /* sums over all places, see slowness() */
	unsigned int n;                /* places with operations */
};

/* Add the operations of one more place, or of several more places, to `places`. */
void places_take(struct places *places, const struct step *step);
void places_add(struct places *places, const struct places *more);

/*
 * The place that takes the time. It is the place with the greatest slowness, if that place has
 * NEARLY_ALL of the slowness and GOOD_PART of the time; an example is a slow member of an array
 * that reads more from its other members. Else it is the place with the longest waiting time, if
 * that place has SHARE of the time. NULL: there is no such place.
 */
const struct step *places_main(const struct places *places);

/*
 * Add up the selected keys at the place that places_main() finds. If it finds none, add up all
 * selected keys.
 */
struct step add_up_place(const struct judging *j, const struct selection *of);

/* The least depth, from `least` on, at which selected keys are in of->in; or NOT_IN_PLACE. */
unsigned int nearest_depth(const struct judging *j, const struct selection *of, unsigned int least);

bool has_disks(const struct judging *j, unsigned int i);

#endif /* ESTAT_CLIENT_LAYERS_SELECTION_H */
