// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "format.h"

void format_number(char text[FORMAT_LEN], double n, int digits, int most)
{
	static const char *const units[] = { "", "k", "M", "G", "T" };

	if (isnan(n)) {
		strcpy(text, "-");
		return;
	}
	for (double below = 1; digits > 0 && n > 0; digits--, below *= 10)
		/* is n, rounded to `digits` decimals, below `below`? */
		if (n < below - pow(10, -digits) / 2) {
			snprintf(text, FORMAT_LEN, "%.*f", digits, n);
			return;
		}
	for (unsigned int i = 0; i < sizeof(units) / sizeof(units[0]); i++, n /= 1000)
		if (snprintf(text, FORMAT_LEN, "%.0f%s", n, units[i]) <= most)
			return;
}

void format_figure(char text[FORMAT_LEN], double n, int most)
{
	format_number(text, n, n >= 0.005 && n < 0.995 ? 2 : 0, most);
}

const char *format_latency(char text[FORMAT_LEN], double us, int digits)
{
	static const char *const units[] = { "us", "ms", "s" };
	int unit = 0;

	for (; unit < 2 && us >= 999.5; unit++)
		us /= 1000;
	if (isnan(us))
		strcpy(text, "-");
	else if (us >= (digits > 2 ? 99.5 : 9.95) || us == 0)
		snprintf(text, FORMAT_LEN, "%.0f%s", us, units[unit]);
	else
		snprintf(text, FORMAT_LEN, digits ? "%.*g%s" : "%.*f%s", digits ? digits : 1, us,
			 units[unit]);
	return text;
}

const char *format_size(char text[FORMAT_LEN], uint64_t bytes)
{
	static const char *const units[] = { "", "K", "M", "G" };
	unsigned int unit = 0;

	for (; unit < 3 && bytes >= 1024; unit++)
		bytes /= 1024;
	snprintf(text, FORMAT_LEN, "%" PRIu64 "%s", bytes, units[unit]);
	return text;
}
