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

/* A step goes down to what has at least this share of the time. */
#define SHARE 0.5

/* Operations of one layer at one place. */
struct step {
	unsigned int layer; /* index in stack->levels */
	const char *place;  /* see key_place(); NULL: the layer has none, or several have a part */
	const struct key *key; /* of these keys the one with most waiting time */
	kind_set kinds;
	double ops;      /* operations a second */
	double waiting;  /* sum of latencies, s a second: the mean number of operations under way */
	double among;    /* the same, with the other places that have operations of this step */
	double for_each; /* of a shared layer (facts.h): its mean latency, for each operation of the
			    step above together, s a second; else 0 */
	double mean;     /* mean latency, us */
	double typical;  /* latency that a moment of waiting belongs to on average, us */
};

/* The keys that a step adds up. */
struct selection {
	unsigned int layer;
	kind_set kinds;
	const char *place; /* NULL: any */
	bool waited;       /* only keys for which layers above wait: layer->axis, layer->values */
	bool apart;        /* only keys for which layers above do not wait */
	bool stored;       /* no keys of file systems of other hosts */
	bool asked;        /* only keys of the target of the command line */
	const struct place *in; /* keys in this place, at this depth; NULL: anywhere */
	unsigned int depth;
};

/* What is judged. */
struct judging {
	const struct stack *stack;
	const struct layers *layers;
	const struct graph *graph;
	layer_set measured; /* layers with keys and times */
	bool filtered; /* only keys that the filters select count, and layers that have the axes */
	layer_set asked; /* of these, layers that tell the target's operations from others' */
	const struct key **keys[MAX_LAYERS]; /* of each measured layer, keys_by() place; owned */
	const char *axes[MAX_LAYERS];        /* the axis of the keys' places; NULL: no places */
};

const struct fact *fact_in(const struct judging *j, unsigned int i);

bool key_is_at(const struct key *key, const char *place);

bool selection_has(const struct judging *j, const struct selection *of, const struct key *key);

/* Add up the selected keys. step->place is the keys' only place, else NULL. */
struct step add_up(const struct judging *j, const struct selection *of);

/* Narrow a selection to the place that has at least half of its time, if there is one. */
struct step add_up_place(const struct judging *j, const struct selection *of);

/* The depth at which keys of a layer are in the place: the nearest that is at least `least`. */
unsigned int nearest_depth(const struct judging *j, const struct selection *of, unsigned int least);

bool has_disks(const struct judging *j, unsigned int i);

#endif /* ESTAT_CLIENT_LAYERS_SELECTION_H */
