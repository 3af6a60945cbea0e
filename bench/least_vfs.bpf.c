// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The module least_vfs: the least that a module of reads and writes of files can do, to measure
 * what the rest of vfs costs. It counts, by operation, operations and a histogram of latency of
 * regular files. It has neither file system, disk, bytes, sums, maximum nor sizes, and does not
 * know which operations are under way.
 */
#include <linux/stat.h>

#include "inflight.bpf.h"
#include "least.bpf.h"
#include "vfs/types.bpf.h"

ESTAT_MODULE(least_vfs, 0);

enum op {
	op_read,
	op_write,
};

struct key {
	enum op op;
};

ESTAT_ONE_WRITER(least_vfs);
ESTAT_SERIES(least_vfs, 0, struct key, struct value, 8,
	     "From the entry of vfs_read or vfs_write to its return");

ESTAT_INFLIGHT(calls, SETS, 1024);

static __always_inline bool is_regular(struct file *file)
{
	return (file->f_inode->i_mode & S_IFMT) == S_IFREG;
}

static __always_inline int enters(struct file *file)
{
	if (is_regular(file))
		calls_begin(bpf_get_current_task(), bpf_ktime_get_ns());
	return 0;
}

static __always_inline int returns(struct file *file, enum op op)
{
	__s64 ns = is_regular(file) ? calls_take(bpf_get_current_task(), bpf_ktime_get_ns()) : -1;
	struct key key = { op };

	if (ns < 0)
		return 0;
	return least_count(least_vfs_get(&key), ns);
}

SEC("fentry/vfs_read")
int least_read_enters(__u64 *ctx)
{
	return enters((struct file *)ctx[0]);
}

SEC("fexit/vfs_read")
int least_read_returns(__u64 *ctx)
{
	return returns((struct file *)ctx[0], op_read);
}

SEC("fentry/vfs_write")
int least_write_enters(__u64 *ctx)
{
	return enters((struct file *)ctx[0]);
}

SEC("fexit/vfs_write")
int least_write_returns(__u64 *ctx)
{
	return returns((struct file *)ctx[0], op_write);
}
