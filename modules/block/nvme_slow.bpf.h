/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of slow NVMe commands. A module includes this file after its series nvme. */
#ifndef ESTAT_MODULES_BLOCK_NVME_SLOW_H
#define ESTAT_MODULES_BLOCK_NVME_SLOW_H

#include "command_slow.bpf.h"

struct slow {
	COMMAND_SLOW;
	estat_nsec_t stage_queue ESTAT_PARAMETER(
		21,
		"From the request's allocation to the command's setup; earlier tries are included");
	estat_nsec_t stage_map ESTAT_PARAMETER(
		22,
		"From the setup to the kernel's stamp of the issue, while the driver maps data; "
		"0 without a stamp after the setup, as in a batch (since Linux 6.9)");
	estat_nsec_t stage_device ESTAT_PARAMETER(23,
						  "From the end of stage_map to the completion");
	estat_name_t controller ESTAT_PARAMETER(40, "The controller");
	estat_dev_t namespace ESTAT_PARAMETER(41, "The namespace");
	enum command op ESTAT_PARAMETER(42, "The operation");
	enum status status ESTAT_PARAMETER(43, "The status");
};

ESTAT_SLOW(nvme, struct nvme_key, struct slow,
	   "One record for each command whose latency is above the threshold, see\n"
	   "estat.module.slow; none for admin commands");

/*
 * Not static, so the verifier checks the function once, and not on each path that leads to a call.
 */
__noinline int nvme_record(const struct nvme_key *key, __u64 request, __u64 ns, __u64 now,
			   __u64 bytes)
{
	struct request *rq = (struct request *)request;
	struct command_times t = { .began = now - ns, .ended = now };
	struct slow *e = nvme_begin_slow(key);

	if (!e)
		return 0;
	command_slow((struct command_slow *)e, rq, bytes, &t);
	if (t.issued < t.began || t.issued > now)
		t.issued = t.began;
	e->stage_queue = t.began - t.allocated;
	e->stage_map = t.issued - t.began;
	e->stage_device = now - t.issued;
	e->controller = key->controller;
	e->namespace = key->namespace;
	e->op = key->op;
	e->status = key->status;
	estat_event_end(e);
	return 0;
}

#endif /* ESTAT_MODULES_BLOCK_NVME_SLOW_H */
