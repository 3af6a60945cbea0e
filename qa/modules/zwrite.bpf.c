// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zwrite: calls of zfs_write, a function of a kernel module that a test loads and unloads while the
 * agent runs.
 */
#include "calls.h"
#include "return.bpf.h"
#include "zfs/zfs.bpf.h"

ESTAT_MODULE(zwrite, 0);
ESTAT_NEEDS_ZFS;
CALLS(zwrite, "zfs_write")

ESTAT_CALL(zwrite_return, zfs_write, 4, estat_every_call)
{
	return zwrite_count();
}
