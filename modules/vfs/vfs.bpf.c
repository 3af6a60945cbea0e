// SPDX-License-Identifier: GPL-2.0-or-later
/* vfs: operations of processes and of the kernel itself on files, directories, block devices. */

#define VFS_POSITIONS
#include "async.bpf.h"
#include "named.bpf.h"
#include "under_way.bpf.h"
#include "vfs.bpf.h"
#include "others.bpf.h"

ESTAT_MODULE(vfs, 14);
ESTAT_ON_DEMAND;
ESTAT_EVIDENCE_OWN_READS;

struct key {
	estat_name_t fs;
	estat_dev_t device;
	enum op op;
	enum how how;
	enum by by;
};

struct value {
	struct estat_io;
	estat_count_t eagain ESTAT_FIELD(
		17, "Number of times that an operation returned EAGAIN, as with RWF_NOWAIT; such\n"
		    "calls count neither as operations nor as errors");
	estat_count_t queued ESTAT_FIELD(
		18, "Number of operations that continued after the call had returned\n"
		    "(EIOCBQUEUED), so that the module did not see their end; they count neither\n"
		    "as operations nor as errors");
	struct estat_inflight;
};

ESTAT_TABLE(call, struct key, struct value, 1024);
ESTAT_ONE_WRITER(call);

#include "vfs_slow.bpf.h"

ESTAT_VIEW(
	vfs, 0, call, "fs device op how",
	"From the entry of the function in fs/ that does the operation to its return. read,\n"
	"write: vfs_read, vfs_write, vfs_readv, vfs_writev and, for the kernel itself (nfsd,\n"
	"exec, overlayfs), vfs_iter_read, vfs_iocb_iter_read, __kernel_read and the functions for\n"
	"writes; for splice and sendfile do_splice_read, vfs_splice_read or do_splice_to, and\n"
	"iter_file_splice_write, so one operation moves at most what a pipe holds. aio: from\n"
	"aio_read or aio_write to aio_complete_rw. io_uring: from the first io_read or io_write\n"
	"to the result, which comes at the return of that function or in io_complete_rw; a wait\n"
	"for a worker is included. A waiting request of io_uring that is cancelled, or whose\n"
	"process is killed, is an error.\n"
	"copy (vfs_copy_file_range), clone (vfs_clone_file_range): count for the target file; the\n"
	"splices that do the copy do not count. fsync: also fdatasync and msync (vfs_fsync_range,\n"
	"vfs_fsync or the system call: the innermost that the compiler did not inline). open,\n"
	"create (do_filp_open, in 7.2 and 7.3 do_file_open): with the look-up of the path; a\n"
	"failed open does not count, because it has no file; calls of vfs_create count as create,\n"
	"too. mkdir, rmdir, unlink, rename, link, symlink (vfs_mkdir, ...): without the look-up.\n"
	"getdents is iterate_dir, fallocate is vfs_fallocate.\n"
	"Counted are regular files, directories and block devices, in file systems with a device\n"
	"or writeback of their own (btrfs, network file systems, FUSE, ZFS), in tmpfs and in\n"
	"overlayfs; not pipes, sockets, terminals, /proc, /sys and the like. An operation of\n"
	"overlayfs on the file system below counts there, too: total has it twice. device is the\n"
	"mounted disk, or the mounted source (server:/export), or the number in\n"
	"/proc/self/mountinfo; of an operation on a block device itself it is that device. how\n"
	"says whether the operation bypasses the page cache (O_DIRECT) and whether a write waits\n"
	"for the disk (O_SYNC, O_DSYNC, RWF_SYNC, RWF_DSYNC, mount -o sync). The flush at the end\n"
	"of such a write does not count as fsync, except in aio and io_uring. A read at the end\n"
	"of a file counts, with 0 bytes. I/O of an iSCSI target's fileio LUN counts for the LUN's\n"
	"file, except with async I/O.\n"
	"An open under way counts for the file system in which its look-up is, as open even if it\n"
	"is to create the file.\n"
	"Not counted: pages of mapped files; stat(2); I/O of loop devices and of the NVMe target,\n"
	"which call the file system directly (but on older kernels, such as Linux 6.1, a loop\n"
	"device without direct I/O counts); the time for which a request of aio waits in\n"
	"io_submit(2) until the requests before it are submitted; operations that began before\n"
	"the module was attached.\n"
	"A slow operation's record has the file's name, the offset in the file at which a read or\n"
	"write began, and the process. The process is not known for aio. The offset is not known\n"
	"for aio and io_uring in file systems without a disk and, before Linux 5.17, for most\n"
	"other operations. The record has no stages: estat.wait tells what operations wait for.\n"
	"Linux 5.15 to 7.3, on kernels where BPF programs can be attached by fentry");
/*
 * The layer iscsi.backend is above vfs: fileio calls vfs (fd_do_rw in
 * drivers/target/target_core_file.c).
 */
ESTAT_LAYER(vfs, 205, "nfs iscsi.backend");

static __noinline int vfs_ended(struct super_block *sb, const struct operation *o)
{
	struct key key = { o->fs, o->device, o->op, o->how, o->by };
	struct value *v = ESTAT_GET_NAMED(call, &key, name_place(sb, key.fs, key.device));

	if (!v)
		return 0;
	if (o->result == -EAGAIN) {
		estat_add(v->eagain, 1);
		return 0;
	}
	if (o->result == -EIOCBQUEUED) {
		estat_add(v->queued, 1);
		return 0;
	}
	if (count_operation((struct estat_io *)v, o))
		call_count_by_size(&key, o->ns, o->result);
	if (call_is_slow(v, o->ns))
		vfs_record(&key, o);
	return 0;
}

static __always_inline bool key_under_way(const struct estat_begun *e, struct key *key)
{
	struct operation o = {};
	struct super_block *sb = under_way(e, &o);

	if (!sb)
		return false;
	*key = (struct key){ o.fs, o.device, o.op, o.how, o.by };
	if (!call_find(key))
		name_place(sb, key->fs, key->device);
	return true;
}

ESTAT_WALK(operations, call, struct key, key_under_way, tell);
