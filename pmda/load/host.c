// SPDX-License-Identifier: GPL-2.0-or-later
/* The number of CPUs and the size of memory, from the kernel. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>

#include "host.h"

unsigned int cpus_of(const char *list)
{
	size_t end = strcspn(list, "\n");

	/* CPU numbers ascend in the list, so the last number is the highest */
	while (end > 0 && strchr("0123456789", list[end - 1]))
		end--;
	return *list ? strtoul(list + end, NULL, 10) + 1 : 0;
}

unsigned int host_cpus(void)
{
	FILE *f = fopen("/sys/devices/system/cpu/possible", "r");
	char *list = NULL;
	size_t size = 0;
	unsigned int n = 0;

	if (f && getline(&list, &size, f) > 0)
		n = cpus_of(list);
	free(list);
	if (f)
		fclose(f);
	return n;
}

uint64_t host_memory(void)
{
	struct sysinfo info;

	return sysinfo(&info) ? 0 : (uint64_t)info.totalram * info.mem_unit;
}
