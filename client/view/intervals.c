// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/signals.h"
#include "intervals.h"

int print_intervals(const struct options *o, struct source *s,
		    void (*print)(void *context, const struct interval *interval), void *context)
{
	struct interval sum = { .begin = s->time };
	int steps = 0, printed = 0;

	do {
		struct interval interval;
		enum outcome outcome;

		if (!o->accumulate) {
			source_clear(s);
			sum = (struct interval){ .begin = s->time };
		}
		outcome = source_step(s, o->seconds, &interval);
		if (outcome == INTERVAL_END)
			break;
		sum.seconds += interval.seconds;
		sum.left_out += interval.left_out;
		sum.end = interval.end;
		if (outcome == INTERVAL_OK && sum.seconds > 0) {
			source_renew_graph(s);
			print(context, &sum);
			printed++;
		}
		steps++;
	} while (o->monitor && !stopped && flush_output() && (!o->samples || steps < o->samples));
	return printed;
}
