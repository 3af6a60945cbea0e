// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bio: what every block device does, whether it has requests or not: those of device mapper, md
 * and bcache, zram, pmem, NVMe's heads, volumes of ZFS, and disks. One I/O is one bio, by device
 * and operation.
 */
#include "disk.bpf.h"

ESTAT_MODULE(bio, 19);
ESTAT_EVIDENCE("/sys/block/*/mq/../stat", "");

struct bio_key {
	estat_dev_t disk;
	enum op op;
	__u64 how; /* it has ended: each key has one writer */
};

ESTAT_TABLE(bios, struct bio_key, struct estat_io, 512);
ESTAT_ONE_WRITER(bios);

#include "bio.bpf.h"

ESTAT_VIEW(
	bio, 0, bios, "disk op",
	"From a bio's submission (tracepoint block_bio_queue) to its end (block_bio_complete\n"
	"or, if it has become part of a request, block_rq_complete), of any block device: LVM and\n"
	"all of device mapper, md, bcache, zram, pmem, the heads of NVMe's multipath, volumes of\n"
	"ZFS, and disks with requests. One that is split counts once, when all its parts have\n"
	"ended; one that ends with an error counts only in errors, and one that was not to wait\n"
	"and would have had to (REQ_NOWAIT) not at all: it comes again. What is done to a\n"
	"partition is its disk's. Devices that stand on one another each count their own: a\n"
	"total of all has an I/O once for each of them that it passes.\n"
	"Not in it: waits for io.max, which come before (backend_io.wait); what a driver hands\n"
	"on to another disk as it is, on that one (NVMe's head to a path, bcache that has no\n"
	"cache); a flush of a disk that has no write cache, which is none; up to Linux 6.2 single\n"
	"pages of zram, pmem and brd that come without a bio. /proc/diskstats has parts that were\n"
	"split one by one, and what was merged to a request as one. Linux 5.15 to 7.3");
ESTAT_LAYER(bio, 500, "vfs page_cache journal.commit zio iscsi.backend");

static __always_inline void bio_key_of(struct bio *bio, struct bio_key *key)
{
	key->disk = dev_of(bio->bi_bdev->bd_disk);
	key->op = bio_op(bio);
}

static __always_inline void bio_name(__u64 bio)
{
}
