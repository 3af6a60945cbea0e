// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pmdaestat: the agent's command line, and the callbacks that libpcp_pmda
 * calls for each request of pmcd.
 */
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent.h"
#include "client.h"
#include "domain.h"
#include "privilege.h"
#include "status.h"
#include "util.h"
#include "value.h"

/* How often to look at the kernel modules that modules probe or wait for. */
#define WATCH_MS 1000
#define WATCH_NS (WATCH_MS * UINT64_C(1000000))

/* PCP 7 keeps the old pmResult for agents and calls it pmdaResult. */
#ifndef pmdaResult
#define pmdaResult pmResult
#endif

/*
 * pmcd waits 3 s for an agent's handshake, if its -q does not say otherwise, and 5 s
 * (-t) for an answer; all modules together may take longer to start. The handshake is
 * best done when all have: a pmlogger that finds the agent not ready ends (PCP 6.0).
 */
#define CONNECT_NS UINT64_C(2000000000)

/* How old the instances may be that a look at their names finds. */
#define NAMES_NS UINT64_C(10000000)

static struct agent agent;
static const char *config;
static bool notready; /* pmcd has it as such, and asks nothing until it says otherwise */
static bool ready;
static uint64_t started;
static pmdaInterface dispatch;

static pmLongOptions long_options[] = {
	PMDA_OPTIONS_HEADER("Options"),
	{ "config", 1, 'c', "FILE", "configuration [default $PCP_SYSCONF_DIR/estat/estat.conf]" },
	PMDAOPT_DEBUG,
	PMDAOPT_DOMAIN,
	PMDAOPT_INET,
	PMDAOPT_PIPE,
	PMDAOPT_UNIX,
	PMDAOPT_IPV6,
	PMDAOPT_LOGFILE,
	{ "notready", 0, 'r', NULL, "pmcd.conf has it as notready: tell pmcd when it is ready" },
	PMDAOPT_USERNAME,
	PMOPT_HELP,
	PMDA_OPTIONS_END,
};

static pmdaOptions options = {
	.short_options = "c:D:d:i:l:pru:U:6:?",
	.long_options = long_options,
};

static int fetch_value(pmdaMetric *mdesc, unsigned int inst, pmAtomValue *atom)
{
	const struct metric *m = mdesc->m_user;

	if (!m) /* not in the table: libpcp_pmda asks for it all the same */
		return PM_ERR_PMID;
	switch (m->kind) {
	case METRIC_STATUS:
		return status_value(&agent, pmID_item(mdesc->m_desc.pmid), inst, atom);
	case METRIC_EVENTS:
		return events_value(m->events, pmdaGetContext(), atom);
	case METRIC_PARAMETER:
		return PMDA_FETCH_NOVALUES;
	default:
		return metric_value(m, inst, atom);
	}
}

/* Fold what is asked for, once each, before libpcp_pmda counts the instances. */
static void prepare(unsigned int n, const pmID *pmids, int context)
{
	for (unsigned int i = 0; i < agent.nseries; i++)
		agent.series[i]->fresh = false;
	for (unsigned int i = 0; i < n; i++) {
		struct metric *m = metrics_find(&agent.metrics, pmids[i]);

		if (!m || !m->series)
			continue;
		if (!m->series->fresh)
			agent_fold(&agent, m->series);
		m->series->fresh = true;
		if (m->instant >= 0)
			m->previous = client_previous(context, m->instant);
	}
}

/* The interval of what was fetched now ends, and the next one begins. */
static void remember(unsigned int n, const pmID *pmids, int context)
{
	for (unsigned int i = 0; i < n; i++) {
		const struct metric *m = metrics_find(&agent.metrics, pmids[i]);

		if (m && m->instant >= 0 && m->series->module->status == MODULE_RUNNING)
			client_remember(context, m->instant, agent.metrics.ninstants,
					snapshot_take(m->series,
						      m->group - m->series->schema->groups,
						      metric_part(m), m->total));
	}
}

static int estat_fetch(int n, pmID *pmids, pmdaResult **result, pmdaExt *pmda)
{
	int sts;

	if (!ready)
		return PM_ERR_AGAIN;
	prepare(n, pmids, pmda->e_context);
	sts = pmdaFetch(n, pmids, result, pmda);
	if (sts >= 0)
		remember(n, pmids, pmda->e_context);
	return sts;
}

static int estat_desc(pmID pmid, pmDesc *desc, pmdaExt *pmda)
{
	return ready ? pmdaDesc(pmid, desc, pmda) : PM_ERR_AGAIN;
}

/* For who asks for names, one by one perhaps: those of a moment ago will do. */
static void fold_names(struct series *s)
{
	if (clock_now() - s->folded >= NAMES_NS)
		agent_fold(&agent, s);
}

static int estat_instance(pmInDom indom, int inst, char *name, pmInResult **result, pmdaExt *pmda)
{
	const struct bucket_indom *buckets;
	struct series *s;

	if (!ready)
		return PM_ERR_AGAIN;
	s = agent_series(&agent, indom, &buckets);
	if (s)
		fold_names(s);
	return pmdaInstance(indom, inst, name, result, pmda);
}

static int metric_text(const struct metric *m, int type, char **buffer)
{
	if (!m)
		return PM_ERR_PMID;
	*buffer = type & PM_TEXT_ONELINE ? m->oneline : m->help;
	return 0;
}

static int indom_text(pmInDom indom, char **buffer)
{
	static char text[512];
	const struct bucket_indom *buckets;
	const struct series *s = agent_series(&agent, indom, &buckets);
	size_t length;

	if (indom == agent.module_indom) {
		*buffer = "Modules of estat";
		return 0;
	}
	if (!s)
		return PM_ERR_INDOM;
	pmsprintf(text, sizeof(text), "%s of estat.%s", buckets ? "Buckets" : "Keys",
		  s->module->name);
	if (!buckets || !buckets->total)
		for (unsigned int i = 0; i < s->schema->naxes; i++) {
			length = strlen(text);
			pmsprintf(text + length, sizeof(text) - length, "%s%s", i ? "::" : ": ",
				  s->schema->axes[i].name);
		}
	*buffer = text;
	return 0;
}

static int estat_text(int ident, int type, char **buffer, pmdaExt *pmda)
{
	(void)pmda;
	if (!ready)
		return PM_ERR_AGAIN;
	if (type & PM_TEXT_INDOM)
		return indom_text(ident, buffer);
	return metric_text(metrics_find(&agent.metrics, ident), type, buffer);
}

static int estat_pmid(const char *name, pmID *pmid, pmdaExt *pmda)
{
	(void)pmda;
	return ready ? pmdaTreePMID(agent.metrics.names, name, pmid) : PM_ERR_AGAIN;
}

static int estat_name(pmID pmid, char ***names, pmdaExt *pmda)
{
	(void)pmda;
	return ready ? pmdaTreeName(agent.metrics.names, pmid, names) : PM_ERR_AGAIN;
}

static int estat_children(const char *name, int traverse, char ***children, int **status,
			  pmdaExt *pmda)
{
	(void)pmda;
	if (!ready)
		return PM_ERR_AGAIN;
	return pmdaTreeChildren(agent.metrics.names, name, traverse, children, status);
}

static int estat_label(int ident, int type, pmLabelSet **sets, pmdaExt *pmda)
{
	const struct bucket_indom *buckets;
	struct series *s;

	if (!ready)
		return PM_ERR_AGAIN;
	if (type & PM_LABEL_INSTANCES) {
		s = agent_series(&agent, ident, &buckets);
		if (s)
			fold_names(s);
	}
	return pmdaLabel(ident, type, sets, pmda);
}

/* le="500", and size_le="4096" where there are two. */
static int bucket_labels(const struct bucket_indom *buckets, unsigned int number, pmLabelSet **set)
{
	char le[BUCKET_NAME_LEN], size[BUCKET_NAME_LEN];

	if (buckets->kind == BUCKETS_BY_SIZE) {
		bucket_le(HISTOGRAM_SIZE, number / BUCKETS_PER_KEY, size);
		bucket_le(HISTOGRAM_LATENCY, number % BUCKETS_PER_KEY, le);
		return pmdaAddLabels(set, "{\"le\":\"%s\",\"size_le\":\"%s\"}", le, size);
	}
	bucket_le(buckets->kind == BUCKETS_SIZE ? HISTOGRAM_SIZE : HISTOGRAM_LATENCY, number, le);
	return pmdaAddLabels(set, "{\"le\":\"%s\"}", le);
}

/* An instance's labels: its axes, and a bucket's upper bound. */
static int instance_labels(pmInDom indom, unsigned int inst, pmLabelSet **set)
{
	const struct bucket_indom *buckets;
	const struct series *s = agent_series(&agent, indom, &buckets);
	unsigned int per_key = 1;
	void *module;
	int row, sts = 0;

	if (indom == agent.module_indom) {
		if (pmdaCacheLookup(indom, inst, NULL, &module) != PMDA_CACHE_ACTIVE)
			return 0;
		return pmdaAddLabels(set, "{\"module\":\"%s\"}",
				     ((const struct module *)module)->name);
	}
	if (!s)
		return 0;
	if (buckets) {
		per_key = buckets->kind == BUCKETS_BY_SIZE ? CELLS_PER_KEY : BUCKETS_PER_KEY;
		sts = bucket_labels(buckets, inst % per_key, set);
		if (sts < 0 || buckets->total)
			return sts;
	}
	row = series_row(s, inst / per_key);
	return row < 0 ? sts : pmdaAddLabels(set, "{%s}", s->rows[row].labels);
}

static void end_context(int context)
{
	agent_end_client(&agent, context);
}

static void parse_options(int argc, char **argv)
{
	int c;

	while ((c = pmdaGetOptions(argc, argv, &options, &dispatch)) != EOF) {
		if (c == 'c')
			config = options.optarg;
		else if (c == 'r')
			notready = true;
	}
	if (options.optind < argc) {
		pmprintf("%s: unexpected argument: %s\n", pmGetProgname(), argv[options.optind]);
		options.errors++;
	}
	if (options.errors) {
		pmdaUsageMessage(&options);
		exit(1);
	}
}

static void set_callbacks(void)
{
	dispatch.version.seven.fetch = estat_fetch;
	dispatch.version.seven.desc = estat_desc;
	dispatch.version.seven.instance = estat_instance;
	dispatch.version.seven.text = estat_text;
	dispatch.version.seven.pmid = estat_pmid;
	dispatch.version.seven.name = estat_name;
	dispatch.version.seven.children = estat_children;
	dispatch.version.seven.label = estat_label;
	pmdaSetFetchCallBack(&dispatch, fetch_value);
	pmdaSetLabelCallBack(&dispatch, instance_labels);
	pmdaSetEndContextCallBack(&dispatch, end_context);
}

/* Modules were loaded: give back what only that took. */
static void settle(void)
{
	privilege_finish(agent_watches(&agent));
	malloc_trim(0); /* libbpf has read all of the kernel's BTF */
}

/* Is it pmcd who has started the agent, and talks to it by pipes? */
static bool by_pipe(void)
{
	int io = dispatch.version.any.ext->e_io;

	return io == pmdaPipe || io == pmdaUnknown;
}

static void connect_pmcd(void)
{
	if (dispatch.version.any.ext->e_flags & PMDA_EXT_CONNECTED)
		return;
	pmdaConnect(&dispatch);
	if (dispatch.status < 0)
		exit(1); /* libpcp_pmda has said why */
}

/* Is there a request? */
static bool asked(void)
{
	struct pollfd pmcd = { .fd = __pmdaInFd(&dispatch), .events = POLLIN };

	return poll(&pmcd, 1, 0) > 0;
}

/*
 * Before a module starts: do not let pmcd wait for longer than it does. What it asks for
 * is to be asked for again when all have.
 */
static void connect_in_time(void)
{
	if (!by_pipe() || clock_now() - started < CONNECT_NS)
		return;
	connect_pmcd();
	while (asked() && __pmdaMainPDU(&dispatch) >= 0)
		;
}

/*
 * Serve pmcd until it hangs up. Only kernel modules to be watched, and modules that have
 * yet to prove themselves, make this wake up; if much is to be done for them, pmcd is
 * answered in between.
 */
static void serve(void)
{
	struct pollfd pmcd = { .fd = __pmdaInFd(&dispatch), .events = POLLIN };
	uint64_t looked = clock_now();
	bool more = false;

	for (;;) {
		if ((agent_watches(&agent) || agent_doubts(&agent)) &&
		    (poll(&pmcd, 1, more ? 0 : WATCH_MS) == 0 || clock_now() - looked > WATCH_NS)) {
			more = agent_watch(&agent);
			if (more)
				settle();
			agent_look(&agent);
			looked = clock_now();
		} else if (__pmdaMainPDU(&dispatch) < 0) {
			break;
		}
	}
}

int main(int argc, char **argv)
{
	char path[MAXPATHLEN];
	bool optional;

	started = clock_now();
	pmSetProgname(argv[0]);
	pmdaDaemon(&dispatch, PMDA_INTERFACE_7, pmGetProgname(), ESTAT, "estat.log", NULL);
	parse_options(argc, argv);
	pmdaOpenLog(&dispatch);
	signal(SIGHUP, SIG_IGN);
	privilege_start(options.username ? options.username : pmGetConfig("PCP_USER"));

	optional = !config;
	if (optional) {
		pmsprintf(path, sizeof(path), "%s/estat/estat.conf",
			  pmGetConfig("PCP_SYSCONF_DIR"));
		config = path;
	}
	agent.domain = dispatch.domain;
	set_callbacks();
	agent_start(&agent, config, optional, connect_in_time);
	settle();

	pmdaSetFlags(&dispatch, PMDA_EXT_FLAG_HASHED);
	pmdaInit(&dispatch, agent.indoms, agent.nindoms, agent.metrics.table, agent.metrics.n);
	ready = true;
	connect_pmcd();
	if (notready)
		pmdaSendError(&dispatch, PM_ERR_PMDAREADY);
	serve();
	agent_stop(&agent);
	return 0;
}
