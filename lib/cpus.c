// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "cpus.h"

unsigned int cpus_of(const char *list)
{
	size_t end = strcspn(list, "\n");

	/* CPU numbers ascend in the list, so the last number is the highest */
	while (end > 0 && strchr("0123456789", list[end - 1]))
		end--;
	return strspn(list + end, "0123456789") ? strtoul(list + end, NULL, 10) + 1 : 0;
}
