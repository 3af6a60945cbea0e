/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types of the kernel's NVMe driver (nvme_core, drivers/nvme/host/nvme.h), as far as they are
 * read. CO-RE finds the members' offsets in the running kernel.
 */
#ifndef ESTAT_MODULES_BLOCK_NVME_TYPES_H
#define ESTAT_MODULES_BLOCK_NVME_TYPES_H

#include <linux/types.h>

#include "types.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct nvme_ctrl {
	int instance; /* N of nvmeN */
};

/* A request's own data, behind its struct request. */
struct nvme_request {
	void *cmd; /* struct nvme_command */
	__u8 retries;
	__u16 status; /* the controller's, or the driver's own */
	struct nvme_ctrl *ctrl;
};

#pragma clang attribute pop

#endif /* ESTAT_MODULES_BLOCK_NVME_TYPES_H */
