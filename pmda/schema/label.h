/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Labels that tell more than an axis: the name that LVM or
 * mdadm gives a disk, and the unit and container of a cgroup.
 */
#ifndef ESTAT_PMDA_SCHEMA_LABEL_H
#define ESTAT_PMDA_SCHEMA_LABEL_H

#include <stdio.h>

/* Bytes of the longest text of an axis, with its NUL. */
#define AXIS_TEXT_LEN 256

/* Write a label in JSON's form: "NAME":"TEXT". */
void put_label(FILE *f, const char *name, const char *text);

/*
 * Write a comma and the label device_name of a disk: its name in /dev/mapper
 * (LVM) or /dev/md (mdadm), else the disk's own name. Writes nothing for "none".
 */
void put_device_labels(FILE *f, const char *disk);

/*
 * Write a comma and a label for each of these that the path of a cgroup has:
 * unit, the last folder that is a systemd service, scope or slice; container, the
 * last 64 hexadecimal digits, which is how container runtimes name a container.
 */
void put_cgroup_labels(FILE *f, const char *path);

#endif /* ESTAT_PMDA_SCHEMA_LABEL_H */
