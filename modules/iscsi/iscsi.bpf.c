// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * iscsi: what the kernel's iSCSI target (LIO) does for its initiators, by target,
 * LUN, initiator and operation. One operation is one SCSI command:
 *
 *	iscsit_process_scsi_cmd		it has come; of a write, some of its data
 *	target_execute_cmd		all of it has: it goes to the backstore
 *	lio_queue_data_in, _status	the backstore has done it: there is a response
 *	iscsit_response_queue		that is sent, by another thread
 *	lio_release_cmd			the initiator has it; or there never was one
 *
 * Everything counts when the response is about to be sent, while the command and
 * its session are there for certain. The tracepoints target_sequencer_start and
 * target_cmd_complete are passed by other fabrics' commands, too, and programs on
 * them would keep their kernel module loaded always.
 */
#include "name.bpf.h"
#include "probe.bpf.h"
#include "types.bpf.h"

ESTAT_MODULE(iscsi, 12);

/* While configfs has that folder the kernel module cannot be unloaded. */
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
	__s64 lun; /* -1: one that does not exist */
	estat_name_t initiator;
	enum op op;
};

struct value {
	struct estat_io;
	struct estat_latency backend ESTAT_GROUP(
		1,
		"From the entry of target_execute_cmd, when a command has all its data and goes\n"
		"to the backstore, to that of lio_queue_data_in or lio_queue_status, when the\n"
		"backstore has done it and its response is queued. Only commands that succeed");
};

ESTAT_SERIES(
	iscsi, 0, struct key, struct value, 1024,
	"From the entry of iscsit_process_scsi_cmd to that of iscsit_response_queue, where\n"
	"the response (of a read, its data) begins to be sent; with iSER to the response's\n"
	"being queued. The data of a write, which is fetched meanwhile, is in it. Bytes are\n"
	"those on the wire. compare_and_write is how initiators lock: if one finds other\n"
	"data than it expects that is an error. A command whose SCSI status is not GOOD, or\n"
	"that has no response, as it was aborted or its connection lost, counts only in\n"
	"errors. The LUN -1 stands for those that do not exist. Not in it: the response's\n"
	"way to the initiator, and what is no SCSI command, as task management. Linux 5.15 to 7.3");
ESTAT_TOP_LAYER(iscsi, 120);
ESTAT_LAYER(backend, 130, "iscsi");
ESTAT_SHOWN(iscsi, "rows {op}");

/* But for errors: what has no response is counted by another program. */
ESTAT_ONE_WRITER(iscsi);

/* A transport that has a function of its own instead of it (iSER) sends by itself. */
ESTAT_ADDRESS(iscsit_response_queue);

/* A session, by its se_session. Without padding, which older kernels refuse to copy. */
struct session {
	__u64 id;      /* of its target's name; that of its initiator's is the next one */
	__u64 created; /* by the kernel's clock: another session may be in this one's place */
	__u64 tiqn;    /* the target */
	__u32 tsih;
	__u32 sends; /* by itself */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, __u64);
	__type(value, struct session);
} sessions SEC(".maps");

/* A command under way, by its se_cmd. */
struct command {
	__u64 entered;
	__u64 submitted; /* to the backstore; 0: not yet */
	__u64 queued;    /* its response; 0: not yet */
	__u64 names;     /* its session's id */
	__s64 lun;
	__u64 sends; /* as its session */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 8192);
	__type(key, __u64);
	__type(value, struct command);
} commands SEC(".maps");

/* Sessions that are first seen in the same microsecond differ by this. */
__u64 sessions_seen;

/* A member of a struct that was iscsi_WHAT before Linux 6.0. */
#define READ_RENAMED(p, what, member)                                     \
	(bpf_core_type_exists(struct iscsit_##what)                       \
		 ? (__u64)ESTAT_READ((struct iscsit_##what *)(p), member) \
		 : (__u64)ESTAT_READ((struct iscsi_##what *)(p), member))

static __always_inline __u64 se_cmd_of(__u64 cmd)
{
	if (bpf_core_type_exists(struct iscsit_cmd))
		return (__u64)__builtin_preserve_access_index(&((struct iscsit_cmd *)cmd)->se_cmd);
	return (__u64)__builtin_preserve_access_index(&((struct iscsi_cmd *)cmd)->se_cmd);
}

/* The LUN that a command is for. A mapping can forbid a write, so it may have none of LIO's. */
static __always_inline __s64 lun_of(__u64 cmd, bool typed)
{
	struct se_cmd *se_cmd = (struct se_cmd *)se_cmd_of(cmd);

	if (READ_RENAMED(cmd, cmd, sense_reason) ==
	    bpf_core_enum_value(enum tcm_sense_reason_table, TCM_NON_EXISTENT_LUN))
		return -1;
	return BPF_CORE_READ(se_cmd, orig_fe_lun);
}

/* Let go of a session's names. */
static __always_inline void forget(const struct session *s)
{
	estat_name_gone(s->id);
	estat_name_gone(s->id + 1);
}

/* Note a session, in the place of another one if there is one whose end was not seen. */
static __noinline int note_session(__u64 se_sess, struct session *s, __u64 transport)
{
	struct iscsit_transport *t = (struct iscsit_transport *)transport;
	struct session *former = bpf_map_lookup_elem(&sessions, &se_sess);
	__u64 own = estat_address_iscsit_response_queue;

	if (former)
		forget(former);
	s->id = bpf_ktime_get_ns() >> 10 << 11 | (__sync_fetch_and_add(&sessions_seen, 1) & 1023)
							 << 1;
	s->sends = own && (__u64)BPF_CORE_READ(t, iscsit_response_queue) != own;
	return bpf_map_update_elem(&sessions, &se_sess, s, BPF_ANY);
}

ESTAT_ENTRY(iscsi_begins, iscsit_process_scsi_cmd, 2)
{
	__u64 conn = call->arg[0], cmd = call->arg[1], key = se_cmd_of(cmd);
	__u64 sess = READ_RENAMED(conn, conn, sess);
	__u64 se_sess = READ_RENAMED(sess, session, se_sess);
	struct session *known = bpf_map_lookup_elem(&sessions, &se_sess);
	struct command c = {
		.entered = bpf_ktime_get_ns(),
		.lun = lun_of(cmd, typed),
	};
	struct session s = {
		.created = READ_RENAMED(sess, session, creation_time),
		.tsih = READ_RENAMED(sess, session, tsih),
	};

	if (!known || known->created != s.created || known->tsih != s.tsih) {
		struct iscsi_portal_group *tpg =
			(struct iscsi_portal_group *)READ_RENAMED(conn, conn, tpg);

		s.tiqn = (__u64)BPF_CORE_READ(tpg, tpg_tiqn);
		if (note_session(se_sess, &s, READ_RENAMED(conn, conn, conn_transport)))
			goto missed;
		known = &s;
	}
	c.names = known->id;
	c.sends = known->sends;
	if (!bpf_map_update_elem(&commands, &key, &c, BPF_ANY))
		return 0;
missed:
	__sync_fetch_and_add(&iscsi_state.missed, 1);
	return 0;
}

ESTAT_ENTRY(iscsi_submits, target_execute_cmd, 1)
{
	__u64 key = call->arg[0];
	struct command *c = bpf_map_lookup_elem(&commands, &key);

	if (c)
		c->submitted = bpf_ktime_get_ns();
	return 0;
}

/* include/scsi/scsi_proto.h */
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

/* The service actions of those with variable length. */
enum action {
	READ_32 = 0x09,
	WRITE_32 = 0x0b,
	WRITE_SAME_32 = 0x0d,
};

/* A WRITE SAME with this bit discards. */
#define UNMAP_BIT 0x08

static __always_inline enum op op_of_long(const __u8 *cdb)
{
	switch (cdb[9]) { /* the lower byte of the action */
	case READ_32:
		return op_read;
	case WRITE_32:
		return op_write;
	case WRITE_SAME_32:
		return cdb[10] & UNMAP_BIT ? op_discard : op_write;
	}
	return op_other;
}

static __always_inline enum op op_of(struct se_cmd *cmd)
{
	__u8 cdb[12] = {};

	bpf_probe_read_kernel(cdb, sizeof(cdb), BPF_CORE_READ(cmd, t_task_cdb));
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
	struct value *v = iscsi_find(key);

	if (v)
		return v;
	name(key, cmd);
	return iscsi_insert(key);
}

/* The key is all zeros before, its padding too. */
static __always_inline void set_key(struct key *key, const struct command *c, struct se_cmd *cmd)
{
	key->target = c->names;
	key->lun = c->lun;
	key->initiator = c->names + 1;
	key->op = op_of(cmd);
}

static __noinline int count_failed(const struct command *c, __u64 se_cmd)
{
	struct se_cmd *cmd = (struct se_cmd *)se_cmd;
	struct key key = {};
	struct value *v;

	set_key(&key, c, cmd);
	v = value_of(&key, cmd);
	if (v)
		__sync_fetch_and_add(&v->errors, 1); /* two programs do */
	return 0;
}

static __noinline int count(const struct command *c, __u64 se_cmd)
{
	struct se_cmd *cmd = (struct se_cmd *)se_cmd;
	__u64 ns = bpf_ktime_get_ns() - c->entered, bytes = BPF_CORE_READ(cmd, data_length);
	struct key key = {};
	struct value *v;

	set_key(&key, c, cmd);
	if (key.op == op_compare_and_write) /* it was halved: sbc_compare_and_write() */
		bytes *= 2;
	v = value_of(&key, cmd);
	if (!v)
		return 0;
	iscsi_count_io((struct estat_io *)v, &key, ns, bytes, false);
	if (c->submitted && c->queued > c->submitted) /* or that it was queued was not seen */
		estat_count_latency(&v->backend, c->queued - c->submitted);
	return 0;
}

/* A command that is no more under way; false if it was not, or its begin was not seen. */
static __always_inline bool take(__u64 key, struct command *taken)
{
	struct command *c = bpf_map_lookup_elem(&commands, &key);

	if (!c)
		return false;
	*taken = *c;
	bpf_map_delete_elem(&commands, &key);
	return taken->entered > estat_attached;
}

/* Its response goes to the initiator. Of a command that is not SCSI's there is nothing. */
static __always_inline int responds(__u64 key)
{
	struct se_cmd *cmd = (struct se_cmd *)key;
	struct command c;

	if (!take(key, &c))
		return 0;
	return BPF_CORE_READ(cmd, scsi_status) ? count_failed(&c, key) : count(&c, key);
}

/* Its response is queued; once more if there was no room. */
static __always_inline int queues(__u64 key)
{
	struct command *c = bpf_map_lookup_elem(&commands, &key);

	if (!c)
		return 0;
	c->queued = bpf_ktime_get_ns();
	return c->sends ? responds(key) : 0;
}

ESTAT_ENTRY(iscsi_queues_data, lio_queue_data_in, 1)
{
	return queues(call->arg[0]);
}

ESTAT_ENTRY(iscsi_queues_status, lio_queue_status, 1)
{
	return queues(call->arg[0]);
}

ESTAT_ENTRY(iscsi_responds, iscsit_response_queue, 2)
{
	return responds(se_cmd_of(call->arg[1]));
}

/* There was no response to what is still under way. */
ESTAT_ENTRY(iscsi_releases, lio_release_cmd, 1)
{
	struct command c;

	return take(call->arg[0], &c) ? count_failed(&c, call->arg[0]) : 0;
}

/* A session goes, of any fabric, after its last command. */
ESTAT_ENTRY(iscsi_session_ends, transport_deregister_session, 1)
{
	__u64 se_sess = call->arg[0];
	struct session *s = bpf_map_lookup_elem(&sessions, &se_sess);

	if (!s)
		return 0;
	forget(s);
	bpf_map_delete_elem(&sessions, &se_sess);
	return 0;
}
