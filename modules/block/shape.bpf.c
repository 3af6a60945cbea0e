// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * shape: the pattern of the bios that arrive at a block device, by device and operation: the time
 * and the distance from one bio to the next, and how many bios are under way.
 */
#define is_not_drawn(id) false
#define bio_end_time()   0
#include "bio_end.bpf.h"
#include "disk.bpf.h"

ESTAT_MODULE(shape, 31);
ESTAT_EVIDENCE("/sys/block/*/mq/../stat", "");
ESTAT_ON_DEMAND;

struct shape_value {
	struct estat_latency;
	estat_bytes_t bytes ESTAT_HELP("Bytes of the bios");
	estat_size_t size ESTAT_HELP("Histogram of size: number of bios by bytes");
	struct {
		estat_count_t ops ESTAT_HELP("Number of bios of more than 0 bytes");
		estat_count_t sequential ESTAT_FIELD(
			17, "Number of bios that begin where the previous bio of the disk ends");
		estat_size_t distance ESTAT_FIELD(
			18, "Histogram of distance: number of bios by the bytes from the previous "
			    "bio's end to the bio's begin, forward or backward");
	} seek ESTAT_GROUP(
		1, "The distance on the disk from the end of the previous bio to the begin\n"
		   "of a bio, both of more than 0 bytes. The two bios can have different\n"
		   "operations. The first such bio of a disk does not count");
	struct {
		estat_size_t number ESTAT_FIELD(
			17, "Histogram of number: number of bios by how many other bios of the "
			    "disk were under way when the bio arrived");
	} under_way ESTAT_GROUP(2,
				"Other bios of the disk that are under way when a bio arrives.\n"
				"A bio that was split is under way until the part with its last\n"
				"sectors ends; on a device without requests, until all parts end");
};

ESTAT_ONE_WRITER(shape);
ESTAT_SERIES(
	shape, 0, struct key, struct shape_value, 200,
	"The latency of a bio is the time since the previous bio arrived at the same block\n"
	"device. The two bios can have different operations. A bio arrives at tracepoint\n"
	"block_bio_queue, after a wait for io.max; a bio that is split arrives once. A device's\n"
	"first bio after the module is attached does not count. If bios arrive on several CPUs at\n"
	"once, the order in which they count can differ from the order in which they arrived. I/O\n"
	"to a partition counts for its disk. Linux 5.15 to 7.3");
ESTAT_LAYOUT(shape, "rows {op}");

/* What is known of a disk, by the disk's number. */
struct disk_state {
	__u64 began;     /* any time after the attachment: disks_find() finds no older state */
	__u64 under_way; /* number of the disk's entries in `submitted` */
	__u64 arrived;   /* when the latest bio arrived; 0: no bio has arrived */
	__u64 end;       /* the sector after the latest bio of more than 0 bytes; 0: no such bio */
};

ESTAT_INFLIGHT(disks, HASH, __u32, struct disk_state, 1024);

/* A bio under way. */
struct bio_begun {
	__u64 id; /* the bio's address */
	__u64 began;
	__u64 disk;
};

ESTAT_INFLIGHT(submitted, TABLE, struct bio_begun, 16384, bio_home);

/* The state of the disk with this number, made anew if there is none; NULL: there is no room. */
static __noinline struct disk_state *state_of(__u32 number)
{
	struct disk_state *disk = disks_find(number), new = { .began = estat_any_time() };

	if (disk)
		return disk;
	disks_begin(number, &new);
	return bpf_map_lookup_elem(&disks, &number);
}

/* A bio of the disk with this number has ended, or has lost its entry in `submitted`. */
static __noinline int bio_leaves(__u32 number)
{
	struct disk_state *disk = bpf_map_lookup_elem(&disks, &number);

	if (disk)
		__sync_fetch_and_add(&disk->under_way, -1);
	return 0;
}

/*
 * Store a bio. Returns how many other bios of the disk are under way; 0 also if the bio gets no
 * entry. Not static, so the verifier checks the function once.
 */
__noinline __u64 shape_begin(__u32 number, __u64 id, __u64 now)
{
	struct disk_state *disk = bpf_map_lookup_elem(&disks, &number);
	struct bio_begun *b = disk ? submitted_begin(id) : NULL;

	if (!b)
		return 0;
	/*
	 * if `began` is a time since the attachment, a bio loses this entry: an older bio at the
	 * same address, which ended unseen, or, if no entry tried for `id` was free, the oldest bio
	 * of these entries; a free entry has 0 as `began`
	 */
	if (estat_since_attach(b->began))
		bio_leaves(b->disk);
	b->disk = number;
	b->began = now;
	return __sync_fetch_and_add(&disk->under_way, 1);
}

static __always_inline void count(struct shape_value *v, __u64 ns, __u64 under_way, __s64 distance,
				  __u32 bytes)
{
	estat_count_latency(v, ns);
	estat_add(v->bytes, bytes);
	estat_count(v->size, estat_size_bucket(bytes));
	estat_count(v->under_way.number, estat_size_bucket(under_way));
	if (distance < 0)
		return;
	estat_add(v->seek.ops, 1);
	estat_add(v->seek.sequential, !distance);
	estat_count(v->seek.distance, estat_size_bucket(distance));
}

SEC("tp_btf/block_bio_queue")
int shape_arrival(__u64 *ctx)
{
	struct bio *bio = (struct bio *)ctx[0];
	struct key key = key_by(bio->bi_bdev->bd_disk, bio_op(bio));
	__u64 now = bpf_ktime_get_ns(), last, ns, under_way, begins = bio->bi_iter.bi_sector, ended;
	__u32 bytes = bio->bi_iter.bi_size;
	struct disk_state *disk = state_of(key.disk);
	__s64 distance = -1;
	struct shape_value *v;

	if (!disk)
		return 0;
	ended = bytes ? __sync_lock_test_and_set(&disk->end, begins + (bytes >> 9)) : 0;
	if (ended)
		distance = (begins < ended ? ended - begins : begins - ended) << 9;
	last = __sync_lock_test_and_set(&disk->arrived, now);
	under_way = shape_begin(key.disk, estat_id(bio), now);
	if (!last)
		return 0;
	ns = now > last ? now - last : 0;
	v = ESTAT_GET_NAMED(shape, &key, note_hidden(bio->bi_bdev->bd_disk));
	if (v)
		count(v, ns, under_way, distance, bytes);
	shape_count_by_size(&key, ns, bytes);
	return 0;
}

/*
 * __weak, because otherwise clang drops the unused arguments, and then the verifier refuses calls.
 */
__weak int bio_end(__u64 id, __u64 failed, __u64 request, __u64 now)
{
	struct bio_begun *b = submitted_find(id);
	__u32 number = b ? b->disk : 0;

	return b && submitted_free(b, id) ? bio_leaves(number) : 0;
}
