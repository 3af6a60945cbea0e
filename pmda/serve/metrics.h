/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The metrics of all series and events: their names, numbers, descriptors and
 * help texts. What their values are is in value.h and events.h; estat.module.* and estat.agent.*
 * are in status.h.
 */
#ifndef ESTAT_PMDA_SERVE_METRICS_H
#define ESTAT_PMDA_SERVE_METRICS_H

#include "data/events.h"
#include "data/series.h"

/* PMID items of a group, of which the upper half is the totals'. */
#define ITEMS_PER_GROUP 64
#define ITEMS_TOTAL     32

/* A module's own cluster is full: what is numbered by group and came later is in that + this. */
#define SECOND_CLUSTER 2048

/* What the value of a metric is. */
enum metric_kind {
	/* counters, as the fields are */
	METRIC_FIELD,
	METRIC_SUMSQ,
	METRIC_HISTOGRAM,
	METRIC_BY_SIZE,
	METRIC_FINE,
	METRIC_BELOW,
	METRIC_BELOW_SUM,
	METRIC_BELOW_COUNT,
	METRIC_GAUGE,
	/* instant: over the interval since the client last fetched this metric */
	METRIC_RATE,
	METRIC_THROUGHPUT,
	METRIC_MEAN,
	METRIC_DEVIATION,
	METRIC_PERCENTILE,
	METRIC_HIGHEST,
	/* of a module or the agent */
	METRIC_STATUS,
	/* of all layers, see layers.h */
	METRIC_LAYER,
	/* event records, and their parameters, which have values in them only */
	METRIC_EVENTS,
	METRIC_PARAMETER,
};

struct exports;

struct metric {
	enum metric_kind kind;
	pmDesc desc;
	char *name;              /* in full: estat.zio.latency */
	char *oneline;           /* help, one line */
	char *help;              /* help, all of it */
	struct exports *exports; /* whose module's it is; NULL for the agent's own */
	struct series *series;   /* NULL for what is none of a series' */
	const struct group *group;
	const struct field *field; /* of METRIC_FIELD to _GAUGE but _BY_SIZE */
	struct events *events;     /* of METRIC_EVENTS */
	double share;              /* of METRIC_PERCENTILE */
	int instant;               /* number among the module's instant metrics, or -1 */
	bool total;
	struct bucket_indom *buckets; /* of its instances; NULL if they are none */
	/* of the client being served; NULL at its first fetch of the metric */
	const struct snapshot *previous;
};

/* Those of a module, or of the agent itself. */
struct metrics {
	int domain;
	struct exports *exports; /* NULL for the agent's own */
	unsigned int n;
	struct metric *metrics;
	unsigned int ninstants;
};

/* Add what a series exports. */
void metrics_add_series(struct metrics *m, struct series *series);

/* Add a module's event records and their parameters. */
void metrics_add_events(struct metrics *m, struct events *events);

/* Add one that is neither. */
void metrics_add_status(struct metrics *m, const char *name, const pmDesc *desc,
			const char *oneline, const char *help);

/* Add a figure of all layers. */
void metrics_add_layer(struct metrics *m, const char *name, const pmDesc *desc,
		       const char *oneline);

/* How the names of a group's metrics begin: estat.zio.vdev. To be freed. */
char *metrics_prefix(const struct series *s, const struct group *group);

/*
 * Copy a metric of a group's total, with the same texts and, if it is an instant one, another
 * number, so that clients have intervals of their own with it. If there is none, nothing is done.
 */
void metrics_copy_total(struct metrics *m, const struct series *s, const struct group *group,
			const char *name, struct metric *copy);

/* What of its group an instant metric is computed from. */
enum part metric_part(enum metric_kind kind);

void metrics_free(struct metrics *m);

#endif /* ESTAT_PMDA_SERVE_METRICS_H */
