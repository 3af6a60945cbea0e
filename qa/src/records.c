// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fetch the records of an event metric by several clients.
 *
 * usage: records METRIC PARAMETER STEP...
 *
 * A step that is one digit is a fetch by the client with that number. The fetch prints PARAMETER of
 * each record and, where records were lost, their number as (N). Any other step is a command to
 * run.
 */
#include <ctype.h>

#include "check.h"
#include "client/base/pcptime.h"

#define CLIENTS 10

/* Print the value of the metric `name` in a record; nothing if the record lacks the metric. */
static void print_value(const pcp_event *record, const char *name, const char *format)
{
	pmAtomValue value;
	pmID pmid;

	check(pmLookupName(1, &name, &pmid), name);
	for (int i = 0; i < record->numpmid; i++) {
		const pmValueSet *set = record->vset[i];

		if (set->pmid != pmid || set->numval != 1)
			continue;
		check(pmExtractValue(set->valfmt, &set->vlist[0],
				     set->valfmt == PM_VAL_INSITU ? PM_TYPE_U32 : PM_TYPE_U64,
				     &value, PM_TYPE_U64),
		      name);
		printf(format, (unsigned long long)value.ull);
	}
}

static void fetch(int client, const char *metric, const char *parameter)
{
	static int contexts[CLIENTS], known[CLIENTS];
	pcp_event **records;
	pmResult *result;
	pmID pmid;

	if (!known[client])
		contexts[client] = pmNewContext(PM_CONTEXT_HOST, "local:");
	known[client] = 1;
	check(contexts[client], "pmNewContext");
	check(pmUseContext(contexts[client]), "pmUseContext");
	check(pmLookupName(1, &metric, &pmid), metric);
	check(pmFetch(1, &pmid, &result), "pmFetch");
	printf("client %d:", client);
	if (result->vset[0]->numval > 0) {
		check(pmUnpackEventRecords(result->vset[0], 0, &records), "pmUnpackEventRecords");
		for (int i = 0; records[i]; i++) {
			print_value(records[i], "event.missed", " (%llu)");
			print_value(records[i], parameter, " %llu");
		}
		pmFreeEventResult(records);
	}
	printf("\n");
	fflush(stdout);
	pmFreeResult(result);
}

int main(int argc, char **argv)
{
	if (argc < 4) {
		fprintf(stderr, "usage: records METRIC PARAMETER STEP...\n");
		return 1;
	}
	for (int i = 3; i < argc; i++) {
		if (isdigit(argv[i][0]) && !argv[i][1])
			fetch(argv[i][0] - '0', argv[1], argv[2]);
		else if (system(argv[i]))
			return 1;
	}
	return 0;
}
