// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * scsi: the commands that the SCSI layer gives to the drivers of its hosts, by disk, operation and
 * result. Disks of ATA and USB are SCSI disks, too. One operation is one try of a command; a retry
 * is another operation.
 *
 *	scsi_dispatch_cmd_start -- * --> scsi_dispatch_cmd_done		a result
 *	                         |-----> scsi_dispatch_cmd_timeout	no result in time, or the
 *	                         |					driver gave up before
 *	                         '-----> scsi_dispatch_cmd_error	the driver had no room
 *
 * Commands of the error handler pass none of these tracepoints (drivers/scsi/scsi_error.c,
 * scsi_send_eh_cmnd).
 */
#include "disk.bpf.h"
#include "inflight.bpf.h"
#include "scsi_types.bpf.h"

ESTAT_MODULE(scsi, 22);
ESTAT_NEEDS("scsi_mod", "");
ESTAT_EVIDENCE("/sys/class/scsi_device/*/device/iodone_cnt", "");

/* Numbers from 256. A command without a name here keeps its opcode N and is shown as op_N. */
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

/* Commands by opcode (include/scsi/scsi_proto.h; opcodes not in it: SPC, SBC, SSC, SMC, MMC). */
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

/* The result of a command: a status, a sense key, or a host byte, which the host's driver sets. */
#define STATUS_CHECK_CONDITION 0x02
#define SENSE_KEY              0x100
#define HOST_BYTE              0x200

enum result {
	result_ok,
	/* status of the device (include/scsi/scsi_proto.h) */
	result_check_condition = STATUS_CHECK_CONDITION, /* without a sense key */
	result_condition_met = 0x04,
	result_busy = 0x08,
	result_reservation_conflict = 0x18,
	result_task_set_full = 0x28,
	result_aca_active = 0x30,
	result_task_aborted = 0x40,
	/* sense key of a CHECK CONDITION (include/scsi/scsi_proto.h) */
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
	/* host byte (include/scsi/scsi_status.h) */
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
	/* no result */
	result_timed_out = 0x300,
	result_given_up,
	result_requeued,
	result_under_way, /* no result yet: only inflight and oldest */
};

struct scsi_key {
	estat_dev_t disk;
	enum command op;
	enum result result;
};

struct value {
	struct estat_io;
	struct estat_inflight;
	estat_count_t requeues ESTAT_FIELD(
		17,
		"Number of times that the host's driver returned a command, to be given again,\n"
		"because the driver, the target or the device had no room");
};

struct host_key {
	__u32 scsi_host;
};

struct host {
	estat_count_t wakeups
		ESTAT_FIELD(17, "Number of times that the host's error handler was woken up");
};

/* Three BPF programs count, but each result is counted by only one of them. */
ESTAT_ONE_WRITER(scsi);
ESTAT_SERIES(
	scsi, 0, struct scsi_key, struct value, 256,
	"From when a command is given to the host's driver (tracepoint\n"
	"scsi_dispatch_cmd_start) to its result (tracepoint scsi_dispatch_cmd_done). A result\n"
	"other than ok counts in errors, as in the kernel's ioerr_cnt. It is the device's status,\n"
	"the sense key of a CHECK CONDITION, or the driver's host byte such as did_no_connect.\n"
	"timed_out: the command had no result within its timeout, whatever happens later;\n"
	"given_up: the driver ended the wait before the timeout, as libata does for each failed\n"
	"command; requeued: the driver had no room for the command (requeues). A retry counts\n"
	"again. Bytes are those transferred to or from the device; for unmap, the list of blocks.\n"
	"A device that is no disk is named HOST:CHANNEL:TARGET:LUN. The disk is none for commands\n"
	"of the kernel's scan for devices. Not in it: commands of the error handler, and of\n"
	"drivers to their hosts. Linux 5.15 to 7.3");
ESTAT_LAYER(scsi, 530, "backend_io");

ESTAT_SERIES(
	error_handler, 1, struct host_key, struct host, 128,
	"Wakeups of hosts' error handlers (tracepoint scsi_eh_wakeup). A host's error handler is\n"
	"woken up when all commands in progress of the host have failed. While it runs the host\n"
	"takes no commands. One run can have several wakeups. Linux 5.15 to 7.3");

/* Commands that the driver has, by the address of the scsi_cmnd. */
ESTAT_INFLIGHT(commands, SETS, 4096);

/* Byte i of the command descriptor block (CDB). */
static __always_inline __u8 cdb(struct scsi_cmnd *cmd, int i, bool typed)
{
	struct scsi_cmnd___before_5_18 *old = (void *)cmd;
	__u8 byte = 0;

	if (bpf_core_field_exists(cmd->cmnd))
		return typed ? cmd->cmnd[i] : BPF_CORE_READ(cmd, cmnd[i]);
	bpf_probe_read_kernel(&byte, 1, (typed ? old->cmnd : BPF_CORE_READ(old, cmnd)) + i);
	return byte;
}

/* The operation of a variable-length command, by the low byte of its service action. */
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

#define NO_DISK (1U << 31)

/*
 * The number of a device that is no disk: 31 bits of a hash of HOST:CHANNEL:TARGET:LUN, and bit 31.
 * Disks have majors below 512, so their numbers have bit 31 clear. Two such devices can have the
 * same hash; a host has few of them, so that is unlikely.
 */
static __always_inline estat_dev_t device_number(struct scsi_device *sdev)
{
	const __u64 factor = 0x9e3779b97f4a7c15;
	__u64 hash = sdev->host->host_no;

	hash = hash * factor + sdev->channel;
	hash = hash * factor + sdev->id;
	hash = hash * factor + sdev->lun;
	return NO_DISK | hash * factor >> 33;
}

static __always_inline estat_dev_t disk_number(struct scsi_device *sdev)
{
	struct gendisk *disk = sdev->request_queue->disk;

	if (disk)
		return dev_of(disk);
	return BPF_CORE_READ_BITFIELD(sdev, is_visible) ? device_number(sdev) : 0;
}

static __noinline int note_device(struct scsi_device *sdev)
{
	struct estat_name name = {};
	__u64 id = device_number(sdev);

	BPF_SNPRINTF(name.text, sizeof(name.text), "%u:%u:%u:%llu", sdev->host->host_no,
		     sdev->channel, sdev->id, sdev->lun);
	estat_name_as(id, &name);
	return 0;
}

static __always_inline struct value *value_by(struct scsi_cmnd *cmd, const struct scsi_key *key)
{
	struct value *v = scsi_find(key);

	if (!v) {
		if (key->disk & NO_DISK)
			note_device(cmd->device);
		else
			note_hidden(cmd->device->request_queue->disk);
		v = scsi_insert(key);
	}
	return v;
}

static __always_inline struct scsi_key key_with(struct scsi_cmnd *cmd, enum result result)
{
	return (struct scsi_key){ disk_number(cmd->device), command_of(cmd, true), result };
}

static __always_inline struct value *value_of(struct scsi_cmnd *cmd, enum result result)
{
	struct scsi_key key = key_with(cmd, result);

	return value_by(cmd, &key);
}

/* The sense key in a sense buffer. Its position depends on the format (SPC-5, 4.4). */
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

/* Byte 0 of scsi_cmnd.result is the status, byte 2 the host byte (include/scsi/scsi_cmnd.h). */
static __always_inline enum result result_of(struct scsi_cmnd *cmd)
{
	__u32 result = cmd->result;
	__u8 host = result >> 16, status = result;

	if (host)
		return HOST_BYTE + host;
	return status == STATUS_CHECK_CONDITION ? sense_of(cmd->sense_buffer) : status;
}

static __always_inline __u32 bytes_of(struct scsi_cmnd *cmd)
{
	__u32 length = cmd->sdb.length, left;

	if (bpf_core_field_exists(cmd->resid_len))
		left = cmd->resid_len;
	else
		left = ((struct scsi_cmnd___before_5_18 *)cmd)->req.resid_len;
	return left < length ? length - left : 0;
}

/*
 * Is the command a driver's command to its host adapter, for example to abort another command? Such
 * a command goes to a pseudo device (scsi_get_internal_cmd; in Linux 7.2, not yet in 6.18). The
 * kernel has a tracepoint for the end of such a command, and none for the begin.
 */
static __always_inline bool is_to_host(struct scsi_cmnd *cmd)
{
	struct Scsi_Host *host = cmd->device->host;

	return bpf_core_field_exists(host->pseudo_sdev) && host->pseudo_sdev == cmd->device;
}

/* Tracepoint arguments are never NULL, but since Linux 6.13 the verifier demands a check. */
SEC("tp_btf/scsi_dispatch_cmd_start")
int scsi_starts(__u64 *ctx)
{
	struct scsi_cmnd *cmd = (struct scsi_cmnd *)ctx[0];

	if (cmd)
		commands_begin(estat_id(cmd), bpf_ktime_get_ns());
	return 0;
}

/* A command that fails before it is given to the driver has no stamp; it counts in errors. */
SEC("tp_btf/scsi_dispatch_cmd_done")
int scsi_done(__u64 *ctx)
{
	struct scsi_cmnd *cmd = (struct scsi_cmnd *)ctx[0];
	struct scsi_key key;
	struct value *v;
	bool failed;
	__s64 ns;

	if (!cmd)
		return 0;
	ns = commands_take(estat_id(cmd), bpf_ktime_get_ns());
	failed = cmd->result;
	if (ns < 0 && is_to_host(cmd))
		return 0;
	if (ns < 0 && !failed) {
		/* begun before the BPF programs were attached, or its entry was replaced */
		estat_count_missed();
		return 0;
	}
	key = key_with(cmd, failed ? result_of(cmd) : result_ok);
	v = value_by(cmd, &key);
	if (v)
		scsi_count_io((struct estat_io *)v, &key, ns, bytes_of(cmd), failed);
	return 0;
}

/*
 * Whether the driver gave up a command before its timeout, with blk_abort_request(), as libata does
 * (drivers/ata/libata-core.c, ata_qc_schedule_eh). In memory struct scsi_cmnd follows its request.
 */
static __always_inline bool is_given_up(struct scsi_cmnd *cmd)
{
	struct request *rq = (void *)cmd - bpf_core_type_size(struct request);

	return bpf_jiffies64() - cmd->jiffies_at_alloc < BPF_CORE_READ(rq, timeout);
}

SEC("tp_btf/scsi_dispatch_cmd_timeout")
int scsi_times_out(__u64 *ctx)
{
	struct scsi_cmnd *cmd = (struct scsi_cmnd *)ctx[0];
	struct value *v;

	if (!cmd)
		return 0;
	v = value_of(cmd, is_given_up(cmd) ? result_given_up : result_timed_out);
	if (v)
		estat_add(v->errors, 1);
	return 0;
}

/* A command that timed out keeps its entry, so do not count one whose request is idle. */
static __always_inline bool command_under_way(const struct estat_begun *e, struct scsi_key *key)
{
	struct scsi_cmnd *cmd = (struct scsi_cmnd *)e->id;
	struct request *rq = (void *)cmd - bpf_core_type_size(struct request);
	struct gendisk *disk = BPF_CORE_READ(cmd, device, request_queue, disk);

	if (!disk || BPF_CORE_READ(rq, state) == MQ_RQ_IDLE)
		return false;
	key->disk = dev_at(disk);
	key->op = command_of(cmd, false);
	key->result = result_under_way;
	return true;
}

ESTAT_WALK(commands, scsi, struct scsi_key, command_under_way);

SEC("tp_btf/scsi_dispatch_cmd_error")
int scsi_requeued(__u64 *ctx)
{
	struct scsi_cmnd *cmd = (struct scsi_cmnd *)ctx[0];
	struct value *v = cmd ? value_of(cmd, result_requeued) : NULL;

	if (v)
		estat_add(v->requeues, 1);
	return 0;
}

SEC("tp_btf/scsi_eh_wakeup")
int scsi_eh_woken(__u64 *ctx)
{
	struct Scsi_Host *shost = (struct Scsi_Host *)ctx[0];
	struct host_key key = {};
	struct host *h;

	if (!shost)
		return 0;
	key.scsi_host = shost->host_no;
	h = error_handler_get(&key);
	if (h)
		estat_add(h->wakeups, 1);
	return 0;
}
