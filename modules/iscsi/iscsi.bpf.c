// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * iscsi: SCSI commands at the kernel's iSCSI target (LIO), by target, LUN, initiator and
 * operation. One operation is one SCSI command:
 *
 *	iscsit_process_scsi_cmd		the command has arrived; data of a write may follow
 *	target_execute_cmd		all data has arrived: the command goes to the backstore
 *	lio_queue_data_in, _status	the backstore has done the command: response queued
 *	iscsit_response_queue		another thread sends the response
 *	lio_release_cmd			the initiator has the response, or gets none
 *
 * A command with a response is counted when the response is about to be sent, because after that
 * the target may free the command and the session. With iSER, which sends responses itself, the
 * command is counted when the response is queued. The tracepoints target_sequencer_start and
 * target_cmd_complete would also see commands of other fabrics, and a BPF program at one of the two
 * would keep target_core_mod, the tracepoints' kernel module, loaded.
 */
#include "aggregate.bpf.h"
#include "inflight.bpf.h"
#include "name.bpf.h"
#include "probe.bpf.h"
#include "told.bpf.h"
#include "types.bpf.h"

ESTAT_MODULE(iscsi, 12);

/* While the configfs directory exists, iscsi_target_mod cannot be unloaded. */
ESTAT_NEEDS("iscsi_target_mod", "/sys/kernel/config/target/iscsi");
ESTAT_EVIDENCE("/sys/kernel/config/target/iscsi/*/*/lun/*/s*/*/in_cmds", "");

enum op {
	op_read,
	op_write,
	op_discard,
	op_flush,
	op_other,
	op_compare_and_write,
};

struct key {
	estat_name_t target;
	__s64 lun; /* -1: the LUN does not exist */
	estat_name_t initiator;
	enum op op;
};

struct value {
	struct estat_io;
	struct estat_latency backend ESTAT_GROUP(
		1,
		"From the entry of target_execute_cmd, when all data of a command has arrived and\n"
		"the command goes to the backstore, to the entry of lio_queue_data_in or\n"
		"lio_queue_status, when the backstore has done the command and the response is\n"
		"queued. Only commands that succeed");
	struct estat_inflight;
};

ESTAT_SERIES(
	iscsi, 0, struct key, struct value, 1024,
	"From the entry of iscsit_process_scsi_cmd to the entry of iscsit_response_queue, where\n"
	"the target begins to send the response (of a read, the data); with iSER to the time when\n"
	"the response is queued. The time to fetch the data of a write is included. Bytes are\n"
	"those on the wire. Initiators lock by compare_and_write; a compare_and_write that finds\n"
	"other data than expected is an error. A command whose SCSI status is not GOOD counts\n"
	"only in errors, and so does a command that gets no response, because the command is\n"
	"aborted or the connection is lost. LUN -1 stands for all LUNs that do not exist. Not\n"
	"counted: the response's way to the initiator, and requests that are not SCSI commands,\n"
	"such as task management. A slow command has an event record, with the sector and the\n"
	"stages data (of a write, until all of it has arrived), backend and response. Linux 5.15\n"
	"to 7.3");
ESTAT_TOP_LAYER(iscsi, 120);
ESTAT_LAYER(backend, 130, "iscsi");
ESTAT_LAYOUT(iscsi, "rows {op}");

/*
 * With TCP only one BPF program counts successes. With iSER two do, for the same key: one counts
 * commands whose response has data, the other one all other commands. These two add atomically. So
 * do the BPF programs that count failures: two with TCP, three with iSER.
 */
ESTAT_ONE_WRITER(iscsi);

/*
 * TCP's struct iscsit_transport has this function in its member iscsit_response_queue. A transport
 * that sends responses itself, such as iSER, has another function in that member.
 */
ESTAT_ADDRESS(iscsit_response_queue);

/*
 * A session; the key is the address of its se_session. The struct has no padding, because older
 * verifiers refuse to copy unset bytes of the stack to a map.
 */
struct session {
	__u64 id; /* the id of the target's name; id + 1 is that of the initiator's name */
	/* `created` and `tsih` tell the session from an older session at the same address */
	__u64 created;
	__u64 tiqn; /* address of the target's iscsi_tiqn */
	__u32 tsih;
	__u32 sends; /* 1: the transport sends responses itself, as iSER does */
};

ESTAT_HASH_MAP(sessions, HASH, __u64, struct session, 1024);

/* A command that the target has not released. Its id is the address of its se_cmd. */
struct command {
	__u64 id;
	__u64 began;
	__u64 submitted; /* when the command went to the backstore; 0: not yet */
	__u64 queued;    /* when the response was queued; 0: not yet */
	__u64 names;     /* the session's id */
	__s64 lun;
	__u32 sends; /* the session's `sends` */
} __attribute__((aligned(64)));

#define command_home(id) ((id) >> 6)

ESTAT_INFLIGHT(commands, TABLE, struct command, 8192, command_home);

#include "iscsi_slow.bpf.h"

/*
 * How many sessions have got an id. The low bits are part of the id, so that sessions that get
 * their ids in the same microsecond get different ones.
 */
__u64 sessions_seen;

/*
 * Read a member of struct iscsit_WHAT, whose name was iscsi_WHAT before Linux 5.19. Late releases
 * of 5.15 have iscsit_cmd, too, but not the other new names.
 */
#define READ_RENAMED(p, what, member)                                     \
	(bpf_core_type_exists(struct iscsit_##what)                       \
		 ? (__u64)ESTAT_READ((struct iscsit_##what *)(p), member) \
		 : (__u64)ESTAT_READ((struct iscsi_##what *)(p), member))

static __always_inline struct se_cmd *se_cmd_of(__u64 cmd)
{
	if (bpf_core_type_exists(struct iscsit_cmd))
		return __builtin_preserve_access_index(&((struct iscsit_cmd *)cmd)->se_cmd);
	return __builtin_preserve_access_index(&((struct iscsi_cmd *)cmd)->se_cmd);
}

/*
 * A command's LUN; -1: the LUN does not exist. The LUN is not read from se_cmd.se_lun, which is not
 * set if the LUN's mapping forbids the command.
 */
static __always_inline __s64 lun_of(__u64 cmd, bool typed)
{
	if (READ_RENAMED(cmd, cmd, sense_reason) ==
	    bpf_core_enum_value(enum tcm_sense_reason_table, TCM_NON_EXISTENT_LUN))
		return -1;
	return READ_RENAMED(cmd, cmd, se_cmd.orig_fe_lun);
}

static __always_inline void drop_names(const struct session *s)
{
	estat_name_gone(s->id);
	estat_name_gone(s->id + 1);
}

/*
 * Set s->id and s->sends, and add the session to `sessions`. Replaces a session at this address
 * whose end was missed. Returns 0 or a negative error.
 */
static __noinline int note_session(__u64 se_sess, struct session *s, __u64 transport)
{
	struct iscsit_transport *t = (struct iscsit_transport *)transport;
	struct session *old = bpf_map_lookup_elem(&sessions, &se_sess);
	__u64 own = estat_address_iscsit_response_queue;

	if (old)
		drop_names(old);
	s->id = bpf_ktime_get_ns() >> 10 << 11 | (__sync_fetch_and_add(&sessions_seen, 1) & 1023)
							 << 1;
	s->sends = own && (__u64)BPF_CORE_READ(t, iscsit_response_queue) != own;
	return bpf_map_update_elem(&sessions, &se_sess, s, BPF_ANY);
}

/* What the se_tfo of each iSCSI command points to; 0: there was no command yet. */
__u64 fabric;

ESTAT_ENTRY(iscsi_begins, iscsit_process_scsi_cmd, 2)
{
	__u64 conn = call->arg[0], cmd = call->arg[1], now = bpf_ktime_get_ns();
	__u64 sess = READ_RENAMED(conn, conn, sess), tfo;
	__u64 se_sess = READ_RENAMED(sess, session, se_sess);
	struct session *known = bpf_map_lookup_elem(&sessions, &se_sess);
	struct session s = {
		.created = READ_RENAMED(sess, session, creation_time),
		.tsih = READ_RENAMED(sess, session, tsih),
	};
	struct command *c;

	if (!known || known->created != s.created || known->tsih != s.tsih) {
		struct iscsi_portal_group *tpg =
			(struct iscsi_portal_group *)READ_RENAMED(conn, conn, tpg);

		s.tiqn = (__u64)BPF_CORE_READ(tpg, tpg_tiqn);
		if (note_session(se_sess, &s, READ_RENAMED(conn, conn, conn_transport))) {
			estat_count_missed();
			return 0;
		}
		known = &s;
	}
	c = commands_begin(estat_id(se_cmd_of(cmd)));
	if (!c)
		return 0;
	tfo = READ_RENAMED(cmd, cmd, se_cmd.se_tfo);
	if (fabric != tfo)
		fabric = tfo;
	c->submitted = c->queued = 0;
	c->names = known->id;
	c->lun = lun_of(cmd, typed);
	c->sends = known->sends;
	ESTAT_STORE(c->began, now);
	return 0;
}

/* Commands of other fabrics, such as vhost, pass here, too; no entry is looked for. */
ESTAT_ENTRY(iscsi_submits, target_execute_cmd, 1)
{
	struct se_cmd *cmd = (struct se_cmd *)call->arg[0];
	bool ours = (__u64)ESTAT_READ(cmd, se_tfo) == fabric;
	struct command *c = ours ? commands_find(estat_id(cmd)) : NULL;

	if (c)
		c->submitted = bpf_ktime_get_ns();
	return 0;
}

/* declared in include/scsi/scsi_proto.h */
enum opcode {
	READ_6 = 0x08,
	WRITE_6 = 0x0a,
	READ_10 = 0x28,
	WRITE_10 = 0x2a,
	WRITE_VERIFY = 0x2e,
	SYNCHRONIZE_CACHE = 0x35,
	WRITE_SAME = 0x41,
	UNMAP = 0x42,
	VARIABLE_LENGTH_CMD = 0x7f,
	READ_16 = 0x88,
	COMPARE_AND_WRITE = 0x89,
	WRITE_16 = 0x8a,
	WRITE_VERIFY_16 = 0x8e,
	SYNCHRONIZE_CACHE_16 = 0x91,
	WRITE_SAME_16 = 0x93,
	WRITE_ATOMIC_16 = 0x9c,
	READ_12 = 0xa8,
	WRITE_12 = 0xaa,
	WRITE_VERIFY_12 = 0xae,
};

/* Service actions of VARIABLE_LENGTH_CMD. */
enum action {
	READ_32 = 0x09,
	WRITE_32 = 0x0b,
	WRITE_SAME_32 = 0x0d,
};

/* Set in byte 1 of a WRITE SAME (byte 10 of WRITE SAME 32) that discards. */
#define UNMAP_BIT 0x08

static __always_inline enum op op_of_long(const __u8 *cdb)
{
	switch (cdb[9]) { /* the low byte of the service action */
	case READ_32:
		return op_read;
	case WRITE_32:
		return op_write;
	case WRITE_SAME_32:
		return cdb[10] & UNMAP_BIT ? op_discard : op_write;
	}
	return op_other;
}

static __always_inline enum op op_of(struct se_cmd *cmd, bool typed)
{
	__u8 cdb[12] = {};

	bpf_probe_read_kernel(cdb, sizeof(cdb), ESTAT_READ(cmd, t_task_cdb));
	switch (cdb[0]) {
	case READ_6:
	case READ_10:
	case READ_12:
	case READ_16:
		return op_read;
	case WRITE_6:
	case WRITE_10:
	case WRITE_12:
	case WRITE_16:
	case WRITE_VERIFY:
	case WRITE_VERIFY_12:
	case WRITE_VERIFY_16:
	case WRITE_ATOMIC_16:
		return op_write;
	case COMPARE_AND_WRITE:
		return op_compare_and_write;
	case WRITE_SAME:
	case WRITE_SAME_16:
		return cdb[1] & UNMAP_BIT ? op_discard : op_write;
	case UNMAP:
		return op_discard;
	case SYNCHRONIZE_CACHE:
	case SYNCHRONIZE_CACHE_16:
		return op_flush;
	case VARIABLE_LENGTH_CMD:
		return op_of_long(cdb);
	}
	return op_other;
}

static __always_inline void name(const struct key *key, struct se_cmd *cmd)
{
	struct se_node_acl *acl = BPF_CORE_READ(cmd, se_sess, se_node_acl);
	__u64 se_sess = (__u64)BPF_CORE_READ(cmd, se_sess);
	struct session *s = bpf_map_lookup_elem(&sessions, &se_sess);
	struct iscsi_tiqn *tiqn;

	if (!s)
		return;
	tiqn = (struct iscsi_tiqn *)s->tiqn;
	estat_name(key->target, (const char *)__builtin_preserve_access_index(&tiqn->tiqn));
	estat_name(key->initiator,
		   (const char *)__builtin_preserve_access_index(&acl->initiatorname));
}

static __always_inline struct value *value_of(const struct key *key, struct se_cmd *cmd)
{
	return ESTAT_GET_NAMED(iscsi, key, name(key, cmd));
}

/* Set the key of a command. The caller has zeroed *key, with its padding. */
static __always_inline void set_key(struct key *key, const struct command *c, struct se_cmd *cmd,
				    bool typed)
{
	key->target = c->names;
	key->lun = c->lun;
	key->initiator = c->names + 1;
	key->op = op_of(cmd, typed);
}

/* Count a failed command. `status`: the command's SCSI status, or NO_RESPONSE. */
static __noinline int count_failed(const struct command *c, struct se_cmd *cmd, __u64 status,
				   bool typed)
{
	struct ended end = { .now = bpf_ktime_get_ns(), .status = status };
	struct key key = {};
	struct value *v;

	set_key(&key, c, cmd, typed);
	v = value_of(&key, cmd);
	if (!v)
		return 0;
	__sync_fetch_and_add(&v->errors, 1); /* atomic: two or more BPF programs do it */
	end.ns = end.now - c->began;
	if (iscsi_is_slow(v, end.ns))
		iscsi_record(c, cmd, &key, &end);
	return 0;
}

/*
 * The command's bytes on the wire. sbc_compare_and_write() halves data_length when it runs, but
 * leaves the number of blocks, whose data is sent twice: to compare and to write. With the
 * backstores pscsi and tcmu no command has the flag.
 */
static __always_inline __u64 bytes_of(struct se_cmd *cmd, bool typed)
{
	if (ESTAT_READ(cmd, se_cmd_flags) &
	    bpf_core_enum_value(enum se_cmd_flags_table, SCF_COMPARE_AND_WRITE))
		return 2ULL * ESTAT_READ(cmd, t_task_nolb) *
		       BPF_CORE_READ(cmd, se_dev, dev_attrib.block_size);
	return ESTAT_READ(cmd, data_length);
}

static __noinline int count(const struct command *c, struct se_cmd *cmd, bool typed)
{
	struct ended end = { .now = bpf_ktime_get_ns(), .bytes = bytes_of(cmd, typed) };
	bool shared = estat_module.shared || c->sends;
	struct key key = {};
	struct value *v;

	end.ns = end.now - c->began;
	set_key(&key, c, cmd, typed);
	v = value_of(&key, cmd);
	if (!v)
		return 0;
	estat_count_io_shared((struct estat_io *)v, end.ns, end.bytes, false, shared);
	iscsi_count_by_size(&key, end.ns, end.bytes);
	if (c->submitted && c->queued > c->submitted) /* neither is 0: both are known */
		estat_count_latency_shared(&v->backend, c->queued - c->submitted, shared);
	if (iscsi_is_slow(v, end.ns))
		iscsi_record(c, cmd, &key, &end);
	return 0;
}

/* Count a command whose response is sent. */
static __always_inline int responds(struct command *c, struct se_cmd *cmd, bool typed)
{
	__u8 status;

	if (commands_is_done(c))
		return 0;
	status = ESTAT_READ(cmd, scsi_status);
	if (status)
		count_failed(c, cmd, status, typed);
	else
		count(c, cmd, typed);
	commands_done(c);
	return 0;
}

/*
 * A command's response is put into the queue: for the first time, or again, because there was no
 * room the first time.
 */
static __always_inline int queues(struct se_cmd *cmd, bool typed)
{
	struct command *c = commands_find(estat_id(cmd));

	if (!c)
		return 0;
	c->queued = bpf_ktime_get_ns();
	return c->sends ? responds(c, cmd, typed) : 0;
}

ESTAT_RUN(ESTAT_ENTRY(iscsi_queues_data, lio_queue_data_in, 1),
	  queues((struct se_cmd *)call->arg[0], typed));
ESTAT_RUN(ESTAT_ENTRY(iscsi_queues_status, lio_queue_status, 1),
	  queues((struct se_cmd *)call->arg[0], typed));

/* A response, or an answer to a request that is no SCSI command, which has no entry, is sent. */
ESTAT_ENTRY(iscsi_responds, iscsit_response_queue, 2)
{
	struct se_cmd *cmd = se_cmd_of(call->arg[1]);
	struct command *c = commands_find(estat_id(cmd));

	return c ? responds(c, cmd, typed) : 0;
}

/* The target releases a command. */
ESTAT_ENTRY(iscsi_releases, lio_release_cmd, 1)
{
	struct se_cmd *cmd = (struct se_cmd *)call->arg[0];
	__u64 id = estat_id(cmd);
	struct command *c = commands_find(id);

	if (!c)
		return 0;
	if (!commands_is_done(c))
		count_failed(c, cmd, NO_RESPONSE, typed);
	commands_free(c, id);
	return 0;
}

/* A session of any fabric ends, after its last command. */
ESTAT_ENTRY(iscsi_session_ends, transport_deregister_session, 1)
{
	__u64 se_sess = call->arg[0];
	struct session *s = bpf_map_lookup_elem(&sessions, &se_sess);

	if (!s)
		return 0;
	drop_names(s);
	bpf_map_delete_elem(&sessions, &se_sess);
	return 0;
}

static __always_inline bool under_way(const struct command *c, struct key *key)
{
	struct se_cmd *cmd = (struct se_cmd *)c->id;

	if (commands_is_done(c))
		return false;
	set_key(key, c, cmd, false);
	if (!iscsi_find(key))
		name(key, cmd);
	/*
	 * false for a command that was freed: if its end was missed, its entry stays until a new
	 * command has the same address
	 */
	return BPF_CORE_READ(cmd, cmd_kref.refcount.refs.counter) > 0;
}

/*
 * Does the kernel know the command's first sector? It does not with the backstores that pass
 * commands through, pscsi and tcmu, and of an UNMAP, which has a list of ranges.
 */
static __always_inline bool has_sector(struct se_cmd *cmd)
{
	__u8 opcode = 0;

	bpf_probe_read_kernel(&opcode, sizeof(opcode), BPF_CORE_READ(cmd, t_task_cdb));
	return opcode != UNMAP && op_of(cmd, false) != op_other &&
	       !(BPF_CORE_READ(cmd, se_dev, transport_flags) & TRANSPORT_FLAG_PASSTHROUGH);
}

static __noinline int tell(const struct command *c)
{
	struct se_cmd *cmd = (struct se_cmd *)c->id;
	struct estat_told *t = estat_told();

	if (!t)
		return 0;
	t->bytes = bytes_of(cmd, false);
	if (t->bytes && has_sector(cmd))
		t->sector = sector_of(cmd) + 1;
	return 0;
}

ESTAT_TELLS;
ESTAT_WALK(commands, iscsi, struct key, under_way, tell);
