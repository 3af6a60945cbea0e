/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contract between a module (kernel side) and the agent (user side). Both include this file.
 * The agent learns from the module's BTF what the module counts: the type of a member, one of the
 * typedefs below, says what the member is.
 */
#ifndef ESTAT_BPF_ABI_H
#define ESTAT_BPF_ABI_H

/* The agent rejects a module that was built with another ESTAT_ABI_VERSION. */
#define ESTAT_ABI_VERSION 6

/*
 * Exported latency buckets: nine a decade. Bucket 0 is [0, 1) us. The next begin at 1, 2, ... 9,
 * 10, 20, ... 90, 100, ... 9000000 us. The last is [10 s, inf).
 */
#define ESTAT_LATENCY_BUCKETS 65
#define ESTAT_LATENCY_LAST    (ESTAT_LATENCY_BUCKETS - 1)
#define ESTAT_LATENCY_INF_NS  10000000000ULL

/*
 * Fine latency buckets, in which BPF programs count: thirty a decade. Their edges have at most two
 * significant digits (estat_fine_digits) and include all edges of the exported buckets. From 1 us
 * to 10 s a bucket's width is at most 11.2% of its lower edge, so a percentile in that range is
 * within 11.2% of the true percentile.
 */
#define ESTAT_FINE_DECADE  30
#define ESTAT_FINE_BUCKETS (7 * ESTAT_FINE_DECADE + 2)
#define ESTAT_FINE_LAST    (ESTAT_FINE_BUCKETS - 1)

/* Size buckets, bytes: bucket 0 is [0, 1), bucket i is [2^(i-1), 2^i), the last is [2^30, inf). */
#define ESTAT_SIZE_BUCKETS 32
#define ESTAT_SIZE_LAST    (ESTAT_SIZE_BUCKETS - 1)

/* Prefix of the BTF declaration tag that holds the number of a series, view or member. */
#define ESTAT_NUMBER_TAG "number:"

/* Sizes of buffers for names: bytes of the longest name, with the final NUL. */
#define ESTAT_NAME_LEN     32 /* most bytes of a module's or series' name, with the NUL */
#define ESTAT_FUNCTION_LEN 64 /* most bytes of a function's name, with the NUL */

typedef unsigned int estat_u32;
typedef unsigned long long estat_u64;

/* Types of members of a value struct. */
typedef estat_u64 estat_count_t; /* counter of events */
typedef estat_u64 estat_bytes_t; /* counter of bytes */
typedef estat_u64 estat_nsec_t;  /* counter of nanoseconds */
typedef estat_u64 estat_max_t;   /* highest latency ever, nanoseconds */
typedef struct {                 /* 128-bit sum of the squares of latencies in nanoseconds */
	estat_u64 lo;
	estat_u64 hi;
} estat_sumsq_t;
typedef estat_u64 estat_latency_t[ESTAT_FINE_BUCKETS];
typedef estat_u64 estat_size_t[ESTAT_SIZE_BUCKETS];

/*
 * A gauge. estat_set() stores a value and its stamp in this CPU's shard; the agent exports the
 * value with the newest stamp of all shards. A gauge that was never set has no value.
 */
struct estat_gauge {
	estat_u64 stamp; /* when the value was set, CLOCK_MONOTONIC nanoseconds; 0: never */
	estat_u64 value;
};
typedef struct estat_gauge estat_gauge_t;       /* a number */
typedef struct estat_gauge estat_gauge_bytes_t; /* bytes */
typedef struct estat_gauge estat_gauge_nsec_t;  /* nanoseconds */
typedef struct estat_gauge estat_gauge_share_t; /* a fraction, as in estat_share_t */

/*
 * Gauges that only the BPF program estat_walk sets, without estat_set(). The stamp is the time of
 * the walk. When the agent adds up keys, only gauges with the newest stamp count: the agent adds up
 * estat_under_way_t and estat_ages_t, and takes the highest estat_oldest_t.
 */
typedef struct estat_gauge estat_under_way_t; /* the number of operations under way */
/* the age of the oldest operation under way, see ESTAT_TOLD_BITS */
typedef struct estat_gauge estat_oldest_t;
/*
 * The sum of the ages of the key's operations under way, nanoseconds. The agent exports a counter,
 * which never falls: this sum plus the member latency_sum of the same group.
 */
typedef struct estat_gauge estat_ages_t;

/*
 * The value of an estat_oldest_t: the age in microseconds << ESTAT_TOLD_BITS, plus n. The walk's
 * details of the operation are in estat_all_told.operations[n - 1]. If n is 0, there are none.
 */
#define ESTAT_TOLD_BITS 8
#define ESTAT_TOLD_MASK ((1 << ESTAT_TOLD_BITS) - 1)
/*
 * A walk stores details of at most so many operations: for each key, and each group with an
 * estat_oldest_t, of the oldest operation, if its age is at least ESTAT_TELL_US. A power of two.
 */
#define ESTAT_TOLD 16

/*
 * Details of an operation under way, which a walk stores (told.bpf.h). 0 or "": the operation has
 * no such detail, or the detail is not known.
 */
struct estat_told {
	/* 1 + the number of the first 512-byte sector, as the bio or SCSI command has it */
	estat_u64 sector;
	estat_u64 bytes;
	estat_u64 pid; /* the process's PID in the initial namespace */
	/* number of the journal transaction or txg that the operation writes */
	estat_u64 transaction;
	char command[16]; /* the process's name */
	char file[64];    /* the file's name, without its folders */
	char cgroup[160]; /* the path of the process's or I/O's cgroup */
};

/*
 * The details that a walk has stored: the variable estat_all_told in .bss. A walk that finds no
 * operation leaves the details of an older walk.
 */
struct estat_all_told {
	estat_u64 walk; /* the time of the walk that has stored the details */
	estat_u32 n;    /* how many of `operations` are set */
	/*
	 * 1 + the index in `operations` for the operation that the walk has just counted; 0: the
	 * walk stores no details of that operation
	 */
	estat_u32 last;
	struct estat_told operations[ESTAT_TOLD];
};

/* A fraction, in units of 1/ESTAT_WHOLE; the agent exports it as percent. */
typedef estat_u64 estat_share_t;
#define ESTAT_WHOLE 1000000

/*
 * Latency by size of a slot: row[i][j] counts the operations of size bucket i and latency bucket j.
 * The structs of all slots are in the map NAME_by_size.
 */
struct estat_matrix {
	estat_u64 row[ESTAT_SIZE_BUCKETS][ESTAT_LATENCY_BUCKETS];
};

/* Types of an axis, besides char[N] (text), an enum and an integer. */
/*
 * the kernel's dev_t of a disk, partition or file system; or, from 2^31 on, the number of a SCSI
 * device that is no disk
 */
typedef estat_u32 estat_dev_t;
typedef estat_u64 estat_name_t;    /* an id; its text is in the map estat_names */
typedef estat_u64 estat_cgroup_t;  /* a cgroup's id; its text is the cgroup's path; 0: no cgroup */
typedef estat_u64 estat_charged_t; /* an estat_cgroup_t: the cgroup that the block layer charges */

/*
 * The agent looks up the text of an estat_dev_t in sysfs or, if sysfs does not list the number, in
 * the map estat_names, which can hold:
 * - a disk that sysfs does not list by number: its text is NAME-DISKSEQ. The diskseq tells the disk
 *   from a later disk with the same number or name.
 * - a SCSI device that is no disk: a number of 2^31 or more; its text is HOST:CHANNEL:TARGET:LUN,
 *   as in /sys/bus/scsi/devices.
 * - a file system without a disk: a number with major 0; its text is the mounted source or, of
 *   Btrfs, a disk; for "" the agent shows MAJ:MIN.
 */

/* An IP address; an IPv4 address is stored as ::ffff:a.b.c.d (RFC 4291, 2.5.5.2). */
typedef struct {
	unsigned char octets[16];
} estat_ip_t;

/* The instance of the overflow key, see ESTAT_OVERFLOW. */
#define ESTAT_OVERFLOW_NAME "other"

/* Bytes of a text in struct estat_name, with the NUL. ZFS's names have up to 255 characters. */
#define ESTAT_TEXT_LEN 256

/* Value of the map estat_names: the text of an id. */
struct estat_name {
	/* 1: what the id names is gone; the agent will remove the keys that have the id */
	estat_u32 gone;
	char text[ESTAT_TEXT_LEN];
};

/* A module whose texts are all short, such as names of disks, can use struct estat_short_name. */
#define ESTAT_SHORT_TEXT_LEN 60
struct estat_short_name {
	estat_u32 gone;
	char text[ESTAT_SHORT_TEXT_LEN];
};

/* A module with texts longer than ESTAT_TEXT_LEN uses struct estat_long_name. */
#define ESTAT_LONG_TEXT_LEN 1024
struct estat_long_name {
	estat_u32 gone;
	char text[ESTAT_LONG_TEXT_LEN];
};

/*
 * The variable `estat_module` in .rodata. The module sets the first three members. The agent sets
 * the rest before it loads the object, so that the verifier removes the code of unused features.
 */
struct estat_module {
	estat_u32 abi;     /* ESTAT_ABI_VERSION */
	estat_u32 cluster; /* PMID cluster, 1-1023; 0: the agent chooses */
	char name[ESTAT_NAME_LEN];

	estat_u32 shard_mask; /* number of shards (a power of two) minus 1 */
	unsigned char shared; /* 1: a shard can have two writers at once, additions are atomic */
	unsigned char latency_by_size; /* 1: operations are counted in struct estat_matrix, too */
	estat_u32 sample; /* N of `sample = 1/N` in estat.conf; 1: all operations count */
};

/* A view, the variable estat_view_NAME in .rodata; see ESTAT_VIEW. */
struct estat_view {
	char table[ESTAT_NAME_LEN];
	char axes[64]; /* separated by blanks; may end with "if AXIS=GLOB", see ESTAT_VIEW */
};

/*
 * A layer, the variable estat_layer_NAME in .rodata; see ESTAT_LAYER. The variable's value is the
 * layer's rank, 1 to ESTAT_LAST_RANK, from the top of the storage stack to the bottom. Ranks never
 * change, so leave gaps for new layers:
 *
 *	100	servers: requests of other hosts, and their wait before service
 *	200	file systems and volumes: requests of processes
 *	300	logs and caches below file systems and volumes
 *	400	pools: the queues and devices of a volume manager
 *	500	the block layer: its queues, and the devices below
 */
typedef estat_u32 estat_rank_t;
#define ESTAT_LAST_RANK 999

/*
 * The kernel module whose functions a module probes: the variable `estat_needs` in .rodata, see
 * ESTAT_NEEDS. The variable `estat_also`, see ESTAT_ALSO, has the same type and an empty in_use.
 */
struct estat_needs {
	char module[ESTAT_NAME_LEN]; /* name, as in /sys/module */
	/* glob(7) with {a,b}: a file with such a name exists while the kernel module is in use */
	char in_use[64];
};

/* The evidence of a module, the variable `estat_evidence` in .rodata; see ESTAT_EVIDENCE. */
struct estat_evidence {
	char files[64]; /* glob(7) with {a,b} */
	/* extended regex(7): of each file the last line that matches counts; "": the last line */
	char lines[64];
};

/*
 * Each variable estat_optional_NAME or estat_instead_NAME in .rodata is a list of at most
 * ESTAT_FUNCTIONS kernel functions. See ESTAT_OPTIONAL and ESTAT_INSTEAD.
 */
#define ESTAT_FUNCTIONS 4
struct estat_functions {
	char names[ESTAT_FUNCTIONS][ESTAT_FUNCTION_LEN]; /* unused entries are "" */
	char lacks[ESTAT_FUNCTION_LEN]; /* what the module cannot measure without the functions */
};

/* The value of `lacks` if the module cannot run when the kernel has none of the functions. */
#define ESTAT_REQUIRED "!"

/*
 * A probe, the variable NAME_probe in .rodata. Its BPF programs are NAME_fentry and NAME_kprobe, or
 * NAME_fexit and NAME_kretprobe. The module sets `nargs`. The agent sets `by` and `returns`, then
 * loads at most one of the two programs. If the module itself sets `by` to ESTAT_BY_MULTI, the
 * agent does not change `by`, the second program is NAME_multi, and the first can also be
 * NAME_tracepoint.
 */
struct estat_probe {
	unsigned char nargs;   /* how many arguments the body reads, or ESTAT_MANY_ARGS */
	unsigned char by;      /* enum estat_probe_by */
	unsigned char returns; /* for fexit before Linux 5.17: index of the return value in ctx */
};

#define ESTAT_ARGS      6
#define ESTAT_MANY_ARGS 7 /* the function has more than six arguments; the body can read six */

enum estat_probe_by {
	/* kprobe or kretprobe if the module is attached by kprobes, else fentry or fexit */
	ESTAT_BY_EITHER,
	ESTAT_BY_KPROBE, /* kprobe or kretprobe alone: fentry cannot, or shall not, attach */
	/*
	 * a probe of ESTAT_INSTEAD: a kprobe at the entry of OTHER if the module is attached by
	 * kprobes, else fexit at the returns of FUNCTIONS
	 */
	ESTAT_BY_OTHER,
	/*
	 * kprobe.multi or kretprobe.multi if the module is attached by kprobes and estat_no_multi
	 * is 0, else fentry, fexit or a tracepoint
	 */
	ESTAT_BY_MULTI,
};

/*
 * The kernel's address of a symbol: estat_address_SYMBOL in .rodata. The agent sets the variable
 * before the agent loads the object. 0: the kernel lacks the symbol, does not list the symbol (a
 * data symbol without CONFIG_KALLSYMS_ALL), or hides addresses (kernel.kptr_restrict).
 */
typedef estat_u64 estat_address_t;

/*
 * The value of a kernel enumerator: estat_enumerator_NAME in .rodata. Before the agent loads the
 * object, the agent sets the variable from the kernel's BTF, or to ESTAT_NO_ENUMERATOR if no 32-bit
 * enum there has the enumerator. CO-RE itself finds no enumerators of unnamed enums.
 */
typedef estat_u32 estat_enumerator_t;
#define ESTAT_NO_ENUMERATOR 0xffffffff

/*
 * The BPF program estat_walk, of type raw_tp, looks at operations under way. The agent runs it with
 * three arguments: where to begin, which is 0 and then ESTAT_WALK_STEP more at each run; the time
 * of the walk; and by how many nanoseconds CLOCK_MONOTONIC_RAW is ahead of CLOCK_MONOTONIC. A run
 * returns flags: ESTAT_WALK_END if it was the last run of the walk, ESTAT_WALK_PARTIAL if it left
 * out operations.
 */
#define ESTAT_WALK_STEP    1024
#define ESTAT_WALK_END     1
#define ESTAT_WALK_PARTIAL 2

/* The state of the slots of a series or table: the variable NAME_state in .bss. */
struct estat_state {
	/* operations not counted: no slot was free for their key, and there is no overflow key */
	estat_u64 dropped;
	estat_u32 taken; /* how many times a key has got a slot since the maps were made */
	/* 1: a BPF program found no free slot; the agent or BPF program that frees one stores 0 */
	estat_u32 full;
	/* once `taken` has reached this number, a BPF program wakes the agent, which adds pages */
	estat_u32 wake;
	/*
	 * 1: the agent has been woken, has no page to add, or cannot be woken (wake_is_safe()); 0:
	 * a BPF program wakes the agent once `taken` has reached `wake`
	 */
	estat_u32 woken;
};

/*
 * The focus of the module `trace`, the variable estat_focus in .bss: the process or cgroup whose
 * operations the module draws apart from all others. The agent sets the variable. All members 0:
 * there is no focus.
 */
struct estat_focus {
	/*
	 * id of the cgroup (v2); the cgroups below it belong to the focus, too. 0: the focus is no
	 * cgroup
	 */
	estat_u64 cgroup;
	estat_u32 level; /* the depth of `cgroup`; 0: the root; 1: directly below the root */
	estat_u32 pid;   /* PID in the initial namespace; 0: the focus is no process */
};

/*
 * Threshold and counter for the event records of slow operations: the variable estat_slow in .bss;
 * see slow.bpf.h.
 */
struct estat_slow {
	/*
	 * the threshold in nanoseconds, which the agent sets: an operation that took longer can be
	 * slow; 0: write no records
	 */
	estat_u64 ns;
	/*
	 * how many slow operations got no record, because their key had too many at that time
	 * (estat_slow_take())
	 */
	estat_u64 withheld;
};

/*
 * The member `used` of a slot in a shard is 0 while the shard stores no key, else 1. In a module
 * with event records of slow operations, the agent and estat_is_slow() replace the 1 by the key's
 * threshold, in units of 1 << ESTAT_SLOW_SHIFT nanoseconds: an operation that took less time is not
 * slow. ESTAT_SLOW_NEVER: no operation of the key is slow.
 */
#define ESTAT_SLOW_SHIFT 10
#define ESTAT_SLOW_NEVER 0xffffffff

/*
 * How the slots of the series or table NAME are numbered: the variable NAME_paging in .rodata. The
 * agent sets the members.
 */
struct estat_paging {
	estat_u32 first; /* slots with this and higher numbers are in pages */
	estat_u32 shift; /* a page has 1 << shift slots */
};

/* How many records the map estat_lasts has (ESTAT_LAST). */
#define ESTAT_LAST_RECORDS 64

/*
 * Start of a record in the maps estat_events and estat_lasts (event.bpf.h), before the module's
 * event struct. The record is whole if `begun` and `done` are equal, and not 0.
 */
struct estat_event_head {
	estat_u64 begun; /* number of the record, from 1; stored before the event is written */
	estat_u64 done;  /* equal to `begun` once the event is written */
	estat_u64 time;  /* when the BPF program began the record, by bpf_ktime_get_ns() */
};

/*
 * A call of a probed function, as a probe's body gets it (probe.bpf.h). `began` and `noted` are 0
 * except in the body of an ESTAT_CALL, `ret` is 0 in the body of an ESTAT_ENTRY.
 */
struct estat_call {
	/* the first arguments of the call; all 0 in the body of an ESTAT_EXIT by kretprobe */
	estat_u64 arg[ESTAT_ARGS];
	estat_u64 began; /* when the function was entered, by bpf_ktime_get_ns() */
	estat_u64 noted; /* what the module noted at the entry, see ESTAT_CALL */
	/* the return value; while the call is in estat_calls, the address of the call's task */
	estat_u64 ret;
};

/* The key of the map estat_calls, which holds calls that have not returned. */
struct estat_call_key {
	estat_u64 thread; /* bpf_get_current_pid_tgid() */
	estat_u64 probe;  /* a hash of the probe's name */
};

/*
 * The context of the BPF program in kprobe_missed.bpf.c, which adds up the hits of one kprobe. The
 * agent sets all members except `hits`.
 */
#define ESTAT_KPROBE_CPUS 256
struct estat_kprobe_missed {
	estat_u32 link; /* descriptor of the BPF link to the kprobe */
	/* number of the first CPU; a run adds up the hits of ESTAT_KPROBE_CPUS CPUs at most */
	estat_u32 cpu;
	estat_u32 cpus; /* the host's highest possible CPU number, plus 1 */
	estat_u32 unused;
	estat_u64 cpu_offsets; /* the kernel's address of __per_cpu_offset */
	/* hits on the CPUs that this run adds up; if `cpu` is 0, plus the kprobe's nmissed */
	estat_u64 hits;
};

/* The context of the BPF program in mapped.bpf.c, which looks at a device of device mapper. */
struct estat_mapped_question {
	estat_u64 idr; /* address of _minor_idr */
	estat_u32 minor;
	estat_u32 unused;
};

#define ESTAT_MAPPED_DEVICES 32 /* most devices that struct estat_mapped_answer can list */

struct estat_mapped_answer {
	estat_u32 targets; /* how many targets the device's dm_table has */
	estat_u32 n;
	char type[16]; /* the type of the dm_table's first target, such as linear */
	/* MAJ:MIN of each device; the device that the dm_table opened last is first */
	char devices[ESTAT_MAPPED_DEVICES][16];
};

/* What the agent asks the BPF program in vdevs.bpf.c about, and which address the agent passes. */
enum estat_vdev_what {
	ESTAT_VDEV_TREE,  /* the tree of pools; `address` is the tree's */
	ESTAT_VDEV_POOL,  /* a pool; `address` is that of the pool's node in the tree of pools */
	ESTAT_VDEV_VDEV,  /* a vdev; `address` is the vdev's */
	ESTAT_VDEV_ARRAY, /* an array of `n` addresses of vdevs; `address` is the array's */
};

#define ESTAT_VDEVS 512 /* how many vdevs of an array an answer can list */

struct estat_vdev_question {
	estat_u32 what;
	estat_u32 n;
	estat_u64 address;
};

/*
 * The answer of vdevs.bpf.c, in the map `answer`. Members that the question does not ask for keep
 * what an older answer has stored.
 */
struct estat_vdev_answer {
	estat_u64 nodes[2]; /* of a pool's node: its two children; of the tree: [0], its root */
	struct {
		estat_u64 address;
		estat_u64 n;
	} arrays[3]; /* of a pool: top-level, spare and cache vdevs; of a vdev: [0], its children */
	char text[512];       /* of a pool: its name; of a vdev: its path, or "" */
	char type[16];        /* of a vdev: its type, such as "disk" or "mirror" */
	estat_u64 id, parity; /* of a vdev: its index in its parent; of a raidz: its parity */
	estat_u64 draid[4];   /* of a draid: parity, data, children and spares */
	/*
	 * of a vdev: `log` is 1 if the vdev is for the intent log, `bias` is its vdev_alloc_bias_t
	 */
	estat_u64 log, bias;
	estat_u64 pool; /* of a vdev: the address of its pool; of a pool: its own address */
	estat_u64 vdevs[ESTAT_VDEVS];
};

#endif /* ESTAT_BPF_ABI_H */
