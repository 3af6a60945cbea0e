// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bio.cgroup: the bios of the module bio, by cgroup. By default the module is attached only while a
 * client reads it, because some hosts have many cgroups.
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
ESTAT_OVERFLOW(bios);

#include "bio.bpf.h"

ESTAT_VIEW(
	bio_cgroup, 0, bios, "disk op cgroup",
	"The bios of estat.bio, by the cgroup that the block layer charges (bi_blkg): the\n"
	"submitter's cgroup or, if the controller io is not enabled there, the nearest ancestor\n"
	"in which it is enabled. Writeback is charged to the cgroup that dirtied the pages, if\n"
	"the file system tracks this cgroup. What threads of ZFS submit, such as nearly all\n"
	"writes, is charged to /. Up to Linux 5.17 all other I/O of ZFS is charged to /, too;\n"
	"since 5.18 what the thread of a process itself submits to the disk, such as a read, is\n"
	"charged to the thread's cgroup. estat.vfs.process tells which processes use ZFS,\n"
	"estat.zpl which pools and datasets. A cgroup's label `includes` lists other cgroups\n"
	"whose I/O counts for the cgroup, too. Linux 5.15 to 7.3");

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
