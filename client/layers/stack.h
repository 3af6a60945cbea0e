/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The figures of all layers in an interval. */
#ifndef ESTAT_CLIENT_LAYERS_STACK_H
#define ESTAT_CLIENT_LAYERS_STACK_H

#include "target.h"
#include "source/layers.h"

#define NS     1e9
#define BIT(i) ((layer_set)1 << (i)) /* the set of layer i */

/*
 * The lowest rank (estat_rank_t) of pools and the block layer. Processes do not call layers of this
 * or a higher rank.
 */
#define RANK_BLOCK 400

/* A layer in an interval. Waiting times are seconds a second: mean operations under way. */
struct level {
	const struct layer *layer;
	struct values values;
	double seconds;         /* for how long the layer was measured in the interval */
	enum relation relation; /* how the layer's keys belong to the target: target_relation() */
	/* the layer's keys cannot tell operations of the target, or of the filters, from others */
	bool all;
	double waiting; /* the waiting time in `values`; NAN: unknown */
	/* of `waiting`, the part of keys that can be compared with layers below; all if none can */
	double inner;
	/* `inner` times the share of the time of keys with layer_is_awaited() */
	double waited;
	double own;      /* `inner` less `waited` of layers below, see stack.c; NAN: unknown */
	double own_most; /* upper limit of the own time; NAN: unknown */
	bool hangs;      /* an operation of the target hangs or, if hang.past, hung in the layer */
	/*
	 * of the layers directly above and below, those whose waiting time is known and not 0.
	 * `below` also has layers whose waiting time is unknown, but `below` of such a layer is 0
	 */
	layer_set above, below;
};

/* Operations that hang, see hang.h. */
struct hang {
	/*
	 * a key whose operations hang or, if `past`, hung. Of such keys at the place of the oldest
	 * operation, or on a device below, it is the key in the lowest layer and, in that layer, on
	 * the lowest device. NULL: nothing hangs or hung
	 */
	const struct key *key;
	unsigned int layer; /* index in stack->levels */
	bool past;          /* nothing hangs at the interval's end; `key`, if any, hung earlier */
	/*
	 * how many operations with the key's op and place are under way. If `past`: how many were
	 * under way at key->values.peak.time; keys that have their peak at another time do not
	 * count
	 */
	uint64_t n;
	/*
	 * it is known that no layer below has operations of the key's place under way, and that in
	 * the key's layer no device below the place has. That is known only if at least one layer
	 * below tells what is under way, and it is known on which devices the place stands
	 */
	bool lowest;
	bool stacked; /* the key's place stands on other devices */
	/* the mount with the file of the loop device that is the key's place; NULL: none */
	const char *file;
	/*
	 * graph_mount() of the key's place: a mount's directory, if the place is a number such as
	 * 0:37; or NULL
	 */
	const char *mount;
	/* how many operations of the target are under way in the layer that has most of them */
	uint64_t under_way;
};

/* Operations that failed, see fail.h. */
struct failed {
	const struct key *key; /* NULL: none failed */
	unsigned int layer;    /* index in stack->levels */
};

struct stack {
	const struct target *target;
	struct hang hang;
	struct failed failed;
	unsigned int n;
	struct level levels[MAX_LAYERS];
};

/*
 * Compute the stack of an interval with `seconds` of measured time. `layers` and `target` must
 * outlive the stack. hang_find() sets stack->hang, fail_find() stack->failed.
 */
void stack_read(struct stack *stack, const struct layers *layers, const struct target *target,
		double seconds);

/*
 * Set *level to the figures of `layer`, which need not be one of `layers`. The members from `inner`
 * on become 0, or NAN.
 */
void stack_read_level(struct level *level, const struct stack *stack, const struct layers *layers,
		      const struct layer *layer, double seconds);

/*
 * Does the row of the key's layer count the key? It does if target_has() is true for the key, and
 * key->twice is false.
 */
bool stack_shows(const struct stack *stack, const struct level *level, const struct key *key);

/* The keys of a layer; NULL: no keys, or a moment lacks the sums of the keys' latencies. */
const struct series *stack_keys(const struct level *level);

/*
 * Tells where layer i waits: the keys that equal the returned key on the first *naxes axes have the
 * share *share, half or more, of the layer's waiting time. Returns NULL if no value of the first
 * axis has half of that time, or if the keys' times are unknown or 0.
 */
const struct key *stack_where(const struct stack *stack, unsigned int i, unsigned int *naxes,
			      double *share);

#endif /* ESTAT_CLIENT_LAYERS_STACK_H */
