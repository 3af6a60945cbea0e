/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types of the kernel's NVMe driver (nvme_core, drivers/nvme/host/nvme.h), with only the members
 * that modules read. CO-RE finds the real offsets at load.
 */
#ifndef ESTAT_MODULES_BLOCK_NVME_TYPES_H
#define ESTAT_MODULES_BLOCK_NVME_TYPES_H

#include <linux/types.h>

#include "types.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct nvme_ctrl {
	int instance; /* N of nvmeN */
};

/* The driver's data of a request. The data follow struct request in memory. */
struct nvme_request {
	void *cmd; /* a struct nvme_command */
	__u8 retries;
	__u16 status; /* set by the controller or by the driver */
	struct nvme_ctrl *ctrl;
};

#pragma clang attribute pop

#endif /* ESTAT_MODULES_BLOCK_NVME_TYPES_H */
