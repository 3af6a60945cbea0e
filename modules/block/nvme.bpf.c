// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nvme: the commands that the NVMe driver gives to controllers over any transport (PCI, TCP, RDMA,
 * FC, loop), by controller, namespace, operation and status. One operation is one try of a command;
 * a retry is another operation.
 *
 *	nvme_setup_cmd -- estat.nvme.* --> nvme_complete_rq
 *
 * admin.* counts commands of the admin queue and those that connect queues of fabrics; queue.*
 * counts by queue. A path of NVMe multipath is a namespace of its own, such as nvme0c1n1.
 */
#define ESTAT_NAMES_VALUE struct estat_short_name

#include "disk.bpf.h"
#include "inflight.bpf.h"
#include "nvme_types.bpf.h"
#include "tell.bpf.h"

ESTAT_MODULE(nvme, 23);
ESTAT_NEEDS("nvme_core", "");
ESTAT_EVIDENCE("/sys/block/nvme*/mq/../stat", "");

/* Opcodes of I/O commands, also of zoned namespaces. The text of any other opcode N is op_N. */
enum command {
	command_flush = 0x00,
	command_write = 0x01,
	command_read = 0x02,
	command_write_uncorrectable = 0x04,
	command_compare = 0x05,
	command_write_zeroes = 0x08,
	command_discard = 0x09, /* dataset management */
	command_verify = 0x0c,
	command_reservation_register = 0x0d,
	command_reservation_report = 0x0e,
	command_reservation_acquire = 0x11,
	command_io_management_receive = 0x12,
	command_reservation_release = 0x15,
	command_copy = 0x19,
	command_io_management_send = 0x1d,
	command_zone_management_send = 0x79,
	command_zone_management_receive = 0x7a,
	command_zone_append = 0x7d,
};

/*
 * Opcodes of the admin command set. All fabrics commands have the opcode FABRICS, so in enum admin
 * a fabrics command has the number FABRICS_TYPE plus its type.
 */
#define FABRICS      0x7f
#define FABRICS_TYPE 0x100

enum admin {
	admin_delete_sq = 0x00,
	admin_create_sq = 0x01,
	admin_get_log_page = 0x02,
	admin_delete_cq = 0x04,
	admin_create_cq = 0x05,
	admin_identify = 0x06,
	admin_abort = 0x08,
	admin_set_features = 0x09,
	admin_get_features = 0x0a,
	admin_async_event = 0x0c,
	admin_namespace_management = 0x0d,
	admin_firmware_commit = 0x10,
	admin_firmware_download = 0x11,
	admin_device_self_test = 0x14,
	admin_namespace_attachment = 0x15,
	admin_keep_alive = 0x18,
	admin_directive_send = 0x19,
	admin_directive_receive = 0x1a,
	admin_virtualization = 0x1c,
	admin_mi_send = 0x1d,
	admin_mi_receive = 0x1e,
	admin_doorbell_buffer = 0x7c,
	admin_format = 0x80,
	admin_security_send = 0x81,
	admin_security_receive = 0x82,
	admin_sanitize = 0x84,
	admin_get_lba_status = 0x86,
	admin_fabrics_property_set = FABRICS_TYPE,
	admin_fabrics_connect,
	admin_fabrics_property_get = FABRICS_TYPE + 4,
	admin_fabrics_auth_send,
	admin_fabrics_auth_receive,
	admin_fabrics_disconnect = FABRICS_TYPE + 8,
};

/*
 * The bits of a status that are the status code type and the status code (include/linux/nvme.h).
 * The text of a status N that is missing in the enum is status_N.
 */
#define STATUS_MASK 0x7ff

enum status {
	status_success = 0x000,
	status_invalid_opcode = 0x001,
	status_invalid_field = 0x002,
	status_id_conflict = 0x003,
	status_data_transfer_error = 0x004,
	status_power_loss = 0x005,
	status_internal_error = 0x006,
	status_abort_requested = 0x007,
	status_queue_deleted = 0x008,
	status_invalid_namespace = 0x00b,
	status_command_sequence_error = 0x00c,
	status_keep_alive_expired = 0x015,
	status_sanitize_failed = 0x01c,
	status_sanitize_in_progress = 0x01d,
	status_write_protected = 0x020,
	status_interrupted = 0x021,
	status_transient_transport_error = 0x022,
	status_lba_out_of_range = 0x080,
	status_capacity_exceeded = 0x081,
	status_namespace_not_ready = 0x082,
	status_reservation_conflict = 0x083,
	status_format_in_progress = 0x084,
	status_invalid_queue = 0x101,
	status_invalid_log_page = 0x109,
	status_feature_not_changeable = 0x10e,
	status_attributes_conflict = 0x180,
	status_invalid_protection_information = 0x181,
	status_read_only_range = 0x182,
	status_zone_boundary_error = 0x1b8,
	status_zone_full = 0x1b9,
	status_zone_read_only = 0x1ba,
	status_zone_offline = 0x1bb,
	status_zone_invalid_write = 0x1bc,
	status_write_fault = 0x280,
	status_unrecovered_read_error = 0x281,
	status_guard_check_error = 0x282,
	status_application_tag_error = 0x283,
	status_reference_tag_error = 0x284,
	status_compare_failed = 0x285,
	status_access_denied = 0x286,
	status_deallocated = 0x287,
	status_internal_path_error = 0x300,
	status_ana_persistent_loss = 0x301,
	status_ana_inaccessible = 0x302,
	status_ana_transition = 0x303,
	status_controller_path_error = 0x360,
	status_host_path_error = 0x370,
	status_host_aborted_command = 0x371,
	/* commands under way, which have no status yet, in gauges such as inflight */
	status_under_way = 0x800,
};

struct nvme_key {
	estat_name_t controller;
	estat_dev_t namespace;
	enum command op;
	enum status status;
};

struct value {
	struct estat_io;
	struct estat_inflight;
	estat_count_t retries ESTAT_FIELD(
		17, "Number of operations, failed or not, that were a retry of a failed operation");
};

struct admin_key {
	estat_name_t controller;
	enum admin op;
	enum status status;
};

struct queue_key {
	estat_name_t controller;
	__u32 queue;
};

struct queue_value {
	estat_count_t ops ESTAT_HELP("Number of operations that succeeded");
	estat_count_t errors ESTAT_HELP("Number of operations that failed");
	estat_bytes_t bytes ESTAT_HELP(
		"Bytes transferred by operations that succeeded; for a discard or write zeroes,\n"
		"the size of its ranges");
	estat_nsec_t latency_sum ESTAT_HELP("Sum of latencies");
};

ESTAT_SERIES(
	nvme, 0, struct nvme_key, struct value, 128,
	"From the driver's setup of a command for the controller (tracepoint nvme_setup_cmd) to\n"
	"the command's completion (tracepoint nvme_complete_rq). A command with a status other\n"
	"than success counts in errors. The driver itself sets the status host_path_error and,\n"
	"for example after a timeout, host_aborted_command. A retry counts again, and in\n"
	"retries. A command that goes to another path of multipath counts on both paths.\n"
	"namespace is the disk, such as nvme0n1, or the path, such as nvme0c1n1. Not counted: the\n"
	"wait of commands for a queue that is full; in Linux 7.2 and 7.3, commands that the\n"
	"driver ends with host_path_error and never gives to the controller. Linux 5.15 to 7.3;\n"
	"in 5.16 and 5.17 PCI commands that complete in a batch are missing");
ESTAT_LAYER(nvme, 540, "backend_io");

ESTAT_SERIES(
	admin, 1, struct admin_key, struct estat_latency_errors, 64,
	"Commands of the admin queue, and the commands that connect queues of fabrics; measured\n"
	"from and to the same points as estat.nvme. Not counted: requests for asynchronous\n"
	"events. Linux 5.15 to 7.3");

ESTAT_SERIES(
	queue, 2, struct queue_key, struct queue_value, 256,
	"The commands of estat.nvme and estat.nvme.admin, by controller and queue, with the\n"
	"numbers of the kernel's nvme tracepoints (qid). Queue 0 is the admin queue; the commands\n"
	"that connect queues of fabrics count for it, too. Linux 5.15 to 7.3");

#include "nvme_slow.bpf.h"

/* Commands under way. The id is the address of the request. */
ESTAT_INFLIGHT(commands, SETS, 4096);

/* A request that completes. */
struct done {
	__u64 controller; /* the controller's id, see note_controller() */
	__u64 cmd;        /* address of the command */
	__u64 bytes;
	__u64 now;
	__s64 ns; /* latency; negative: the command has no entry in `commands` */
	__u32 queue;
	__u16 status;
	__u8 retries;
	__u8 failed;
};

/*
 * Is the request in the admin queue, or does it connect a queue of fabrics? Tests what the driver's
 * nvme_req_qid() tests.
 */
static __always_inline bool is_admin(struct request *rq)
{
	return !rq->q->queuedata;
}

/* A member of a copy of struct nvme_request, at the offset that CO-RE finds. */
#define OWN(copy, type, member) \
	(*(type *)((copy) + bpf_core_field_offset(struct nvme_request, member)))

/*
 * Read the driver's data of a request. The data follow struct request in memory, so the verifier
 * lets BPF programs read the data only by a helper. A call of the helper takes as long as the rest
 * of this BPF program, so one call reads all members.
 */
static __always_inline void read_own(struct request *rq, struct done *d)
{
	const char *at = (const char *)rq + bpf_core_type_size(struct request);
	char own[64] __attribute__((aligned(8)));
	struct nvme_ctrl *ctrl;

	bpf_probe_read_kernel(own, bpf_core_type_size(struct nvme_request), at);
	ctrl = OWN(own, struct nvme_ctrl *, ctrl);
	d->cmd = OWN(own, __u64, cmd);
	d->status = OWN(own, __u16, status) & STATUS_MASK;
	d->retries = OWN(own, __u8, retries);
	d->controller = BPF_CORE_READ(ctrl, instance) + 1;
}

/*
 * Store a controller's name. The id of nvmeN is N + 1. The number of a disk is higher than any such
 * id, so no id stands for both a controller and a disk.
 */
static __noinline int note_controller(__u64 id)
{
	ESTAT_NAMES_VALUE name = {};

	BPF_SNPRINTF(name.text, sizeof(name.text), "nvme%llu", id - 1);
	estat_name_as(id, &name);
	return 0;
}

/* The admin opcode, or 0x100 plus the type of a fabrics command (include/linux/nvme.h). */
static __noinline int admin_of(__u64 cmd)
{
	__u8 start[8] = {};

	bpf_probe_read_kernel(start, sizeof(start), (void *)cmd);
	return start[0] == FABRICS ? FABRICS_TYPE + start[4] : start[0];
}

static __noinline int opcode_of(__u64 cmd)
{
	__u8 opcode = 0;

	bpf_probe_read_kernel(&opcode, 1, (void *)cmd);
	return opcode;
}

/*
 * The NVMe command of a request. A read, write, flush, discard or write zeroes is told by the
 * request's operation (drivers/nvme/host/core.c, nvme_setup_cmd), any other command by its opcode.
 * So the result is command_write_zeroes even if the controller writes zeroes by a discard
 * (NVME_QUIRK_DEALLOCATE_ZEROES). `typed`: the verifier knows the type of `rq`.
 */
static __always_inline enum command command_of(struct request *rq, const struct done *d, bool typed)
{
	switch ((typed ? rq->cmd_flags : BPF_CORE_READ(rq, cmd_flags)) & 0xff) {
	case REQ_OP_READ:
		return command_read;
	case REQ_OP_WRITE:
		return command_write;
	case REQ_OP_FLUSH:
		return command_flush;
	case REQ_OP_DISCARD:
		return command_discard;
	case REQ_OP_WRITE_ZEROES:
		return command_write_zeroes;
	}
	return opcode_of(d->cmd);
}

static __noinline int count_admin(const struct done *d)
{
	struct admin_key key = { d->controller, admin_of(d->cmd), d->status };

	estat_count_end(ESTAT_GET_NAMED(admin, &key, note_controller(key.controller)), d->ns,
			d->failed);
	return 0;
}

static __always_inline void count_queue(const struct done *d)
{
	struct queue_key key = {};
	struct queue_value *v;

	key.controller = d->controller;
	key.queue = d->queue;
	v = ESTAT_GET_NAMED(queue, &key, note_controller(key.controller));
	if (!v)
		return;
	if (d->failed) {
		estat_add(v->errors, 1);
		return;
	}
	estat_add(v->ops, 1);
	estat_add(v->bytes, d->bytes);
	estat_add(v->latency_sum, d->ns);
}

static __always_inline void count(struct request *rq, const struct done *d)
{
	struct gendisk *disk = rq->q->disk;
	struct nvme_key key = {};
	struct value *v;

	key.controller = d->controller;
	key.namespace = disk ? dev_of(disk) : 0;
	key.op = command_of(rq, d, true);
	key.status = d->status;
	v = ESTAT_GET_NAMED(nvme, &key, (note_controller(key.controller), note_hidden(disk)));
	if (!v)
		return;
	if (d->retries)
		estat_add(v->retries, 1);
	nvme_count_io((struct estat_io *)v, &key, d->ns, d->bytes, d->failed);
	if (d->ns >= 0 && nvme_is_slow(v, d->ns))
		nvme_record(&key, estat_id(rq), d->ns, d->now, d->bytes);
}

/*
 * The request is never NULL, but since Linux 6.13 the verifier demands a check of the arguments of
 * tracepoints in kernel modules.
 */
SEC("tp_btf/nvme_setup_cmd")
int nvme_begins(__u64 *ctx)
{
	struct request *rq = (struct request *)ctx[0];

	if (rq)
		commands_begin(estat_id(rq), bpf_ktime_get_ns());
	return 0;
}

/*
 * The tracepoint also fires for requests that the driver ends and never gives to the controller
 * (nvme_host_path_error): in Linux up to 6.12, but not in 7.2 and 7.3.
 */
SEC("tp_btf/nvme_complete_rq")
int nvme_ends(__u64 *ctx)
{
	struct request *rq = (struct request *)ctx[0];
	struct done d = {};

	if (!rq)
		return 0;
	d.now = bpf_ktime_get_ns();
	d.ns = commands_take(estat_id(rq), d.now);
	read_own(rq, &d);
	d.failed = d.status != status_success;
	if (d.ns < 0 && !d.failed) {
		/* the begin was not seen, or another command got the entry */
		estat_count_missed();
		return 0;
	}
	d.bytes = rq->__data_len;
	if (!is_admin(rq))
		d.queue = rq->mq_hctx->queue_num + 1;
	count_queue(&d);
	if (is_admin(rq))
		return count_admin(&d);
	count(rq, &d);
	return 0;
}

/*
 * Fill in the key of a command under way. Returns 0 if the command does not count, because its
 * queue has no disk (the admin queue has none), or because the request is idle: the command was set
 * up and not issued yet, or it ended unseen. The function is not inline, because the 512 bytes of a
 * BPF stack must hold the frame of commands_look() and, one after the other, the frame of this
 * function and those of the functions that note names.
 */
static __noinline int key_under_way(struct request *rq, struct nvme_key *key)
{
	struct gendisk *disk = BPF_CORE_READ(rq, q, disk);
	struct done d = {};

	if (!disk || BPF_CORE_READ(rq, state) == MQ_RQ_IDLE)
		return 0;
	read_own(rq, &d);
	key->controller = d.controller;
	key->namespace = dev_at(disk);
	key->op = command_of(rq, &d, false);
	key->status = status_under_way;
	return 1;
}

static __always_inline bool command_under_way(const struct estat_begun *e, struct nvme_key *key)
{
	struct request *rq = (struct request *)e->id;

	if (!key_under_way(rq, key))
		return false;
	if (!nvme_find(key)) {
		note_controller(key->controller);
		note_hidden(BPF_CORE_READ(rq, q, disk));
	}
	return true;
}

#define command_tell(e) tell_request((struct request *)(e)->id)

ESTAT_TELLS;
ESTAT_WALK(commands, nvme, struct nvme_key, command_under_way, command_tell);
