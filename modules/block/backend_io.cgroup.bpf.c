// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * backend_io.cgroup: the requests of backend_io, by cgroup. By default the module is attached only
 * while a client reads it, because some hosts have many cgroups.
 */
#include "disk.bpf.h"

#include "cgroup.bpf.h"

ESTAT_MODULE(backend_io.cgroup, 21);
ESTAT_EVIDENCE("/sys/block/*/mq/../stat", "");
ESTAT_ON_DEMAND;
ESTAT_IO_CGROUPS;

struct request_key {
	estat_dev_t disk;
	enum op op;
	estat_charged_t cgroup;
};

static __always_inline void name_cgroup_of(struct request *rq)
{
	struct blkcg *blkcg = BPF_CORE_READ(rq, bio, bi_blkg, blkcg);

	if (blkcg)
		estat_name_cgroup((__u64)blkcg + bpf_core_field_offset(struct blkcg, css));
}

#define REQUESTS(f)      backend_io_cgroup_##f
#define REQUEST_NAME(rq) name_cgroup_of(rq)
#include "request.bpf.h"

ESTAT_OVERFLOW(backend_io_cgroup);
ESTAT_SERIES(
	backend_io_cgroup, 0, struct request_key, struct request_value, 512,
	"The requests of estat.backend_io, by the cgroup that the block layer charges for the\n"
	"request's first bio (bi_blkg): the submitter's cgroup or, if the controller io is not\n"
	"enabled there, the nearest ancestor in which it is enabled. Writeback is charged to the\n"
	"cgroup that dirtied the pages, if the file system tracks this cgroup. Before Linux 5.18\n"
	"one request can have bios of several cgroups. A disk's flush has no cgroup, because it\n"
	"may serve several cgroups; a driver's own commands have no cgroup, either (before Linux\n"
	"6.8 those that user space gives to an NVMe disk have one). What threads of ZFS submit,\n"
	"such as nearly all writes, is charged to /, see estat.bio.cgroup. Linux 5.15 to 7.3");

static __always_inline struct request_key request_key_of(struct request *rq, struct gendisk *disk)
{
	struct key key = key_by(disk, op_of(rq->cmd_flags));

	return (struct request_key){
		.disk = key.disk,
		.op = key.op,
		.cgroup = rq->bio->bi_blkg->blkcg->css.cgroup->kn->id,
	};
}
