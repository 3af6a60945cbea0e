// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * backend_io.cgroup: the requests of backend_io, by cgroup. On demand because some hosts have many
 * cgroups.
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

ESTAT_OTHERS(backend_io_cgroup);
ESTAT_SERIES(
	backend_io_cgroup, 0, struct request_key, struct request_value, 512,
	"As estat.backend_io, by the cgroup that the block layer charges for the request's first\n"
	"bio (bi_blkg): the submitter's cgroup or, if that has no io controller, the nearest\n"
	"parent that has. For writeback it is the cgroup that dirtied the pages, if the file\n"
	"system tracks that. Before Linux 5.18 one request can have bios of several cgroups. A\n"
	"disk's flush has no cgroup, because it may serve several; a driver's own commands have\n"
	"none. ZFS's I/O is all charged to /, see estat.bio.cgroup. Linux 5.15 to 7.3");

static __always_inline struct request_key request_key_of(struct request *rq, struct gendisk *disk)
{
	struct key key = key_by(disk, op_of(rq->cmd_flags));

	return (struct request_key){
		.disk = key.disk,
		.op = key.op,
		.cgroup = rq->bio->bi_blkg->blkcg->css.cgroup->kn->id,
	};
}
