// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts this host's CPUs, its memory, and the kinds of operations that its disks have had. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>

#include "host.h"
#include "lib/clock.h"
#include "lib/cpus.h"
#include "lib/file.h"

unsigned int host_cpus(void)
{
	char *list = read_text("/sys/devices/system/cpu/possible");
	unsigned int n = list ? cpus_of(list) : 0;

	free(list);
	return n;
}

/* Is the device a whole disk, and its size not 0? Where a name has "/", sysfs has "!". */
static bool is_disk(char *name)
{
	char path[128], size[2];

	for (char *c = name; *c; c++)
		if (*c == '/')
			*c = '!';
	snprintf(path, sizeof(path), "/sys/block/%s/size", name);
	return first_line(path, size, sizeof(size)) && *size != '0';
}

/*
 * How many kinds of operations each of the host's disks has had, added up. The fields of
 * /proc/diskstats are described in Documentation/admin-guide/iostats.rst.
 */
static unsigned int count_operations(void)
{
	FILE *f = fopen("/proc/diskstats", "re");
	unsigned long long reads, writes, discards, flushes;
	char line[512], name[64];
	unsigned int n = 0;

	while (f && fgets(line, sizeof(line), f)) {
		unsigned int kinds;

		if (sscanf(line,
			   "%*u %*u %63s %llu %*u %*u %*u %llu %*u %*u %*u %*u %*u %*u %llu %*u "
			   "%*u %*u %llu",
			   name, &reads, &writes, &discards, &flushes) < 5)
			continue;
		kinds = !!reads + !!writes + !!discards + !!flushes;
		if (kinds && is_disk(name))
			n += kinds;
	}
	if (f)
		fclose(f);
	return n;
}

/*
 * Reads /proc/diskstats at most once a minute, so that a start of all modules reads the file once.
 */
unsigned int host_disk_operations(void)
{
	static unsigned int operations;
	static uint64_t counted;
	uint64_t now = clock_now();

	if (!counted || now - counted > UINT64_C(60000000000)) {
		operations = count_operations();
		counted = now;
	}
	return operations;
}

uint64_t host_memory(void)
{
	struct sysinfo info;

	return sysinfo(&info) ? 0 : (uint64_t)info.totalram * info.mem_unit;
}
