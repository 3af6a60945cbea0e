/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Labels that say more of an axis than its text: what people call a disk, and what systemd or
 * a container runtime calls a cgroup.
 */
#ifndef ESTAT_PMDA_SCHEMA_LABEL_H
#define ESTAT_PMDA_SCHEMA_LABEL_H

#include <stdio.h>

/* Longest text of an axis, with its NUL. */
#define AXIS_TEXT_LEN 256

/* Write a label as JSON has it: "NAME":"TEXT". */
void put_label(FILE *f, const char *name, const char *text);

/*
 * Write, each after a comma, the labels of a disk: device_name, which is its name in
 * /dev/mapper or /dev/md, as LVM and mdadm know it, or else its own.
 */
void put_device_labels(FILE *f, const char *disk);

/*
 * The same for the path of a cgroup: unit, the last of its folders that is a service, scope or
 * slice of systemd, and container, the last 64 hexadecimal digits, as runtimes number them;
 * those that it has.
 */
void put_cgroup_labels(FILE *f, const char *path);

#endif /* ESTAT_PMDA_SCHEMA_LABEL_H */
