/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of CPUs, as files of /sys/devices/system/cpu have them: "0-3,8-11". */
#ifndef ESTAT_LIB_CPUS_H
#define ESTAT_LIB_CPUS_H

/* The last number of the list, plus 1: 12 for "0-3,8-11"; 0 for "". */
unsigned int cpus_of(const char *list);

#endif /* ESTAT_LIB_CPUS_H */
