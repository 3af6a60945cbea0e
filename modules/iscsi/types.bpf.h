/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types of the kernel's SCSI target (LIO) and of its iSCSI fabric, with the members that modules
 * read. CO-RE finds the real offsets at load.
 */
#ifndef ESTAT_MODULES_ISCSI_TYPES_H
#define ESTAT_MODULES_ISCSI_TYPES_H

#include <linux/types.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* declared in include/target/target_core_base.h */
struct se_node_acl {
	char initiatorname[224];
};
enum tcm_sense_reason_table {
	TCM_NON_EXISTENT_LUN = 1,
};
enum se_cmd_flags_table {
	SCF_COMPARE_AND_WRITE = 0x00080000,
};
struct se_session {
	struct se_node_acl *se_node_acl;
};
struct se_device {
	__u8 transport_flags;
	struct {
		__u32 block_size;
	} dev_attrib;
};

struct se_cmd {
	void *se_tfo;
	struct {
		struct {
			struct {
				int counter;
			} refs;
		} refcount;
	} cmd_kref; /* counter 0: the command is free */
	__u8 scsi_status;
	__u32 se_cmd_flags;
	__u32 data_length;
	unsigned int t_task_nolb; /* the number of the device's blocks */
	__u64 orig_fe_lun;
	struct se_session *se_sess;
	unsigned char *t_task_cdb;
	unsigned long long t_task_lba;
	struct se_device *se_dev;
};

/* declared in include/target/iscsi/iscsi_target_core.h and iscsi_transport.h */
struct iscsi_tiqn {
	unsigned char tiqn[224];
};
struct iscsi_portal_group {
	struct iscsi_tiqn *tpg_tiqn;
};
struct iscsit_transport {
	int (*iscsit_response_queue)(void);
};
struct iscsit_session {
	__u16 tsih;
	__u64 creation_time;
	struct se_session *se_sess;
};
struct iscsit_conn {
	struct iscsit_transport *conn_transport;
	struct iscsi_portal_group *tpg;
	struct iscsit_session *sess;
};
struct iscsit_cmd {
	struct se_cmd se_cmd;
	__u32 sense_reason;
};

/*
 * The names of iscsit_session, iscsit_conn and iscsit_cmd before Linux 5.19. Late releases of 5.15
 * have iscsit_cmd, too.
 */
struct iscsi_session {
	__u16 tsih;
	__u64 creation_time;
	struct se_session *se_sess;
};
struct iscsi_conn {
	struct iscsit_transport *conn_transport;
	struct iscsi_portal_group *tpg;
	struct iscsi_session *sess;
};
struct iscsi_cmd {
	struct se_cmd se_cmd;
	__u32 sense_reason;
};

#pragma clang attribute pop

/* declared in include/target/target_core_backend.h */
#define TRANSPORT_FLAG_PASSTHROUGH 0x1

#endif /* ESTAT_MODULES_ISCSI_TYPES_H */
