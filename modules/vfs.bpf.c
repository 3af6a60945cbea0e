// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vfs: what programs, and the kernel itself, ask of files, on any file system. See bpf/vfs.h.
 */
#include "vfs.h"

ESTAT_MODULE(vfs, 14);

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

ESTAT_TABLE(call, struct key, struct value, 512);
ESTAT_ONE_WRITER(call);

ESTAT_VIEW(vfs, 0, call, "fs device op how", "From the entry of the function of fs/ to its return");
ESTAT_LAYER(vfs, 205);

static __always_inline void vfs_missed(void)
{
	__sync_fetch_and_add(&call_state.missed, 1);
}

/* As include/linux/kdev_t.h has it. */
#define MAJOR(dev) ((dev) >> 20)

static __always_inline bool moves_bytes(enum op op)
{
	return op == op_read || op == op_write || op == op_copy || op == op_clone;
}

/* What one of its mounts is of; NULL if it has none. */
static __always_inline const char *source(struct super_block *sb)
{
	struct list_head *first;
	struct mount *mount = NULL;

	if (bpf_core_field_exists(mount->mnt_instance)) {
		first = BPF_CORE_READ(sb, s_mounts.next);
		mount = (void *)first - bpf_core_field_offset(struct mount, mnt_instance);
	} else {
		mount = BPF_CORE_READ((struct super_block___first *)sb, s_mounts);
	}
	return BPF_CORE_READ(mount, mnt_devname);
}

/*
 * Note what is called by the number of a device that no disk has: what is mounted, if that is a
 * disk by the disk's name. Of tmpfs and overlayfs only the number tells one from the others.
 */
static __always_inline void name_device(struct super_block *sb)
{
	const char *text = NULL;
	char first[6] = {};

	if (sb->s_bdi->capabilities & BDI_CAP_WRITEBACK)
		text = source(sb);
	if (text)
		bpf_probe_read_kernel_str(first, sizeof(first), text);
	if (estat_same(first, "/dev/", 5, 1))
		text = (const char *)__builtin_preserve_access_index(&sb->s_id);
	estat_name(sb->s_dev, text);
}

static __noinline int name(struct super_block *sb, const struct key *key)
{
	estat_name(key->fs, sb->s_type->name);
	if (!MAJOR(key->device))
		name_device(sb);
	return 0;
}

static __always_inline void vfs_ended(struct super_block *sb, const struct operation *o)
{
	struct key key = {
		.fs = NUMBER_OF(sb->s_type),
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
		return;
	if (o->result < 0) {
		if (o->result == -EAGAIN)
			estat_add(v->eagain, 1);
		else if (o->result == -EIOCBQUEUED)
			estat_add(v->queued, 1);
		else
			estat_add(v->errors, 1);
		return;
	}
	estat_count_latency(v, o->ns);
	if (!moves_bytes(o->op))
		return;
	estat_add(v->bytes, o->result);
	estat_count(v->size, estat_size_bucket(o->result));
	call_count_by_size(&key, o->ns, o->result);
}
