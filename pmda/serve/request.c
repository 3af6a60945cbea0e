// SPDX-License-Identifier: GPL-2.0-or-later

#include "client.h"
#include "data/series.h"
#include "describe.h"
#include "devices.h"
#include "layers.h"
#include "lib/clock.h"
#include "load/programs.h"
#include "request.h"
#include "status.h"
#include "store.h"
#include "value.h"

/*
 * A request for instance names or labels folds a series again only if the last fold is as old as
 * NAMES_NS plus NAMES_FOLDS times the time that the fold took. Without this pause a client that
 * asks for 65,536 names one at a time would keep the agent folding.
 */
#define NAMES_NS    UINT64_C(10000000)
#define NAMES_FOLDS 20

static struct agent *agent;
/* starts the module `m` (NULL: all modules); returns false if that takes too long */
static bool (*start)(const struct module *m);

/*
 * The series and the buckets to which the domain of the newest request for names or labels belongs;
 * NULL: none.
 */
static struct series *asked;
static struct bucket_indom *asked_buckets;

static int fetch_value(pmdaMetric *mdesc, unsigned int inst, pmAtomValue *atom)
{
	const struct metric *m = mdesc->m_user;

	if (!m) /* libpcp_pmda asks even for a PMID that is in no table */
		return PM_ERR_PMID;
	switch (m->kind) {
	case METRIC_STATUS:
		return status_value(agent, pmID_item(mdesc->m_desc.pmid), inst, atom);
	case METRIC_LAYER:
		return layers_value(&agent->tables.layers, m, inst, atom);
	case METRIC_LAYOUT:
		return layouts_value(&agent->tables.layouts, inst, atom);
	case METRIC_DEVICE:
		return devices_value(pmID_item(m->desc.pmid), inst, atom);
	case METRIC_EVENTS:
		return events_value(m->events, pmdaGetContext(), atom);
	case METRIC_LAST:
		return last_value(m->last, m->parameter, inst, atom);
	case METRIC_PARAMETER:
		return PMDA_FETCH_NOVALUES;
	default:
		return metric_value(m, inst, atom);
	}
}

/*
 * Start the modules that the metric's values come from: one module, or all for estat.layer.* and
 * for estat.module.* except estat.module.axes. Returns false if the start takes too long. May
 * replace agent->tables.
 */
static bool start_for(pmID pmid)
{
	const struct metric *m = pmda_tables_find(&agent->tables, pmid);

	if (!m)
		return true;
	if (m->exports)
		return start(m->exports->module);
	return (m->kind != METRIC_LAYER && m->kind != METRIC_STATUS) ||
	       m->desc.indom == PM_INDOM_NULL || start(NULL);
}

struct fetch {
	int context;
	uint64_t now; /* when the fetch came, CLOCK_MONOTONIC nanoseconds */
};

/*
 * Call `call` for each metric of a request. A metric of estat.layer.* is replaced by the metrics
 * that layers_metric() finds for it, one for each layer.
 */
static void for_each(unsigned int n, const pmID *pmids, const struct fetch *f,
		     void (*call)(struct metric *m, const struct fetch *f))
{
	const struct pmda_tables *t = &agent->tables;

	for (unsigned int i = 0; i < n; i++) {
		struct metric *m = pmda_tables_find(t, pmids[i]);

		if (m && m->kind != METRIC_LAYER)
			call(m, f);
		if (!m || m->kind != METRIC_LAYER)
			continue;
		for (unsigned int layer = 0; layer < t->layers.n; layer++)
			if (layers_metric(&t->layers, layer, m))
				call(layers_metric(&t->layers, layer, m), f);
	}
}

/*
 * Remember which modules a client reads, because with attach = demand a read attaches a module. A
 * fetch of estat.layer.* is no read: pmlogconf has pmlogger record estat.layer.*, so the modules
 * would stay attached all the time.
 */
static void look_at(unsigned int n, const pmID *pmids, const struct fetch *f)
{
	for (unsigned int i = 0; i < n; i++) {
		const struct metric *m = pmda_tables_find(&agent->tables, pmids[i]);

		if (!m || !m->exports)
			continue;
		m->exports->module->fetched = f->now;
	}
}

/*
 * Call devices_refresh() if a value needs the graph of devices. Do this before pmdaFetch(), because
 * the instances of estat.device.* must not change while libpcp_pmda goes over the instances.
 */
static void read_graph(unsigned int n, const pmID *pmids)
{
	for (unsigned int i = 0; i < n; i++) {
		const struct metric *m = pmda_tables_find(&agent->tables, pmids[i]);

		if (!m || (m->kind != METRIC_DEVICE && !layers_need_graph(m)))
			continue;
		devices_refresh();
		return;
	}
}

/*
 * Remember, as a request begins, that the metric's series was not yet folded for this request, and
 * that begin_time() has not yet run for the series.
 */
static void age(struct metric *m, const struct fetch *f)
{
	(void)f;
	if (m->series)
		m->series->fresh = m->series->timed = false;
}

/*
 * If the metric is inflight_time: begin to compute inflight_time of the series, once in a request,
 * before the request's walk; under_way.c says why.
 */
static void begin_time(struct metric *m, const struct fetch *f)
{
	(void)f;
	if (m->kind != METRIC_WALKED_TIME || m->series->timed)
		return;
	under_way_begin(m->series);
	m->series->timed = true;
}

/*
 * If the metric's value comes from a walk, have the metric's module walk its operations under way,
 * once a request.
 */
static void walk(struct metric *m, const struct fetch *f)
{
	if (m->kind == METRIC_WALKED || m->kind == METRIC_WALKED_TIME || m->kind == METRIC_TOLD)
		programs_walk(&m->exports->module->now, f->now);
}

/*
 * For a metric of ESTAT_LAST(), copy the records. For a metric of a series, fold the series, once a
 * request. After the fold: for inflight_time, finish what begin_time() began; for a metric whose
 * instances are buckets, update the instances; for an instant metric, find the snapshot at the
 * interval's begin.
 */
static void prepare(struct metric *m, const struct fetch *f)
{
	if (m->kind == METRIC_LAST)
		last_take(m->last, f->now);
	if (!m->series)
		return;
	if (!m->series->fresh) {
		programs_keep_clocks(&m->exports->module->now);
		series_fold(m->series);
	}
	m->series->fresh = true;
	if (m->kind == METRIC_WALKED_TIME && m->series->timed) {
		under_way_end(m->series);
		m->series->timed = false;
	}
	if (m->buckets)
		buckets_refresh(m->series, m->buckets);
	if (m->instant < 0)
		return;
	m->previous = client_previous(f->context, m->exports, m->instant);
	if (!m->previous)
		m->previous = baseline_find(m->series, m->group - m->series->schema->groups,
					    metric_part(m->kind));
}

/*
 * Keep a snapshot of an instant metric, because the client's next interval begins with this fetch.
 */
static void remember(struct metric *m, const struct fetch *f)
{
	if (m->instant >= 0 && module_runs(m->series->module))
		client_remember(f->context, m->exports, m->instant,
				snapshot_take(m->series, m->group - m->series->schema->groups,
					      metric_part(m->kind), m->total));
}

static int estat_fetch(int n, pmID *pmids, pmdaResult **result, pmdaExt *pmda)
{
	const struct fetch fetch = { .context = pmda->e_context, .now = clock_now() };
	int sts;

	for (int i = 0; i < n; i++)
		if (!start_for(pmids[i]))
			return PM_ERR_AGAIN;
	look_at(n, pmids, &fetch);
	for_each(n, pmids, &fetch, age);
	for_each(n, pmids, &fetch, begin_time);
	for_each(n, pmids, &fetch, walk);
	for_each(n, pmids, &fetch, prepare);
	read_graph(n, pmids);
	layers_refresh(&agent->tables.layers);
	sts = pmdaFetch(n, pmids, result, pmda);
	if (sts >= 0)
		for_each(n, pmids, &fetch, remember);
	return sts;
}

/* Is the domain in the tables? If not, libpcp_pmda would log an error at each request for it. */
static bool has_domain(const pmdaExt *pmda, pmInDom indom)
{
	for (int i = 0; i < pmda->e_nindoms; i++)
		if (pmda->e_indoms[i].it_indom == indom)
			return true;
	return false;
}

/* Update a domain's instances for a request for names or labels. Returns 0 or PM_ERR_*. */
static int fold_names(const pmdaExt *pmda, pmInDom indom)
{
	asked = agent_series(agent, indom, &asked_buckets);
	if (asked && !start(asked->module))
		return PM_ERR_AGAIN;
	if (!has_domain(pmda, indom))
		return PM_ERR_INDOM;
	/* look again after the start, because a start replaces the module's series */
	asked = agent_series(agent, indom, &asked_buckets);
	if (asked && clock_now() - asked->folded >= NAMES_NS + NAMES_FOLDS * asked->elapsed)
		series_fold(asked);
	if (asked_buckets)
		buckets_refresh(asked, asked_buckets);
	layers_refresh(&agent->tables.layers);
	if (pmInDom_serial(indom) == SERIAL_DEVICES)
		devices_refresh();
	return 0;
}

static int estat_instance(pmInDom indom, int inst, char *name, pmInResult **result, pmdaExt *pmda)
{
	int sts = fold_names(pmda, indom);

	return sts < 0 ? sts : pmdaInstance(indom, inst, name, result, pmda);
}

static int estat_text(int ident, int type, char **buffer, pmdaExt *pmda)
{
	(void)pmda;
	if (type & PM_TEXT_INDOM)
		return describe_indom(agent, ident, buffer);
	return describe_metric(agent, ident, type, buffer);
}

static int estat_pmid(const char *name, pmID *pmid, pmdaExt *pmda)
{
	(void)pmda;
	return pmdaTreePMID(agent->tables.names, name, pmid);
}

static int estat_name(pmID pmid, char ***names, pmdaExt *pmda)
{
	(void)pmda;
	return pmdaTreeName(agent->tables.names, pmid, names);
}

static int estat_children(const char *name, int traverse, char ***children, int **status,
			  pmdaExt *pmda)
{
	(void)pmda;
	return pmdaTreeChildren(agent->tables.names, name, traverse, children, status);
}

static int estat_label(int ident, int type, pmLabelSet **sets, pmdaExt *pmda)
{
	int sts = type & PM_LABEL_INSTANCES ? fold_names(pmda, ident) : 0;

	return sts < 0 ? sts : pmdaLabel(ident, type, sets, pmda);
}

static int instance_labels(pmInDom indom, unsigned int inst, pmLabelSet **set)
{
	return describe_instance(agent, asked, asked_buckets, indom, inst, set);
}

static void end_context(int context)
{
	agent_end_client(agent, context);
}

void request_begin(pmdaInterface *dispatch, struct agent *a, bool (*begin)(const struct module *m))
{
	agent = a;
	start = begin;
	dispatch->version.seven.fetch = estat_fetch;
	dispatch->version.seven.instance = estat_instance;
	dispatch->version.seven.text = estat_text;
	dispatch->version.seven.pmid = estat_pmid;
	dispatch->version.seven.name = estat_name;
	dispatch->version.seven.children = estat_children;
	dispatch->version.seven.label = estat_label;
	store_begin(dispatch, a);
	pmdaSetFetchCallBack(dispatch, fetch_value);
	pmdaSetLabelCallBack(dispatch, instance_labels);
	pmdaSetEndContextCallBack(dispatch, end_context);
}

void request_serve(pmdaInterface *dispatch)
{
	pmdaSetFlags(dispatch, PMDA_EXT_FLAG_HASHED);
	pmdaInit(dispatch, agent->tables.indoms, agent->tables.nindoms, agent->tables.metrics,
		 agent->tables.n);
}

void request_serve_again(pmdaInterface *dispatch)
{
	pmdaExt *pmda = dispatch->version.any.ext;
	struct pmda_tables old = agent->tables;

	agent_build(agent);
	pmda->e_indoms = agent->tables.indoms;
	pmda->e_nindoms = agent->tables.nindoms;
	pmdaRehash(pmda, agent->tables.metrics, agent->tables.n);
	pmdaExtSetFlags(pmda, PMDA_EXT_NAMES_CHANGE);
	pmda_tables_free(&old);
}
