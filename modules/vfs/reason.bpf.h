/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a flusher writes pages back. The numbers of enum wb_reason differ between kernels. */
#ifndef ESTAT_MODULES_VFS_REASON_H
#define ESTAT_MODULES_VFS_REASON_H

#include "mm_types.bpf.h"

/*
 * The constants of flushers' reasons begin at 256, above the kernel's numbers. A reason that is
 * missing here keeps the kernel's number N, with the text reason_N.
 */
enum reason {
	reason_none = 255, /* no pass of a flusher */
	reason_background,
	reason_vmscan,
	reason_sync,
	reason_periodic,
	reason_laptop_timer,
	reason_fs_free_space,
	reason_forker_thread,
	reason_foreign_flush,
	reason_dontcache,
};

static __always_inline enum reason reason_of(__u32 raw)
{
	if (WB_REASON_IS(raw, WB_REASON_BACKGROUND))
		return reason_background;
	if (WB_REASON_IS(raw, WB_REASON_VMSCAN))
		return reason_vmscan;
	if (WB_REASON_IS(raw, WB_REASON_SYNC))
		return reason_sync;
	if (WB_REASON_IS(raw, WB_REASON_PERIODIC))
		return reason_periodic;
	if (WB_REASON_IS(raw, WB_REASON_LAPTOP_TIMER))
		return reason_laptop_timer;
	if (WB_REASON_IS(raw, WB_REASON_FS_FREE_SPACE))
		return reason_fs_free_space;
	if (WB_REASON_IS(raw, WB_REASON_FORKER_THREAD))
		return reason_forker_thread;
	if (WB_REASON_IS(raw, WB_REASON_FOREIGN_FLUSH))
		return reason_foreign_flush;
	if (WB_REASON_IS(raw, WB_REASON_DONTCACHE))
		return reason_dontcache;
	return raw;
}

#endif /* ESTAT_MODULES_VFS_REASON_H */
