// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "kernel.h"
#include "lib/file.h"

/* Reads lines of /proc/modules: NAME SIZE USERS BY STATE ADDRESS. */
unsigned long kernel_modules_now(bool *settled)
{
	FILE *f = fopen("/proc/modules", "re");
	unsigned long sum = 0;
	char *line = NULL;
	size_t size = 0;

	*settled = true;
	while (f && getline(&line, &size, f) > 0) {
		const char *second = strchr(line, ' ');
		size_t n = second ? 1 + strcspn(second + 1, " ") + (second - line) : 0;

		for (size_t i = 0; i < n; i++)
			sum = sum * 31 + (unsigned char)line[i];
		*settled &= !!strstr(line, " Live ");
	}
	free(line);
	if (f)
		fclose(f);
	return sum;
}

bool kernel_is_before(unsigned int major, unsigned int minor)
{
	unsigned int its_major = 0, its_minor = 0;
	struct utsname u;

	if (!uname(&u))
		sscanf(u.release, "%u.%u", &its_major, &its_minor);
	return its_major < major || (its_major == major && its_minor < minor);
}

bool kernel_has_kprobes(void)
{
	return !access("/sys/bus/event_source/devices/kprobe", F_OK);
}

bool kernel_is_confidential(void)
{
	char level[64];

	return first_line("/sys/kernel/security/lockdown", level, sizeof(level)) &&
	       strstr(level, "[confidentiality]");
}

static int kprobes = -1;    /* descriptor of debugfs's file kprobes/enabled; -1: not open */
static int preemption = -1; /* descriptor of debugfs's file sched/preempt; -1: not open */

void kernel_open_switches(void)
{
	kprobes = open("/sys/kernel/debug/kprobes/enabled", O_RDONLY | O_CLOEXEC);
	preemption = open("/sys/kernel/debug/sched/preempt", O_RDONLY | O_CLOEXEC);
}

bool kernel_preempts(void)
{
	char modes[64] = "";
	struct utsname u;

	if (uname(&u) || !strstr(u.version, " PREEMPT") || strstr(u.version, " PREEMPT_RT"))
		return false;
	if (pread(preemption, modes, sizeof(modes) - 1, 0) > 0)
		return strstr(modes, "(full)") || strstr(modes, "(lazy)");
	/*
	 * The agent gets here only if it cannot read sched/preempt. With PREEMPT the mode is full
	 * or lazy. With PREEMPT_DYNAMIC the mode can also be none or voluntary, but since Linux 7.0
	 * x86 and arm64 have only full and lazy.
	 */
	return !strstr(u.version, " PREEMPT_DYNAMIC") || !kernel_is_before(7, 0);
}

unsigned int kernel_switched_off(void)
{
	unsigned int off = 0;
	char value[8];

	if (first_line("/proc/sys/kernel/ftrace_enabled", value, sizeof(value)) && *value == '0')
		off |= KERNEL_FTRACE;
	if (pread(kprobes, value, 1, 0) == 1 && *value == '0')
		off |= KERNEL_KPROBES;
	return off;
}
