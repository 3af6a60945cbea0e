// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bio: the bios of every block device, with or without requests: device mapper, md, bcache, zram,
 * pmem, the heads of NVMe multipath, ZFS volumes, and disks; by device and operation. One operation
 * is one bio.
 */
#define ESTAT_NAMES_VALUE struct estat_short_name

#include "bio_walk.bpf.h"
#include "disk.bpf.h"
#include "inflight.bpf.h"
#include "tell.bpf.h"

ESTAT_MODULE(bio, 19);

struct bio_key {
	estat_dev_t disk;
	enum op op;
	/*
	 * How the bio ended: HOW_BIO or HOW_REQUEST; of a bio under way HOW_BIO. A BPF program sees
	 * only one kind of end, so the ends in a key's slot are counted by one BPF program.
	 */
	__u64 how;
};

struct bio_value {
	struct estat_io;
	struct estat_inflight;
};

ESTAT_TABLE(bios, struct bio_key, struct bio_value, 512);
ESTAT_ONE_WRITER(bios);

#define BIO_SLOW
#include "bio.bpf.h"
#include "bio_slow.bpf.h"

/*
 * ESTAT_EVIDENCE stands after bio.bpf.h, because between ESTAT_MODULE and the constants of
 * bio.bpf.h the 128 bytes of estat_evidence would keep estat_module and these constants from
 * sharing a cache line.
 */
ESTAT_EVIDENCE("/sys/block/*/mq/../stat", "");

ESTAT_VIEW(
	bio, 0, bios, "disk op",
	"From a bio's submission (tracepoint block_bio_queue) to its end (tracepoint\n"
	"block_bio_complete or, for a bio in a request, block_rq_complete), of any block device:\n"
	"LVM and all of device mapper, md, bcache, zram, pmem, the heads of NVMe multipath, ZFS\n"
	"volumes, and disks with requests. A bio that is split counts once, when all its parts\n"
	"have ended. A bio that ends with an error counts only in errors. A bio with REQ_NOWAIT\n"
	"that would have had to wait does not count, because it is submitted again. I/O to a\n"
	"partition counts for its disk. Devices on top of one another each count their own bios:\n"
	"the metric total counts an I/O once for each device that the I/O passes, and the row\n"
	"total of the command estat counts the I/O once.\n"
	"Not counted: waits for io.max, which are before the submission (backend_io.wait); on the\n"
	"lower disk, a bio that a driver passes on unchanged (from an NVMe head to a path, from\n"
	"bcache without a cache); a flush of a disk without a write cache; up to Linux 6.2 single\n"
	"pages that zram, pmem and brd transfer without a bio. /proc/diskstats counts the parts\n"
	"of a split bio, and counts merged bios once. Linux 5.15 to 7.3");
ESTAT_LAYER(bio, 500, "vfs page_cache journal.commit zio iscsi.backend");

static __always_inline void bio_key_of(struct bio *bio, struct bio_key *key)
{
	key->disk = dev_of(bio->bi_bdev->bd_disk);
	key->op = bio_op(bio);
}

static __always_inline void bio_name(__u64 bio)
{
}

/*
 * Returns false if the bio is a part of another bio, or if the bio or its first bytes have
 * completed. A bio that has ended has an entry if the end was missed; that entry stays until a new
 * bio has the same address.
 */
static __always_inline bool bio_under_way(const struct bio_begun *b, struct bio_key *key)
{
	*key = b->key;
	key->how = HOW_BIO;
	return b->parts && bio_has_not_ended((struct bio *)b->id);
}

#define bio_tell(b) tell_bio((b)->id, (b)->bytes)

ESTAT_TELLS;
ESTAT_WALK(submitted, bios, struct bio_key, bio_under_way, bio_tell);
