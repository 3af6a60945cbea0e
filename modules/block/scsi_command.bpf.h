/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the bytes of a SCSI command ask for, and what the result of the command means. */
#ifndef ESTAT_MODULES_BLOCK_SCSI_COMMAND_H
#define ESTAT_MODULES_BLOCK_SCSI_COMMAND_H

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "scsi_types.bpf.h"

/*
 * The constants begin at 256, above the opcodes. A command without a constant here has its opcode N
 * as value, which is shown as op_N.
 */
enum command {
	command_read = 256,
	command_write,
	command_write_verify,
	command_verify,
	command_compare_and_write,
	command_write_same,
	command_unmap,
	command_sync_cache,
	command_test_unit_ready,
	command_request_sense,
	command_inquiry,
	command_report_luns,
	command_read_capacity,
	command_mode_sense,
	command_mode_select,
	command_log_sense,
	command_log_select,
	command_start_stop,
	command_prevent_removal,
	command_reserve,
	command_release,
	command_persistent_reserve_in,
	command_persistent_reserve_out,
	command_maintenance_in,
	command_maintenance_out,
	command_service_action_in,
	command_ata_pass_through,
	command_receive_diagnostic,
	command_send_diagnostic,
	command_read_buffer,
	command_write_buffer,
	command_security_protocol_in,
	command_security_protocol_out,
	command_extended_copy,
	command_receive_copy_results,
	command_zone_in,
	command_zone_out,
	command_format_unit,
	command_sanitize,
	command_read_toc,
	command_get_configuration,
	command_get_event_status,
	command_rewind,
	command_read_block_limits,
	command_write_filemarks,
	command_space,
	command_erase,
	command_locate,
	command_read_position,
	command_move_medium,
	command_read_element_status,
};

/*
 * Commands by opcode, from include/scsi/scsi_proto.h and the standards SPC, SBC, SSC, SMC and MMC.
 * Some opcodes mean another command on another type of device, such as 0x2b: LOCATE(10) of a tape,
 * SEEK(10) of a disk. Such an opcode has only one name here.
 */
const volatile __u16 command_by_opcode[256] = {
	[0x00] = command_test_unit_ready,
	[0x01] = command_rewind,
	[0x03] = command_request_sense,
	[0x04] = command_format_unit,
	[0x05] = command_read_block_limits,
	[0x08] = command_read,
	[0x0a] = command_write,
	[0x10] = command_write_filemarks,
	[0x11] = command_space,
	[0x12] = command_inquiry,
	[0x15] = command_mode_select,
	[0x16] = command_reserve,
	[0x17] = command_release,
	[0x19] = command_erase,
	[0x1a] = command_mode_sense,
	[0x1b] = command_start_stop,
	[0x1c] = command_receive_diagnostic,
	[0x1d] = command_send_diagnostic,
	[0x1e] = command_prevent_removal,
	[0x25] = command_read_capacity,
	[0x28] = command_read,
	[0x2a] = command_write,
	[0x2b] = command_locate,
	[0x2e] = command_write_verify,
	[0x2f] = command_verify,
	[0x34] = command_read_position,
	[0x35] = command_sync_cache,
	[0x3b] = command_write_buffer,
	[0x3c] = command_read_buffer,
	[0x41] = command_write_same,
	[0x42] = command_unmap,
	[0x43] = command_read_toc,
	[0x46] = command_get_configuration,
	[0x48] = command_sanitize,
	[0x4a] = command_get_event_status,
	[0x4c] = command_log_select,
	[0x4d] = command_log_sense,
	[0x55] = command_mode_select,
	[0x56] = command_reserve,
	[0x57] = command_release,
	[0x5a] = command_mode_sense,
	[0x5e] = command_persistent_reserve_in,
	[0x5f] = command_persistent_reserve_out,
	[0x83] = command_extended_copy,
	[0x84] = command_receive_copy_results,
	[0x85] = command_ata_pass_through,
	[0x88] = command_read,
	[0x89] = command_compare_and_write,
	[0x8a] = command_write,
	[0x8e] = command_write_verify,
	[0x8f] = command_verify,
	[0x91] = command_sync_cache,
	[0x92] = command_locate,
	[0x93] = command_write_same,
	[0x94] = command_zone_out,
	[0x95] = command_zone_in,
	[0x9c] = command_write, /* WRITE ATOMIC (16) */
	[0x9e] = command_service_action_in,
	[0xa0] = command_report_luns,
	[0xa1] = command_ata_pass_through,
	[0xa2] = command_security_protocol_in,
	[0xa3] = command_maintenance_in,
	[0xa4] = command_maintenance_out,
	[0xa5] = command_move_medium,
	[0xa8] = command_read,
	[0xaa] = command_write,
	[0xae] = command_write_verify,
	[0xaf] = command_verify,
	[0xb5] = command_security_protocol_out,
	[0xb8] = command_read_element_status,
};

#define VARIABLE_LENGTH_CMD  0x7f
#define SERVICE_ACTION_IN_16 0x9e
#define SAI_READ_CAPACITY_16 0x10

/*
 * A result is a status, or SENSE_KEY plus a sense key, or HOST_BYTE plus a host byte, which the
 * host's driver or the SCSI layer sets, or the module's own number, from 0x300 on.
 */
#define STATUS_CHECK_CONDITION 0x02
#define SENSE_KEY              0x100
#define HOST_BYTE              0x200

enum result {
	result_ok,
	/* from here on: the device's status (include/scsi/scsi_proto.h) */
	/* not used if the device sent a sense key */
	result_check_condition = STATUS_CHECK_CONDITION,
	result_condition_met = 0x04,
	result_busy = 0x08,
	result_reservation_conflict = 0x18,
	result_task_set_full = 0x28,
	result_aca_active = 0x30,
	result_task_aborted = 0x40,
	/* from here on: the sense key of a CHECK CONDITION (include/scsi/scsi_proto.h) */
	result_no_sense = SENSE_KEY,
	result_recovered_error,
	result_not_ready,
	result_medium_error,
	result_hardware_error,
	result_illegal_request,
	result_unit_attention,
	result_data_protect,
	result_blank_check,
	result_vendor_specific,
	result_copy_aborted,
	result_aborted_command,
	result_volume_overflow = SENSE_KEY + 0x0d,
	result_miscompare,
	result_completed,
	/* from here on: the host byte (include/scsi/scsi_status.h) */
	result_did_no_connect = HOST_BYTE + 1,
	result_did_bus_busy,
	result_did_time_out,
	result_did_bad_target,
	result_did_abort,
	result_did_parity,
	result_did_error,
	result_did_reset,
	result_did_bad_intr,
	result_did_passthrough,
	result_did_soft_error,
	result_did_imm_retry,
	result_did_requeue,
	result_did_transport_disrupted,
	result_did_transport_failfast,
	result_did_target_failure,
	result_did_nexus_failure,
	result_did_alloc_failure,
	result_did_medium_error,
	result_did_transport_marginal,
	/*
	 * from here on: the result of a command for which the device and the driver gave no result
	 */
	result_timed_out = 0x300,
	result_given_up,
	result_requeued,
	/* no result yet: in the keys of commands under way, of which only the gauges are set */
	result_under_way,
};

/* Byte i of the command descriptor block (CDB). `typed`: cmd has a type for the verifier. */
static __always_inline __u8 cdb(struct scsi_cmnd *cmd, int i, bool typed)
{
	struct scsi_cmnd___before_5_18 *old = (void *)cmd;
	__u8 byte = 0;

	if (bpf_core_field_exists(cmd->cmnd))
		return typed ? cmd->cmnd[i] : BPF_CORE_READ(cmd, cmnd[i]);
	bpf_probe_read_kernel(&byte, 1, (typed ? old->cmnd : BPF_CORE_READ(old, cmnd)) + i);
	return byte;
}

/* The enum command of a variable-length command, by the low byte of its service action. */
static __noinline int command_of_long(__u8 action)
{
	switch (action) {
	case 0x09:
		return command_read;
	case 0x0a:
		return command_verify;
	case 0x0b:
		return command_write;
	case 0x0c:
		return command_write_verify;
	case 0x0d:
		return command_write_same;
	}
	return VARIABLE_LENGTH_CMD;
}

static __always_inline enum command command_of(struct scsi_cmnd *cmd, bool typed)
{
	__u8 opcode = cdb(cmd, 0, typed);
	__u16 named = command_by_opcode[opcode];

	if (opcode == VARIABLE_LENGTH_CMD)
		return command_of_long(cdb(cmd, 9, typed));
	if (opcode == SERVICE_ACTION_IN_16 && (cdb(cmd, 1, typed) & 0x1f) == SAI_READ_CAPACITY_16)
		return command_read_capacity;
	return named ? named : opcode;
}

/*
 * SENSE_KEY plus the sense key in a sense buffer, at the place that the buffer's format says
 * (SPC-5, 4.4); result_check_condition if the format is neither fixed (0x70, 0x71) nor descriptor.
 */
static __noinline int sense_of(const unsigned char *sense_buffer)
{
	__u8 sense[3] = {};

	bpf_probe_read_kernel(sense, sizeof(sense), sense_buffer);
	switch (sense[0] & 0x7f) {
	case 0x70:
	case 0x71:
		return SENSE_KEY + (sense[2] & 0x0f);
	case 0x72:
	case 0x73:
		return SENSE_KEY + (sense[1] & 0x0f);
	}
	return result_check_condition;
}

/*
 * The result: by byte 2 of scsi_cmnd.result, the host byte, if it is not 0, else by byte 0, the
 * status (include/scsi/scsi_cmnd.h), or by the sense buffer if the status is CHECK CONDITION.
 */
static __always_inline enum result result_of(struct scsi_cmnd *cmd)
{
	__u32 result = cmd->result;
	__u8 host = result >> 16, status = result;

	if (host)
		return HOST_BYTE + host;
	return status == STATUS_CHECK_CONDITION ? sense_of(cmd->sense_buffer) : status;
}

#endif /* ESTAT_MODULES_BLOCK_SCSI_COMMAND_H */
