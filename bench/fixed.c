// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fixed N...: a PCP agent that does no work for its values, to measure how much time and memory PCP
 * itself takes to serve values. Each N makes a metric with N values; the PMIDs are DOMAIN.0.0,
 * DOMAIN.0.1, ...
 */
#include <pcp/pmapi.h>
#include <pcp/pmda.h>
#include <stdio.h>
#include <stdlib.h>

static pmLongOptions longopts[] = {
	PMDA_OPTIONS_HEADER("Options"),
	PMDAOPT_DOMAIN,
	PMDAOPT_LOGFILE,
	PMOPT_HELP,
	PMDA_OPTIONS_END,
};
static pmdaOptions opts = { .short_options = "d:l:?", .long_options = longopts };

static int value(pmdaMetric *metric, unsigned int inst, pmAtomValue *atom)
{
	(void)metric;
	atom->ull = inst;
	return PMDA_FETCH_STATIC;
}

static void instances(pmdaIndom *indom, int serial, int n)
{
	indom->it_indom = serial;
	indom->it_numinst = n;
	indom->it_set = calloc(n, sizeof(*indom->it_set));
	for (int i = 0; indom->it_set && i < n; i++) {
		indom->it_set[i].i_inst = i;
		if (asprintf(&indom->it_set[i].i_name, "value-%d", i) < 0)
			exit(1);
	}
}

int main(int argc, char **argv)
{
	pmdaMetric *metrics = calloc(argc, sizeof(*metrics));
	pmdaIndom *indoms = calloc(argc, sizeof(*indoms));
	pmdaInterface dispatch;
	int n = 0;

	pmSetProgname(argv[0]);
	pmdaDaemon(&dispatch, PMDA_INTERFACE_7, pmGetProgname(), 440, "fixed.log", NULL);
	pmdaGetOptions(argc, argv, &opts, &dispatch);
	if (opts.errors || !metrics || !indoms) {
		pmdaUsageMessage(&opts);
		return 1;
	}
	for (int i = opts.optind; i < argc; i++, n++) {
		instances(&indoms[n], n, atoi(argv[i]));
		metrics[n].m_desc = (pmDesc){
			.pmid = PMDA_PMID(0, n),
			.type = PM_TYPE_U64,
			.indom = n,
			.sem = PM_SEM_COUNTER,
			.units = PMDA_PMUNITS(0, 0, 1, 0, 0, PM_COUNT_ONE),
		};
	}
	pmdaOpenLog(&dispatch);
	pmdaSetFetchCallBack(&dispatch, value);
	pmdaInit(&dispatch, indoms, n, metrics, n);
	pmdaConnect(&dispatch);
	pmdaMain(&dispatch);
	return 0;
}
