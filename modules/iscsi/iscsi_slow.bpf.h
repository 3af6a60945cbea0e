/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of slow SCSI commands at the target. */
#ifndef ESTAT_MODULES_ISCSI_ISCSI_SLOW_H
#define ESTAT_MODULES_ISCSI_ISCSI_SLOW_H

#include "slow.bpf.h"
#include "types.bpf.h"

struct slow {
	ESTAT_SLOW_OPERATION;
	estat_count_t sector ESTAT_PARAMETER(
		4, "The first sector on the LUN, in units of 512 bytes; 0 also for a flush, an "
		   "UNMAP and a command without sectors, and with the backstores pscsi and tcmu");
	__u32 error ESTAT_PARAMETER(5, "The SCSI status; 255: the initiator got no response");
	__u32 cpu ESTAT_PARAMETER(6, "The CPU on which the command ended");
	estat_nsec_t stage_data ESTAT_PARAMETER(
		20, "From the arrival of the command until it goes to the backstore; a write "
		    "goes there when all its data has arrived");
	estat_nsec_t stage_backend
		ESTAT_PARAMETER(21, "From when the command goes to the backstore until the "
				    "response is queued, as estat.iscsi.backend.latency");
	estat_nsec_t stage_response
		ESTAT_PARAMETER(22, "From when the response is queued until the target begins to "
				    "send it, or until the command ends before that; about 0 with "
				    "iSER; 0 if no response was queued");
	estat_name_t target ESTAT_PARAMETER(40, "The target");
	__s64 lun ESTAT_PARAMETER(41, "The LUN; -1: it does not exist");
	estat_name_t initiator ESTAT_PARAMETER(42, "The initiator");
	enum op op ESTAT_PARAMETER(43, "The operation");
};

ESTAT_SLOW(iscsi, struct key, struct slow,
	   "One record for each command whose latency is above the threshold, see\n"
	   "estat.module.slow");

#define NO_RESPONSE 255

static __always_inline __u64 sector_of(struct se_cmd *cmd)
{
	__u32 block = BPF_CORE_READ(cmd, se_dev, dev_attrib.block_size);

	return BPF_CORE_READ(cmd, data_length) ? BPF_CORE_READ(cmd, t_task_lba) * (block / 512) : 0;
}

/* A command that has ended. */
struct ended {
	__u64 now, ns;
	__u64 bytes;
	__u64 status; /* SCSI's, or NO_RESPONSE */
};

static __noinline int iscsi_record(const struct command *c, struct se_cmd *cmd,
				   const struct key *key, const struct ended *end)
{
	struct slow *e = iscsi_begin_slow(key);
	__u64 submitted = c->submitted, queued = c->queued;

	if (!e)
		return 0;
	if (!queued) /* the command ended without a response */
		queued = end->now;
	/* the command did not go to the backstore before its response was queued or its end */
	if (!submitted || submitted > queued)
		submitted = queued;
	e->latency = e->time = end->ns;
	e->bytes = end->bytes;
	e->sector = sector_of(cmd);
	e->error = end->status;
	e->cpu = bpf_get_smp_processor_id();
	e->stage_data = submitted - c->began;
	e->stage_backend = queued - submitted;
	e->stage_response = end->now - queued;
	e->target = key->target;
	e->lun = key->lun;
	e->initiator = key->initiator;
	e->op = key->op;
	estat_event_end(e);
	return 0;
}

#endif /* ESTAT_MODULES_ISCSI_ISCSI_SLOW_H */
