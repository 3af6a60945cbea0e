// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * scsi: the commands that the SCSI layer gives to the drivers of its hosts, by disk, operation and
 * result. Disks of ATA and USB are SCSI disks, too. One operation is one try of a command; a retry
 * is another operation.
 *
 *	scsi_dispatch_cmd_start -- estat.scsi.* --> one of:
 *		scsi_dispatch_cmd_done		a result
 *		scsi_dispatch_cmd_timeout	no result in time, or the driver gave up before
 *		scsi_dispatch_cmd_error		the driver had no room
 *
 * After scsi_dispatch_cmd_timeout some drivers go on waiting for the command (SCSI_EH_RESET_TIMER).
 * Then scsi_dispatch_cmd_done or another scsi_dispatch_cmd_timeout follows.
 *
 * Commands of the error handler pass none of these tracepoints (drivers/scsi/scsi_error.c,
 * scsi_send_eh_cmnd).
 */
#define ESTAT_NAMES_VALUE struct estat_short_name

#include "disk.bpf.h"
#include "inflight.bpf.h"
#include "scsi_command.bpf.h"
#include "tell.bpf.h"

ESTAT_MODULE(scsi, 22);
ESTAT_NEEDS("scsi_mod", "");
ESTAT_EVIDENCE("/sys/class/scsi_device/*/device/iodone_cnt", "");

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

/* Three BPF programs count, but each result is counted by only one of the three. */
ESTAT_ONE_WRITER(scsi);
ESTAT_SERIES(
	scsi, 0, struct scsi_key, struct value, 256,
	"From when a command is given to the host's driver (tracepoint\n"
	"scsi_dispatch_cmd_start) to its result (tracepoint scsi_dispatch_cmd_done). A result\n"
	"other than ok counts in errors, as in the kernel's ioerr_cnt. A result is the device's\n"
	"status, the sense key of a CHECK CONDITION, or the host byte of the driver or the SCSI\n"
	"layer, such as did_no_connect. Without such a result a command has one of the following.\n"
	"timed_out: the command had no result within its timeout; if the driver goes on waiting,\n"
	"a result or another timeout follows. given_up: the driver ended the wait before the\n"
	"timeout, as libata does for each failed command. timed_out and given_up count in errors.\n"
	"requeued: the driver had no room for the command, which counts in requeues and not in\n"
	"errors. A retry counts again. Bytes are those transferred to or from the device; for\n"
	"unmap, the list of blocks. A device that is no disk is named HOST:CHANNEL:TARGET:LUN.\n"
	"The disk is none for commands of the kernel's scan for devices. Not counted: commands of\n"
	"the error handler, and of drivers to their hosts. Linux 5.15 to 7.3");
ESTAT_LAYER(scsi, 530, "backend_io");

ESTAT_SERIES(
	error_handler, 1, struct host_key, struct host, 128,
	"Wakeups of hosts' error handlers (tracepoint scsi_eh_wakeup). A host's error handler is\n"
	"woken up if a command has failed or if the driver asks for the error handler, as libata\n"
	"does to look for disks; but not before all other commands of the host have ended or\n"
	"failed. While the error handler runs, the host takes no commands. One run can have\n"
	"several wakeups. Linux 5.15 to 7.3");

#include "scsi_slow.bpf.h"

/*
 * Commands that were given to the driver and have no result yet. The id is the address of the
 * scsi_cmnd.
 */
ESTAT_INFLIGHT(commands, SETS, 4096);

#define NO_DISK (1U << 31)

/*
 * The number of a device that is no disk: 31 bits of a hash of HOST:CHANNEL:TARGET:LUN, and bit 31,
 * which no disk's number has, because disks have majors below 512. Equal hashes of two devices are
 * possible, but unlikely, because a host has few devices that are no disks.
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
	ESTAT_NAMES_VALUE name = {};
	__u64 id = device_number(sdev);

	BPF_SNPRINTF(name.text, sizeof(name.text), "%u:%u:%u:%llu", sdev->host->host_no,
		     sdev->channel, sdev->id, sdev->lun);
	estat_name_as(id, &name);
	return 0;
}

static __always_inline void note_disk(struct scsi_device *sdev, estat_dev_t disk)
{
	if (disk & NO_DISK)
		note_device(sdev);
	else
		note_hidden(sdev->request_queue->disk);
}

static __always_inline struct value *value_by(struct scsi_cmnd *cmd, const struct scsi_key *key)
{
	return ESTAT_GET_NAMED(scsi, key, note_disk(cmd->device, key->disk));
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

/*
 * These tracepoints' arguments are not NULL. But since Linux 6.13 the verifier demands a check of
 * the arguments of a kernel module's tracepoints, and scsi_mod can be a kernel module.
 */
SEC("tp_btf/scsi_dispatch_cmd_start")
int scsi_starts(__u64 *ctx)
{
	struct scsi_cmnd *cmd = (struct scsi_cmnd *)ctx[0];

	if (cmd)
		commands_begin(estat_id(cmd), bpf_ktime_get_ns());
	return 0;
}

/* A command that failed before the driver got it has no entry, but counts in errors. */
SEC("tp_btf/scsi_dispatch_cmd_done")
int scsi_done(__u64 *ctx)
{
	struct scsi_cmnd *cmd = (struct scsi_cmnd *)ctx[0];
	struct scsi_key key;
	struct value *v;
	bool failed;
	__u64 now;
	__s64 ns;

	if (!cmd)
		return 0;
	now = bpf_ktime_get_ns();
	ns = commands_take(estat_id(cmd), now);
	failed = cmd->result;
	if (ns < 0 && is_to_host(cmd))
		return 0;
	if (ns < 0 && !failed) {
		/* the begin was not seen, or another command got the entry */
		estat_count_missed();
		return 0;
	}
	key = key_with(cmd, failed ? result_of(cmd) : result_ok);
	v = value_by(cmd, &key);
	scsi_count_io((struct estat_io *)v, &key, ns, bytes_of(cmd), failed);
	if (v && ns >= 0 && scsi_is_slow(v, ns))
		scsi_record(&key, estat_id(cmd), ns, now, bytes_of(cmd));
	return 0;
}

ESTAT_JIFFY;

/*
 * Has the driver given up a command before the timeout, with blk_abort_request(), as libata does
 * (drivers/ata/libata-eh.c, ata_qc_schedule_eh)? The kernel notes the begin of the timeout in
 * jiffies, shortly before scsi_dispatch_cmd_start, so the timeout can be up to two jiffies shorter
 * by the module's clock. If the begin of this try was not seen, the result is false for a try that
 * is given up when the timeout has passed since the command's first try. In memory a scsi_cmnd
 * follows its request.
 */
static __always_inline bool is_given_up(struct scsi_cmnd *cmd)
{
	struct request *rq = (void *)cmd - bpf_core_type_size(struct request);
	const struct estat_begun *e = commands_find(estat_id(cmd));
	__u64 age = bpf_jiffies64() - cmd->jiffies_at_alloc;

	if (e)
		age = estat_since(e->began, bpf_ktime_get_ns()) / estat_jiffy;
	return age + 2 < BPF_CORE_READ(rq, timeout);
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

/*
 * False if the device is no disk, or if the request is idle. An idle request has an entry if its
 * command timed out, or if the driver had no room for the command: such commands keep their
 * entries.
 */
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

#define command_tell(e) tell_request((void *)(e)->id - bpf_core_type_size(struct request))

ESTAT_TELLS;
ESTAT_WALK(commands, scsi, struct scsi_key, command_under_way, command_tell);

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
