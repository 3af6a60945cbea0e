/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tells whether a bio has ended, for walks of the entries of bios under way. A bio whose end the
 * BPF programs did not see still has an entry.
 */
#ifndef ESTAT_MODULES_BLOCK_BIO_WALK_H
#define ESTAT_MODULES_BLOCK_BIO_WALK_H

#include "block/types.bpf.h"
#include "declare.bpf.h"

ESTAT_ENUMERATOR(BIO_TRACE_COMPLETION);

/*
 * Is there a struct block_device at this address? The device's disk is then also the disk of the
 * disk's part0. Not inline, because the stack of zvol's walk has no room left on Linux 6.1.
 */
static __noinline bool is_block_device(struct block_device *device)
{
	struct gendisk *disk = BPF_CORE_READ(device, bd_disk);

	return disk && BPF_CORE_READ(disk, part0, bd_disk) == disk;
}

/*
 * Has the bio not ended, and have none of its bytes completed? The kernel sets the flag
 * BIO_TRACE_COMPLETION when block_bio_queue fires, and clears the flag when the bio ends, when the
 * first bytes of the bio complete, or when the data of a flush sequence ends (bio_endio() and
 * blk_update_request(), Linux 5.15 to 7.3). The memory of a bio that has ended can hold anything:
 * the bio of a flush is on the stack of the thread that submits the flush (blkdev_issue_flush()).
 * So the memory is taken for a bio only if it has the address of a block device. If the number of
 * the flag is not known, only that address tells.
 */
static __always_inline bool bio_has_not_ended(struct bio *bio)
{
	__u32 bit = estat_enumerator_BIO_TRACE_COMPLETION;

	if (bit != ESTAT_NO_ENUMERATOR && !(BPF_CORE_READ(bio, bi_flags) >> (bit & 31) & 1))
		return false;
	return is_block_device(BPF_CORE_READ(bio, bi_bdev));
}

#endif /* ESTAT_MODULES_BLOCK_BIO_WALK_H */
