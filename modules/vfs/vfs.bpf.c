// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vfs: what programs, and the kernel itself, ask of files, on any file system. See
 * modules/vfs/vfs.bpf.h.
 */
/* Of file systems and where they are mounted from, as many as keys; they are noted in interrupts.
 */
#define ESTAT_NAMES       1024
#define ESTAT_NAMES_FLAGS 0

#include "mounted.bpf.h"
#include "vfs.bpf.h"

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
		17, "Number of times that one was told to try again (EAGAIN), for it was not to\n"
		    "wait and would have had to; neither operations nor errors");
	estat_count_t queued ESTAT_FIELD(
		18, "Number of operations that went on after the call had returned\n"
		    "(EIOCBQUEUED), and whose end was not seen; neither operations nor errors");
};

ESTAT_TABLE(call, struct key, struct value, 1024);
ESTAT_ONE_WRITER(call);

ESTAT_VIEW(vfs, 0, call, "fs device op how",
	   "From the entry of the function of fs/ that does it to its return: reads and writes\n"
	   "from vfs_read, vfs_write, vfs_readv, vfs_writev and, for the kernel itself (nfsd,\n"
	   "exec, overlayfs), vfs_iter_read, vfs_iocb_iter_read, __kernel_read and those for\n"
	   "writes; splice and sendfile a pipe's worth at a time (do_splice_read,\n"
	   "vfs_splice_read or do_splice_to; iter_file_splice_write); of aio from\n"
	   "aio_read or aio_write to\n"
	   "aio_complete_rw, of io_uring from the first io_read or io_write to the result, be it\n"
	   "there or in io_complete_rw, with the wait for a worker; one that waits as its process\n"
	   "is killed, or that is cancelled then, is an error. copy (vfs_copy_file_range)\n"
	   "and clone (vfs_clone_file_range) count where they copy to, and not the splices that\n"
	   "they are made of. fsync (vfs_fsync_range, vfs_fsync\n"
	   "or the system call, the innermost that its compiler left the kernel) is fdatasync and\n"
	   "msync, too. open and\n"
	   "create (do_filp_open, in 7.3 do_file_open) have the look-up of the path with them,\n"
	   "and fail uncounted, for they have no file then; create is vfs_create as well. mkdir,\n"
	   "rmdir, unlink, rename, link and symlink (vfs_mkdir, ...) have no look-up; getdents is\n"
	   "iterate_dir, fallocate vfs_fallocate.\n"
	   "Of regular files, directories and block devices, in file systems that have a device\n"
	   "or a writeback of their own (btrfs, network file systems, FUSE, ZFS), in tmpfs and in\n"
	   "overlayfs; so pipes, sockets, terminals, /proc, /sys and the like do not count. What\n"
	   "overlayfs asks of the file system below counts there, too: total has it twice.\n"
	   "device is the disk that is mounted, or else what is (server:/export), or the number\n"
	   "that /proc/self/mountinfo has. how: does it go past the page cache (O_DIRECT), does\n"
	   "the write wait for the disk (O_SYNC, O_DSYNC, RWF_SYNC, RWF_DSYNC, mount -o sync).\n"
	   "The flush by which such a write ends is no fsync of its own, but that of one of aio\n"
	   "or io_uring is. A read at the end of a file counts, of 0 bytes.\n"
	   "What a fileio LUN of the target of iSCSI does with its file counts, but for one with\n"
	   "async I/O.\n"
	   "Not in it: pages of mapped files, stat(2), what is read and written by loop devices\n"
	   "(up to Linux 6.1 without direct I/O it counts) and by the target of NVMe, which call\n"
	   "the file system by themselves, and operations under way as the probes come.\n"
	   "Linux 5.15 to 7.3, where programs can be attached by fentry");
/* The backend of iSCSI waits for it with fileio (drivers/target/target_core_file.c, fd_do_rw). */
ESTAT_LAYER(vfs, 205, "nfs iscsi.backend");

static __always_inline void vfs_begun(__u64 iocb)
{
}

static __always_inline int vfs_missed(void)
{
	__sync_fetch_and_add(&call_state.missed, 1);
	return 0;
}

static __noinline int name(struct super_block *sb, const struct key *key)
{
	estat_name(key->fs, BPF_CORE_READ(sb, s_type, name));
	estat_name_mounted(key->device, sb);
	return 0;
}

static __noinline int vfs_ended(struct super_block *sb, const struct operation *o)
{
	struct key key = {
		.fs = o->fs,
		.device = o->device,
		.op = o->op,
		.how = o->how,
		.by = o->by,
	};
	struct value *v = call_find(&key);

	if (!v) {
		name(sb, &key);
		v = call_insert(&key);
	}
	if (!v)
		return 0;
	if (o->result < 0) {
		if (o->result == -EAGAIN)
			estat_add(v->eagain, 1);
		else if (o->result == -EIOCBQUEUED)
			estat_add(v->queued, 1);
		else
			estat_add(v->errors, 1);
		return 0;
	}
	estat_count_latency(v, o->ns);
	if (!moves_bytes(o->op))
		return 0;
	estat_add(v->bytes, o->result);
	estat_count(v->size, estat_size_bucket(o->result));
	call_count_by_size(&key, o->ns, o->result);
	return 0;
}

/* A file system is unmounted: another one can get its device's number. */
SEC("fentry/shrink_dcache_for_umount")
int vfs_unmounted(__u64 *ctx)
{
	estat_name_gone(((struct super_block *)ctx[0])->s_dev);
	return 0;
}

SEC("fentry/unregister_filesystem")
int vfs_unregistered(__u64 *ctx)
{
	estat_name_gone(NUMBER_OF(ctx[0]));
	return 0;
}
