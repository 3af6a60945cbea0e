/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Metrics: names, PMIDs, descriptors and help texts. For the values of metrics see value.h
 * (series), events.h (event records), last.h (records of ESTAT_LAST()), status.h (estat.module.*,
 * estat.agent.*), layouts.h (estat.module.axes), layers.h (estat.layer.*) and devices.h
 * (estat.device.*).
 */
#ifndef ESTAT_PMDA_SERVE_METRICS_H
#define ESTAT_PMDA_SERVE_METRICS_H

#include "data/events.h"
#include "data/last.h"
#include "data/series.h"

/* The number of PMID items of a group. The upper half is for the metrics of the group's total. */
#define ITEMS_PER_GROUP 64
#define ITEMS_TOTAL     32

/*
 * Metrics for which no PMID item is left in the module's cluster have the module's cluster +
 * SECOND_CLUSTER.
 */
#define SECOND_CLUSTER 2048

/*
 * Serials, all below 16, of the agent's own instance domains, and of PCP's cache of cluster
 * numbers. Archives contain serials, so never change one. Serials of modules' domains are higher,
 * see buckets.c.
 */
enum serial {
	SERIAL_MODULES = 1,
	SERIAL_CLUSTERS,
	SERIAL_LAYERS,
	SERIAL_LAYOUTS,
	SERIAL_DEVICES,
	SERIAL_LAST,
};

/* The end of an instant metric's help text. */
#define METRICS_INTERVAL                                                                        \
	"The interval runs from the same client context's previous fetch of this metric to\n"   \
	"this fetch; at the first fetch it begins half to one minute ago, or when the module\n" \
	"started. Only time during which the module was attached counts."

/* What the value of a metric is. */
enum metric_kind {
	/* counters and gauges of the module, to METRIC_WALKED_TIME; METRIC_TOLD: a text */
	METRIC_FIELD,
	METRIC_SUMSQ,
	METRIC_HISTOGRAM,
	METRIC_BY_SIZE,
	METRIC_FINE,
	METRIC_BELOW,
	METRIC_BELOW_SUM,
	METRIC_BELOW_COUNT,
	METRIC_GAUGE,
	METRIC_WALKED,
	METRIC_WALKED_TIME,
	METRIC_TOLD,
	/*
	 * instant metrics, to METRIC_HIGHEST: over the interval since the client's previous fetch
	 */
	METRIC_RATE,
	METRIC_THROUGHPUT,
	METRIC_MEAN,
	METRIC_DEVIATION,
	METRIC_PERCENTILE,
	METRIC_HIGHEST,
	/* values of estat.module.* and estat.agent.*, see status.h */
	METRIC_STATUS,
	/* values of estat.layer.*, see layers.h */
	METRIC_LAYER,
	/* the value of estat.module.axes, see layouts.h */
	METRIC_LAYOUT,
	/* values of estat.device.*, see devices.h */
	METRIC_DEVICE,
	/* event records, and the parameters of event records, which have values only in records */
	METRIC_EVENTS,
	METRIC_PARAMETER,
	/* values of the records of ESTAT_LAST(), see last.h */
	METRIC_LAST,
};

struct exports;

struct metric {
	enum metric_kind kind;
	pmDesc desc;
	char *name;        /* the full name, such as estat.zio.latency; owned */
	const char *first; /* how the help text begins, see help.c; NULL for METRIC_EVENTS */
	/* how the help text ends; NULL for METRIC_LAYER, and for METRIC_EVENTS to METRIC_LAST */
	const char *more;
	struct exports *exports; /* exports of the module; NULL: a metric of the agent */
	struct series *series;   /* the series; NULL: not a metric of a series */
	const struct group *group;
	/* the group's field from which the value comes; only for METRIC_FIELD to METRIC_TOLD */
	const struct field *field;
	struct events *events; /* the event records; only for METRIC_EVENTS */
	struct last *last;     /* the records of ESTAT_LAST(); only for METRIC_LAST */
	/* only for METRIC_LAST; NULL: the metric is the record's age */
	const struct parameter *parameter;
	double share; /* the share of operations, 0 to 1; only for METRIC_PERCENTILE */
	int instant;  /* index among the module's METRIC_RATE to METRIC_HIGHEST; -1: another kind */
	bool total;
	struct bucket_indom *buckets; /* the domain of the buckets; NULL: there are none */
	/* the snapshot at the interval's begin; NULL: all counters were 0 then */
	const struct snapshot *previous;
};

/* The metrics of a module, or of the agent. */
struct metrics {
	int domain;
	struct exports *exports; /* exports of the module; NULL: metrics of the agent */
	unsigned int n;
	struct metric *metrics;
	unsigned int ninstants; /* how many instant metrics there are, those of layers included */
};

/* Add the metrics of a series. */
void metrics_add_series(struct metrics *m, struct series *series);

/* Add the metrics of a module's event records and of their parameters. */
void metrics_add_events(struct metrics *m, struct events *events);

/* Add the metrics of a module's records of ESTAT_LAST(). */
void metrics_add_last(struct metrics *m, struct last *last);

/*
 * A metric of the agent. Its PMID is in cluster 0. Archives contain the item, so never change it.
 */
struct agent_metric {
	unsigned int item;
	const char *name; /* the full name; of estat.layer.NAME only NAME */
	int type, sem;
	pmUnits units;
	const char *oneline;
	const char *help; /* the help text after `oneline`; NULL for estat.layer.* */
};

/*
 * Add a metric of estat.module.*, estat.agent.* or estat.device.*. `kind`: METRIC_STATUS,
 * METRIC_LAYOUT or METRIC_DEVICE.
 */
void metrics_add_status(struct metrics *m, enum metric_kind kind, pmInDom indom,
			const struct agent_metric *a);

/* Add a metric of estat.layer.*. */
void metrics_add_layer(struct metrics *m, pmInDom indom, const struct agent_metric *a);

/* A group's name, for example "zio.vdev" for estat.zio.vdev.*. The caller frees the text. */
char *metrics_group_name(const struct module *m, const struct series_schema *s,
			 const struct group *group);

/*
 * Copy the metric `name` of a group's total to *copy, if there is such a metric. The copy of an
 * instant metric has an index of its own, so that clients have separate intervals for the copy.
 */
void metrics_copy_total(struct metrics *m, const struct series *s, const struct group *group,
			const char *name, struct metric *copy);

/* The part of a group's values from which an instant metric of this kind is computed. */
enum part metric_part(enum metric_kind kind);

void metrics_free(struct metrics *m);

#endif /* ESTAT_PMDA_SERVE_METRICS_H */
