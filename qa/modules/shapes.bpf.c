// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Axes, fields and parameters of events of most kinds, for qa/unit. Each request of an odd number
 * of sectors to a disk of 21 MiB makes an event and sets gauges: no other test makes such requests.
 */
#include "aggregate.bpf.h"
#include "block/types.bpf.h"
#include "event.bpf.h"

ESTAT_MODULE(shapes, 0);

enum color {
	color_red,
	color_dark_blue = 7,
	colorless, /* begins with the enum's name, but no _ follows: its text is the whole name */
};

enum level {
	level_low = -2,
	level_high = 5,
};

enum __attribute__((packed)) tiny {
	tiny_small = 3,
	tiny_large = 200,
};

struct shapes_key {
	char text[16];
	unsigned char letter[1];
	estat_dev_t disk;
	enum color color;
	enum level level;
	enum tiny tiny;
};

struct shapes_value {
	struct estat_io;
	estat_count_t retries ESTAT_FIELD(17, "Retries");
	struct estat_latency queue ESTAT_GROUP(1, "Time in the queue");
	struct {
		estat_bytes_t bytes;
		estat_size_t request_size ESTAT_NUMBER(30);
	} cache ESTAT_NUMBER(4);
};

ESTAT_SERIES(shapes, 0, struct shapes_key, struct shapes_value, 10, "From here to there");

struct number_key {
	__u8 u8;
	__u16 u16;
	__u32 u32;
	__u64 u64;
	__s8 s8;
	__s16 s16;
	__s32 s32;
	__s64 s64;
};

struct number_value {
	estat_nsec_t busy ESTAT_NUMBER(17);
	estat_max_t longest ESTAT_HELP("Longest time busy");
	estat_sumsq_t squares ESTAT_NUMBER(18);
	estat_gauge_t sectors ESTAT_FIELD(19, "Sectors of the last request");
	estat_gauge_bytes_t request_bytes ESTAT_NUMBER(20);
	estat_gauge_nsec_t time ESTAT_NUMBER(21);
	estat_gauge_share_t share ESTAT_NUMBER(22);
	estat_gauge_t never ESTAT_NUMBER(23);
};

ESTAT_SERIES(numbers, 3, struct number_key, struct number_value, 1000, "Numbers");

struct event {
	char text[16] ESTAT_PARAMETER(1, "A text");
	estat_dev_t disk ESTAT_NUMBER(2);
	enum color color ESTAT_NUMBER(3);
	__s16 number ESTAT_NUMBER(4);
	estat_count_t sectors ESTAT_PARAMETER(5, "Sectors");
	estat_bytes_t bytes ESTAT_NUMBER(6);
	estat_nsec_t time ESTAT_NUMBER(7);
	estat_share_t share ESTAT_NUMBER(8);
};

ESTAT_EVENTS(struct event, 8,
	     "One for each request of an odd number of sectors to a disk of 21 MiB");
ESTAT_LAYOUT(events, "    text  sectors\n{text:12} {sectors:4}");

ESTAT_LAST(struct event, "The same records");

struct block_device___shapes {
	__u64 bd_nr_sectors;
} __attribute__((preserve_access_index));

static bool is_odd(struct request *rq, __u32 bytes)
{
	struct block_device___shapes *whole = (void *)rq->q->disk->part0;

	return bytes % 1024 == 512 && whole->bd_nr_sectors == 21 << 11;
}

static void odd_request(struct request *rq, __u32 bytes, struct number_value *v)
{
	struct gendisk *disk = rq->q->disk;
	struct event *e = estat_event_begin(), *last = estat_last_begin();

	if (!e || !last)
		return;
	__builtin_memcpy(e->text, "odd request", sizeof("odd request"));
	e->disk = disk->major << 20 | disk->first_minor;
	e->color = color_dark_blue;
	e->number = -1;
	e->sectors = bytes / 512;
	e->bytes = bytes;
	e->time = bpf_ktime_get_ns();
	e->share = estat_share(e->sectors, 64);
	*last = *e;
	estat_last_end(last);
	estat_event_end(e);

	estat_set(v->sectors, e->sectors);
	estat_set(v->request_bytes, bytes);
	estat_set(v->time, e->time);
	estat_set(v->share, e->share);
}

SEC("tp_btf/block_rq_complete")
int shapes_count(__u64 *ctx)
{
	struct shapes_key key = {};
	struct number_key number = {};
	struct shapes_value *v = shapes_get(&key);
	char name[16]; /* its comparison with "dd" adds .rodata.str1.1 to the object */
	struct number_value *n = numbers_get(&number);
	struct request *rq = (struct request *)ctx[0];
	__u32 bytes = ctx[2];

	bpf_get_current_comm(name, sizeof(name));
	if (v && !bpf_strncmp(name, sizeof(name), "dd"))
		estat_add(v->retries, 1);
	if (n)
		estat_add(n->busy, 1);
	if (n && is_odd(rq, bytes))
		odd_request(rq, bytes, n);
	return 0;
}
