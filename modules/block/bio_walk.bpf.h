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
 * Has the bio not ended, and have none of its bytes completed? The kernel sets the flag
 * BIO_TRACE_COMPLETION when block_bio_queue fires, and clears the flag when the bio ends, when the
 * first bytes of the bio complete, or when the data of a flush sequence ends (bio_endio() and
 * blk_update_request(), Linux 5.15 to 7.3). True if the number of the flag is not known.
 */
static __always_inline bool bio_has_not_ended(struct bio *bio)
{
	__u32 bit = estat_enumerator_BIO_TRACE_COMPLETION;

	return bit == ESTAT_NO_ENUMERATOR || BPF_CORE_READ(bio, bi_flags) >> (bit & 31) & 1;
}

#endif /* ESTAT_MODULES_BLOCK_BIO_WALK_H */
