/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kinds of operations. `estat layers` judges each kind apart, because a mean over all operations
 * hides a slow fsync among thousands of quick writes.
 */
#ifndef ESTAT_CLIENT_LAYERS_KINDS_H
#define ESTAT_CLIENT_LAYERS_KINDS_H

#include "source/series.h"

enum kind {
	KIND_READ,
	KIND_BUFFERED, /* writes that return before the data is on the device */
	/*
	 * direct writes that are not synchronous, and writes whose keys do not say how, as of bio
	 */
	KIND_WRITE,
	/*
	 * synchronous writes, fsync, flush, NFS COMMIT, and all operations of layers without the
	 * axis op, such as journal.commit
	 */
	KIND_SYNC,
	KIND_OTHER, /* open, rename, discard, ... */
	KINDS,
};

/* A set of kinds: bit k is kind k. */
typedef unsigned int kind_set;
#define KIND_BIT(kind) (1U << (kind))
#define ALL_KINDS      (KIND_BIT(KINDS) - 1)

/* The kind of a key's operations, by the key's values on the axes op, how and sync. */
enum kind kind_of(const struct key *key);

/*
 * The kinds of operations of layers below that operations of `kind` may wait for. A buffered write
 * waits for reads (of the rest of its page) and for buffered writes (those of zpl, below vfs), but
 * for no other kind of write. Layers with fact.only_for, such as writeback, are an exception: of
 * them all kinds count.
 */
kind_set kinds_below(enum kind kind);

#endif /* ESTAT_CLIENT_LAYERS_KINDS_H */
