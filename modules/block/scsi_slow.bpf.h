/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of slow SCSI commands. */
#ifndef ESTAT_MODULES_BLOCK_SCSI_SLOW_H
#define ESTAT_MODULES_BLOCK_SCSI_SLOW_H

#include "command_slow.bpf.h"
#include "scsi_types.bpf.h"

struct slow {
	COMMAND_SLOW;
	estat_nsec_t stage_queue ESTAT_PARAMETER(
		21, "From the request's allocation to the kernel's stamp of its last issue. If the "
		    "stamp is missing, or too early because the request was issued in a batch "
		    "(since Linux 6.9), from the allocation until the host's driver has the "
		    "command. 0 if the allocation's time is not known");
	estat_nsec_t stage_issue ESTAT_PARAMETER(
		22, "From the end of stage_queue until the command is given to the host's driver");
	estat_nsec_t stage_device ESTAT_PARAMETER(
		23, "From when the host's driver has the command to the command's result");
	estat_dev_t disk ESTAT_PARAMETER(40, "The disk");
	enum command op ESTAT_PARAMETER(41, "The operation");
	enum result result ESTAT_PARAMETER(42, "The result");
};

ESTAT_SLOW(scsi, struct scsi_key, struct slow,
	   "One record for each command that has a result and a latency above the threshold, see\n"
	   "estat.module.slow");

/*
 * Not static, so the verifier checks the function once, and not on each path that leads to a call.
 */
__noinline int scsi_record(const struct scsi_key *key, __u64 cmd, __u64 ns, __u64 now, __u64 bytes)
{
	struct request *rq = (void *)cmd - bpf_core_type_size(struct request);
	struct command_times t = { .began = now - ns, .ended = now };
	struct slow *e = scsi_begin_slow(key);

	if (!e)
		return 0;
	command_slow((struct command_slow *)e, rq, bytes, &t);
	if (t.issued < t.allocated || t.issued > t.began)
		t.issued = t.began;
	e->stage_queue = t.issued - t.allocated;
	e->stage_issue = t.began - t.issued;
	e->stage_device = ns;
	e->disk = key->disk;
	e->op = key->op;
	e->result = key->result;
	estat_event_end(e);
	return 0;
}

#endif /* ESTAT_MODULES_BLOCK_SCSI_SLOW_H */
