/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Labels beside those of a key's axes: device_name of a disk; unit, container, vm and includes of a
 * cgroup.
 */
#ifndef ESTAT_PMDA_SCHEMA_LABEL_H
#define ESTAT_PMDA_SCHEMA_LABEL_H

#include <dirent.h>
#include <stdbool.h>

#include "lib/json.h"

/* Bytes of a key's text on one axis, such as sda, with the NUL. A longer text is cut. */
#define AXIS_TEXT_LEN 1024

/*
 * Write a disk's label device_name: the disk's name in /dev/mapper or /dev/md, else `disk`. No
 * label if `disk` is "none".
 */
void put_device_labels(struct json *j, const char *disk);

/*
 * Write a label for each of these in a cgroup's path: unit, the last folder that is a systemd
 * service, scope or slice; container, the id of a container of Docker, Podman, containerd or CRI-O
 * (64 hexadecimal digits), or the name of a container of LXC, libvirt or systemd-nspawn; vm, the
 * name of a virtual machine of libvirt, or the number of one of Proxmox. Of nested containers the
 * innermost counts.
 */
void put_cgroup_labels(struct json *j, const char *path);

/*
 * The folder where the kernel lists cgroups (version 2), and the folder where ZFS lists its pools.
 */
#define CGROUPS "/sys/fs/cgroup"
#define POOLS   "/proc/spl/kstat/zfs"

/* The name of the next folder in an open folder, except .NAME; NULL: no more. */
const char *next_folder(DIR *folder);

/* Does the folder contain a folder, as the folder of a cgroup with cgroups below does? */
bool has_folder(const char *path);

/*
 * Does the cgroup of the folder `cgroup` enable the controller io for the cgroups directly below?
 * 1: yes; 0: no; -1: the folder is gone, or is not of cgroup2.
 */
int cgroup_gives_io(const char *cgroup);

/*
 * Write the label `includes` if the block layer charges the cgroup `path` for I/O of other cgroups:
 * "ZFS" for the cgroup / if a pool is imported, because what threads of ZFS submit, and up to Linux
 * 5.17 all I/O of ZFS, is charged to /; "cgroups below" if `path` has cgroups below that lack the
 * controller io; "ZFS, cgroups below" for both. `cgroups` and `pools`: CGROUPS and POOLS, or a
 * test's folders.
 */
void put_includes(struct json *j, const char *path, const char *cgroups, const char *pools);

#endif /* ESTAT_PMDA_SCHEMA_LABEL_H */
