// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bio.cgroup: the bios of the module bio, by cgroup. On demand because some hosts have many
 * cgroups.
 */
#include "disk.bpf.h"

#include "cgroup.bpf.h"

ESTAT_MODULE(bio.cgroup, 20);
ESTAT_EVIDENCE("/sys/block/*/mq/../stat", "");
ESTAT_ON_DEMAND;
ESTAT_IO_CGROUPS;

struct bio_key {
	estat_dev_t disk;
	enum op op;
	estat_charged_t cgroup;
	__u64 how;
};

ESTAT_TABLE(bios, struct bio_key, struct estat_io, 512);
ESTAT_OTHERS(bios);

#include "bio.bpf.h"

ESTAT_VIEW(
	bio_cgroup, 0, bios, "disk op cgroup",
	"As estat.bio, by the cgroup that the block layer charges (bi_blkg): the submitter's\n"
	"cgroup or, if that has no io controller, the nearest parent that has. For writeback it\n"
	"is the cgroup that dirtied the pages, if the file system tracks that. ZFS does its I/O "
	"in\n"
	"threads of its own, so all of it is charged to /: estat.vfs.process and estat.zpl have\n"
	"whose it is. The label includes says which cgroups' I/O a cgroup has besides its own.\n"
	"Linux 5.15 to 7.3");

static __always_inline void bio_key_of(struct bio *bio, struct bio_key *key)
{
	key->disk = dev_of(bio->bi_bdev->bd_disk);
	key->op = bio_op(bio);
	key->cgroup = bio->bi_blkg->blkcg->css.cgroup->kn->id;
}

static __always_inline void bio_name(__u64 bio)
{
	struct blkcg *blkcg = BPF_CORE_READ((struct bio *)bio, bi_blkg, blkcg);

	if (blkcg)
		estat_name_cgroup((__u64)blkcg + bpf_core_field_offset(struct blkcg, css));
}
