/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the modules of the block layer have in common: keys of disk and operation.
 */
#ifndef ESTAT_DISK_H
#define ESTAT_DISK_H

#include "estat.h"
#include "types/block.h"

/*
 * Named operations are numbered from 256, apart from the kernel's own 8-bit
 * numbers: one that has no name here keeps its number and prints as op_N.
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

static __always_inline enum op op_of(__u8 raw)
{
	switch (raw) {
	case REQ_OP_READ:
		return op_read;
	case REQ_OP_WRITE:
		return op_write;
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

static __always_inline struct key key_by(struct gendisk *disk, enum op op)
{
	struct key key = { .op = op };

	if (disk)
		key.disk = disk->major << 20 | disk->first_minor;
	return key;
}

#endif /* ESTAT_DISK_H */
