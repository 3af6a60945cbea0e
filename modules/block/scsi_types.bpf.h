/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types of the kernel's SCSI layer (scsi_mod), as far as they are read. CO-RE finds the members'
 * offsets in the running kernel; NAME___flavor is NAME as another kernel has it.
 */
#ifndef ESTAT_MODULES_BLOCK_SCSI_TYPES_H
#define ESTAT_MODULES_BLOCK_SCSI_TYPES_H

#include <linux/types.h>

#include "types.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* include/scsi/scsi_host.h */
struct Scsi_Host {
	unsigned int host_no;
	struct scsi_device *pseudo_sdev; /* itself: 7.2 has it, 6.18 not */
};

/* include/scsi/scsi_device.h */
struct scsi_device {
	struct Scsi_Host *host;
	struct request_queue *request_queue;
	unsigned int id;
	unsigned int channel;
	__u64 lun;
	unsigned int is_visible : 1; /* in sysfs: no more being looked at */
};

/* include/scsi/scsi_cmnd.h */
struct scsi_data_buffer {
	unsigned int length;
};

struct scsi_cmnd {
	struct scsi_device *device;
	unsigned long jiffies_at_alloc;
	unsigned char cmnd[32]; /* the command: since 5.18 */
	struct scsi_data_buffer sdb;
	unsigned int resid_len; /* bytes that were not transferred: since 5.18 */
	unsigned char *sense_buffer;
	int result;
};

/* include/scsi/scsi_request.h, before 5.18 */
struct scsi_request {
	unsigned int resid_len;
};

struct scsi_cmnd___before_5_18 {
	struct scsi_request req;
	unsigned char *cmnd;
};

#pragma clang attribute pop

#endif /* ESTAT_MODULES_BLOCK_SCSI_TYPES_H */
