// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * day ARCHIVE KEYS [DAYS]: make an archive of DAYS days (default 1), with a record every 10
 * seconds, of five metrics of zio with KEYS keys: ops, bytes, latency_sum, and the histograms
 * latency and size with ten buckets of each key. Each value grows by 10 a second. If DAYS is 20 or
 * more, the 11th and the 12th day are missing, and just after noon of the 20th day one operation
 * falls into the bucket of 20 to 30 ms.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <pcp/pmapi.h>
#include <pcp/import.h>

#define DAY     86400
#define STEP    10
#define BUCKETS 10
#define OUTLIER (19 * DAY + DAY / 2)
#define COUNT   pmiUnits(0, 0, 1, 0, 0, PM_COUNT_ONE)

static void check(int sts)
{
	if (sts >= 0)
		return;
	fprintf(stderr, "%s\n", pmiErrStr(sts));
	exit(1);
}

static int *handles;
static unsigned int nhandles;

static void add_value(const char *metric, const char *instance)
{
	handles = realloc(handles, (nhandles + 1) * sizeof(*handles));
	handles[nhandles] = pmiGetHandle(metric, instance);
	check(handles[nhandles++]);
}

/* Add a histogram with ten buckets for each key: latencies from 100 us, or sizes from 512 bytes. */
static void add_histogram(const char *metric, int item, unsigned int serial, unsigned int keys,
			  bool latency)
{
	pmInDom indom = pmiInDom(400, serial);

	check(pmiAddMetric(metric, pmiID(400, 2, item), PM_TYPE_U64, indom, PM_SEM_COUNTER, COUNT));
	for (unsigned int k = 0; k < keys; k++)
		for (unsigned int b = 0; b < BUCKETS; b++) {
			unsigned int low = b < 9 ? 100 * (b + 1) : 1000;
			unsigned int high = b < 8 ? low + 100 : b == 8 ? 1000 : 2000;
			char name[64];

			if (!latency) {
				low = 512 << b;
				high = low * 2;
			}
			snprintf(name, sizeof(name), "pool%u::write::asyncw::%u-%u", k, low, high);
			check(pmiAddInstance(indom, name, k * 128 + b));
			add_value(metric, name);
		}
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "ops", "bytes", "latency_sum" };
	unsigned int keys = argc >= 3 ? atoi(argv[2]) : 0, days = argc == 4 ? atoi(argv[3]) : 1;
	pmInDom indom = pmiInDom(400, 2048);

	if (!keys)
		return 1;
	check(pmiStart(argv[1], 0));
	check(pmiSetHostname("host"));
	check(pmiSetTimezone("UTC"));
	check(pmiAddMetric("estat.agent.start", pmiID(400, 0, 35), PM_TYPE_U64, PM_INDOM_NULL,
			   PM_SEM_DISCRETE, pmiUnits(0, 1, 0, 0, PM_TIME_MSEC, 0)));
	add_value("estat.agent.start", NULL);
	for (unsigned int k = 0; k < keys; k++) {
		char name[64];

		snprintf(name, sizeof(name), "pool%u::write::asyncw", k);
		check(pmiAddInstance(indom, name, k));
	}
	check(pmiPutText(PM_TEXT_INDOM, PM_TEXT_HELP, indom,
			 "Keys of estat.zio: pool::op::priority"));
	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char metric[64], name[64];

		snprintf(metric, sizeof(metric), "estat.zio.%s", names[i]);
		check(pmiAddMetric(metric, pmiID(400, 2, i), PM_TYPE_U64, indom, PM_SEM_COUNTER,
				   COUNT));
		for (unsigned int k = 0; k < keys; k++) {
			snprintf(name, sizeof(name), "pool%u::write::asyncw", k);
			add_value(metric, name);
		}
	}
	add_histogram("estat.zio.latency", 10, 2049, keys, true);
	add_histogram("estat.zio.size", 11, 2050, keys, false);
	if (days >= 20) {
		check(pmiAddInstance(pmiInDom(400, 2049), "pool0::write::asyncw::20000-30000", 11));
		add_value("estat.zio.latency", "pool0::write::asyncw::20000-30000");
	}
	for (unsigned int t = 0; t <= days * DAY; t += STEP) {
		char value[32];

		if (days >= 20 && t > 10 * DAY && t < 12 * DAY)
			continue;
		for (unsigned int i = 0; i < nhandles; i++) {
			snprintf(value, sizeof(value), "%u", i ? t * BUCKETS : 1);
			if (days >= 20 && i == nhandles - 1)
				strcpy(value, t > OUTLIER ? "1" : "0");
			check(pmiPutValueHandle(handles[i], value));
		}
		check(pmiWrite(1600041600 + t, 0));
	}
	check(pmiEnd());
	return 0;
}
