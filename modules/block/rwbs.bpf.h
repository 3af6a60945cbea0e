/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The operation and flags of a request, as letters of blktrace (blk_fill_rwbs()). */
#ifndef ESTAT_MODULES_BLOCK_RWBS_H
#define ESTAT_MODULES_BLOCK_RWBS_H

#include "disk.bpf.h"

/* blktrace's letters of the operations before op_driver_in, in the order of enum op. */
static const char letters[][4] = { "R",  "W",  "F",  "D",  "DE", "WZ",
				   "ZA", "ZO", "ZC", "ZF", "ZR", "ZRA" };

static __noinline __u64 letters_of(__u32 op)
{
	__u32 n = op - op_read, text = 'N';

	if (n < sizeof(letters) / sizeof(letters[0]))
		__builtin_memcpy(&text, letters[n], sizeof(text));
	return text;
}

#define HAS(flags, NAME)                                         \
	(bpf_core_enum_value_exists(enum req_flag_bits, NAME) && \
	 (flags) >> bpf_core_enum_value(enum req_flag_bits, NAME) & 1)

/*
 * Returns `text`, with `letters` (one to three) before it if `has` is true. Both are numbers with
 * the first letter in the lowest byte.
 */
static __always_inline __u64 prefix(bool has, __u64 letters, __u64 text)
{
	return has ? text << (letters >> 16 ? 24 : letters >> 8 ? 16 : 8) | letters : text;
}

/*
 * The letters that blk_fill_rwbs() of Linux 7.3 writes. Up to at least Linux 6.12 blk_fill_rwbs()
 * writes N for write zeroes and the zone operations. Not static, so that for the verifier the
 * result is any number.
 */
__noinline __u64 rwbs_of(__u32 flags)
{
	__u64 text = prefix(HAS(flags, __REQ_ATOMIC), 'U', 0);

	text = prefix(HAS(flags, __REQ_META), 'M', text);
	text = prefix(HAS(flags, __REQ_SYNC), 'S', text);
	text = prefix(HAS(flags, __REQ_RAHEAD), 'A', text);
	text = prefix(HAS(flags, __REQ_FUA), 'F', text);
	text = prefix(true, letters_of(op_of(flags)), text);
	return prefix(HAS(flags, __REQ_PREFLUSH), 'F', text);
}

#endif /* ESTAT_MODULES_BLOCK_RWBS_H */
