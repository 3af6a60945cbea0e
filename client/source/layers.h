/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The layers of the storage stack. Modules declare layers, and estat.layer.* exports layers. */
#ifndef ESTAT_CLIENT_SOURCE_LAYERS_H
#define ESTAT_CLIENT_SOURCE_LAYERS_H

#include "source.h"

struct text;

/* A set of layers: bit i is layers.layers[i]. */
#define MAX_LAYERS 64
typedef uint64_t layer_set;

struct layer {
	const char *name; /* beginning of the layer's metric names, without "estat." */
	unsigned int rank;
	const char *above; /* names of the layers above, separated by blanks */
	/*
	 * layers above wait only for keys whose value on `axis` matches the glob `values`, and for
	 * keys that have no value on `axis`; both NULL: for all keys
	 */
	const char *axis, *values;
	struct series *total; /* values over all keys; NULL: those of `keys` are added up */
	struct series *keys;  /* values by key; NULL: the layer has none */
};

struct layers {
	unsigned int n;
	struct layer layers[MAX_LAYERS]; /* sorted from the top of the stack to the bottom */
	/*
	 * series[0] to series[nseries - 1]: the axes, such as "disk::op", of each series of the
	 * source; of an archive without estat.module.axes: of each layer
	 */
	unsigned int nseries;
	struct text *series;
};

/* A series that has the same operations as a layer, by other axes: bio.cgroup has those of bio. */
struct variant {
	const char *series, *layer;
};

/*
 * Find the layers of the source, and read the layers' metrics from now on. A total is read with
 * histograms. Keys are read with histograms if the layer has no total, if `by_key` is set, or if
 * `stacked` is set and the layer has the axis disk; else without histograms. With `by_key` a total
 * is read only if the layer has no keys.
 *
 * If a variant of a layer has more of `axes` than the layer, the metrics of the variant are read in
 * place of the layer's. `axes` ends with NULL, `variants` with {}. Exits if the source has no
 * layer.
 */
void layers_find(struct layers *layers, struct source *s, bool by_key, bool stacked,
		 const char *const *axes, const struct variant *variants);

/* The index of the layer with this name, such as backend_io; -1: the source has no such layer. */
int layers_named(const struct layers *layers, const char *name);

/* Has any layer the axis? */
bool layers_have(const struct layers *layers, const char *axis);

/* The axes in layers->series, each once, sorted: "cgroup, disk, op". The caller frees the text. */
char *layers_axes(const struct layers *layers);

/*
 * The layers in `present` that wait for layer i: those directly above layer i. If the source
 * lacks one of these, the layers directly above the lacking layer take its place.
 */
layer_set layers_above(const struct layers *layers, unsigned int i, layer_set present);

/* Do the layers above wait for the key's operations, by layer->axis and ->values? */
bool layer_is_awaited(const struct layer *layer, const struct key *key);

#endif /* ESTAT_CLIENT_SOURCE_LAYERS_H */
