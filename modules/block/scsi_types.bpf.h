/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types of the kernel's SCSI layer (scsi_mod), with only the members that modules read. CO-RE finds
 * the real offsets at load. NAME___flavor is the type NAME of other kernel versions.
 */
#ifndef ESTAT_MODULES_BLOCK_SCSI_TYPES_H
#define ESTAT_MODULES_BLOCK_SCSI_TYPES_H

#include <linux/types.h>

#include "types.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* declared in include/scsi/scsi_host.h */
struct Scsi_Host {
	unsigned int host_no;
	/* the device of commands to the host itself; Linux 7.2 has this member, 6.18 has not */
	struct scsi_device *pseudo_sdev;
};

/* declared in include/scsi/scsi_device.h */
struct scsi_device {
	struct Scsi_Host *host;
	struct request_queue *request_queue;
	unsigned int id;
	unsigned int channel;
	__u64 lun;
	unsigned int is_visible : 1; /* the device is in sysfs, so its scan is complete */
};

/* declared in include/scsi/scsi_cmnd.h */
struct scsi_data_buffer {
	unsigned int length;
};

struct scsi_cmnd {
	struct scsi_device *device;
	unsigned long jiffies_at_alloc;
	unsigned char cmnd[32]; /* the command; since Linux 5.18 */
	struct scsi_data_buffer sdb;
	unsigned int resid_len; /* bytes that were not transferred; since Linux 5.18 */
	unsigned char *sense_buffer;
	int result;
};

/* declared in include/scsi/scsi_request.h, before 5.18 */
struct scsi_request {
	unsigned int resid_len;
};

struct scsi_cmnd___before_5_18 {
	struct scsi_request req;
	unsigned char *cmnd;
};

#pragma clang attribute pop

#endif /* ESTAT_MODULES_BLOCK_SCSI_TYPES_H */
