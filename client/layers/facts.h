/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `estat layers` knows of a layer by its name. In this folder only the code of facts.c and
 * facts.h names modules. Of a layer without a fact, only the layer's metrics, its rank
 * (estat_rank_t) and the layers above it are known.
 */
#ifndef ESTAT_CLIENT_LAYERS_FACTS_H
#define ESTAT_CLIENT_LAYERS_FACTS_H

#include "kinds.h"
#include "source/layers.h"

/* The metric whose instances name the disks of each pool: tank::/dev/sdb1::write. */
#define POOL_DISKS "estat.zio.vdev.ops"

struct fact {
	const char *layer;
	/* operations of a verdict can wait for the layer if verdict.kind is one of these; 0: any */
	kind_set only_for;
	/*
	 * if a step after the first is in the layer: the kinds of operations that can be the next
	 * step; 0: the kinds of the step's own operations
	 */
	kind_set kinds;
	/*
	 * several operations of a layer above can wait for one operation of this layer, each of
	 * them for all of that operation's time
	 */
	bool shared;
	/* only operations of file systems mounted from other hosts wait for the layer */
	bool remote;
	/*
	 * operations of the layer do not wait for file systems that this host mounts from other
	 * hosts
	 */
	bool stored;
	/* both processes of this host and the layers of servers, such as nfsd, call the layer */
	bool called;
	/* processes wait for those operations of the layer for which no layer above waits */
	bool apart;
	/* what the verdict's sentence calls an operation; NULL: noun_of() in sentence.c chooses */
	const char *noun;
	const char
		/*
		 * what takes the time: the end of the verdict's sentence if the last step is in the
		 * layer, unless print_cause() has another text for the step's devices; NULL:
		 * print_cause() always has another text
		 */
		*cause;
	/* replaces `cause` if layers below have operations of the last step's disk; or NULL */
	const char *before;
	/*
	 * replaces `before` if one layer below, or the disks below together, have at least
	 * GOOD_PART of the last step's time
	 */
	const char *both;
	/*
	 * in the sentence about operations that hang: what has not answered, if these operations
	 * are in the layer, and holder_text() has no more exact text; or NULL
	 */
	const char *holder;
	const char
		/*
		 * the series that splits the time of the layer's operations by reason, such as lock
		 * or on_cpu; or NULL
		 */
		*reasons;
	/* operations of the layer are waits before a request begins, such as for a tag or io.max */
	bool before_requests;
	const char *waits; /* with before_requests: what the sentence calls these waits */
	/*
	 * what verdict_unknown() says if direct operations of the layer wait before their requests
	 * exist: io_submit() then submits the other operations of its call late; or NULL
	 */
	const char *unsubmitted;
	/*
	 * errors of the layer's reads and writes are the device's, not answers such as "no such
	 * file"
	 */
	bool fails;
	/*
	 * the series that shows more of what the layer waits for: `estat layers` can suggest a
	 * command that shows the series, if a step of the verdict is in the layer; or NULL
	 */
	const char *evidence;
};

/* The fact of a layer. Never NULL: without a fact all members are 0. */
const struct fact *fact_of(const char *layer);

/*
 * The layer that must be measured to know what operations of `layer` wait for, if the measured
 * layers below do not explain the operations' time. `fs`: the type of the operations' file system,
 * or NULL. Returns NULL if no layer need be measured.
 */
const char *fact_needs(const char *layer, const char *fs, enum kind kind);

/* A series whose axis `axis` (cgroup, command or client) tells to whom operations belong. */
struct users_fact {
	const char *series, *axis;
	/*
	 * who_find() uses the series only if the verdict's first step is in the layer `top` or in a
	 * layer of a name such as TOP.X; `top` NULL: only if the verdict has a step in the layer
	 * `disk`. applies() has more conditions
	 */
	const char *top;
	/*
	 * if set, only keys of one disk count: the disk of the verdict's last step in the layer
	 * `disk`; NULL: keys of all places count
	 */
	const char *disk;
};
#define USERS_FACTS 3
extern const struct users_fact users_facts[USERS_FACTS];

/* The series that have the same operations as a layer; ends with {}. */
extern const struct variant variants[];

/*
 * The layer below which rows of a series are shown if the layer lacks the rows' axis. Layer and
 * series belong to the same part of the kernel, but the names of layer and series begin with
 * different words. NULL: no such layer is known.
 */
const char *fact_layer(const char *series);

/* Is this the type of a file system that charges its I/O to no cgroup? `fs` may be NULL. */
bool fact_charges_nobody(const char *fs);

/*
 * Is `fs` the type of a file system that is mounted from another host? Of such types only those of
 * NFS are known. `fs` may be NULL.
 */
bool fact_is_remote(const char *fs);

/*
 * The name POOL/VOLUME of the ZFS volume with the path /dev/zvol/POOL/VOLUME; NULL: `path` is no
 * such path.
 */
const char *fact_volume(const char *path);

#endif /* ESTAT_CLIENT_LAYERS_FACTS_H */
