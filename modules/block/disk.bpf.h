/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keys of disk and operation, for the modules of the block layer. */
#ifndef ESTAT_MODULES_BLOCK_DISK_H
#define ESTAT_MODULES_BLOCK_DISK_H

/*
 * How many names estat_names has room for, at least (name.bpf.h): those of hidden disks, and any
 * others in the module's keys, such as NVMe controllers. The map's flags are 0, which allocates the
 * names' memory at load, because BPF programs note names in interrupts, too.
 */
#define ESTAT_NAMES       200
#define ESTAT_NAMES_FLAGS 0

#include "aggregate.bpf.h"
#include "name.bpf.h"
#include "types.bpf.h"

/*
 * The constants begin at 256, above the kernel's numbers. An operation that is missing here keeps
 * the kernel's number N, with the text op_N.
 */
enum op {
	op_read = 256,
	op_write,
	op_flush,
	op_discard,
	op_secure_erase,
	op_write_zeroes,
	op_zone_append,
	op_zone_open,
	op_zone_close,
	op_zone_finish,
	op_zone_reset,
	op_zone_reset_all,
	op_driver_in,
	op_driver_out,
};

struct key {
	estat_dev_t disk;
	enum op op;
};

/*
 * Not static, so the verifier takes the result for any number, and does not check the code that
 * follows once for each value.
 */
__noinline enum op op_of_other(__u8 raw)
{
	switch (raw) {
	case REQ_OP_FLUSH:
		return op_flush;
	case REQ_OP_DISCARD:
		return op_discard;
	case REQ_OP_SECURE_ERASE:
		return op_secure_erase;
	case REQ_OP_WRITE_ZEROES:
		return op_write_zeroes;
	case REQ_OP_DRV_IN:
		return op_driver_in;
	case REQ_OP_DRV_OUT:
		return op_driver_out;
	}
	if (REQ_OP_IS(raw, REQ_OP_ZONE_APPEND))
		return op_zone_append;
	if (REQ_OP_IS(raw, REQ_OP_ZONE_OPEN))
		return op_zone_open;
	if (REQ_OP_IS(raw, REQ_OP_ZONE_CLOSE))
		return op_zone_close;
	if (REQ_OP_IS(raw, REQ_OP_ZONE_FINISH))
		return op_zone_finish;
	if (REQ_OP_IS(raw, REQ_OP_ZONE_RESET))
		return op_zone_reset;
	if (REQ_OP_IS(raw, REQ_OP_ZONE_RESET_ALL))
		return op_zone_reset_all;
	return raw;
}

static __always_inline enum op op_of(__u8 raw)
{
	return raw <= REQ_OP_WRITE ? op_read + raw : op_of_other(raw);
}

static __always_inline estat_dev_t dev_of(struct gendisk *disk)
{
	return disk->major << 20 | disk->first_minor;
}

/* Does what dev_of() does, for a pointer whose type the verifier does not know. */
static __always_inline __attribute__((unused)) estat_dev_t dev_at(struct gendisk *disk)
{
	return BPF_CORE_READ(disk, major) << 20 | BPF_CORE_READ(disk, first_minor);
}

static __always_inline struct key key_by(struct gendisk *disk, enum op op)
{
	struct key key = { .op = op };

	if (disk)
		key.disk = dev_of(disk);
	return key;
}

/*
 * Has a disk's device no number? Hidden disks have no number (GENHD_FL_HIDDEN in block/genhd.c).
 * Hidden are the paths of NVMe multipath, and NVMe namespaces with a feature that Linux does not
 * support. A disk that is being added has no number yet.
 */
static __always_inline bool is_hidden(struct gendisk *disk)
{
	return !disk->part0->bd_device.devt;
}

/* If a disk is hidden, store its name, because sysfs does not list a hidden disk by number. */
static __noinline __attribute__((unused)) int note_hidden(struct gendisk *disk)
{
	if (!disk || BPF_CORE_READ(disk, part0, bd_device.devt))
		return 0;
	return estat_name_numbered(dev_at(disk), disk->disk_name, BPF_CORE_READ(disk, diskseq));
}

/* The operation of a bio. A write of 0 bytes is a flush. */
static __always_inline enum op bio_op(struct bio *bio)
{
	enum op op = op_of(bio->bi_opf);

	return op == op_write && !bio->bi_iter.bi_size ? op_flush : op;
}

/* The disk of a request of the queue `q`. */
static __always_inline struct gendisk *disk_of(struct request *rq, struct request_queue *q)
{
	if (bpf_core_field_exists(q->disk))
		return q->disk;
	return ((struct request___rq_disk *)rq)->rq_disk;
}

/* Is the request a driver's own command? Commands of user space, such as by SG_IO, are, too. */
static __always_inline bool is_drivers_own(struct request *rq)
{
	__u8 raw = rq->cmd_flags;

	return raw == REQ_OP_DRV_IN || raw == REQ_OP_DRV_OUT;
}

#endif /* ESTAT_MODULES_BLOCK_DISK_H */
