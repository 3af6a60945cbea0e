/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contract between a module (kernel side) and the agent (user side).
 *
 * Both include this file. Whatever else the agent must know about a module it
 * reads from the module's BTF: a typedef below, as the type of a member, says
 * what that member is.
 */
#ifndef ESTAT_BPF_ABI_H
#define ESTAT_BPF_ABI_H

/* The agent refuses a module that was built against another version. */
#define ESTAT_ABI_VERSION 2

/*
 * Latency buckets as they are exported: nine to a decade, as DTrace's llquantize
 * has them. Bucket 0 is [0, 1) us, then 1, 2, ... 9, 10, 20, ... 90, 100, ...
 * 9000000, and the last is [10 s, inf).
 */
#define ESTAT_LATENCY_BUCKETS 65
#define ESTAT_LATENCY_LAST    (ESTAT_LATENCY_BUCKETS - 1)
#define ESTAT_LATENCY_INF_NS  10000000000ULL

/*
 * As they are counted: thirty to a decade, whose edges have two digits at most (see
 * estat_fine_digits) and those of the exported ones among them. A bucket is 11% wide
 * at most, so that percentiles are within 6%.
 */
#define ESTAT_FINE_DECADE  30
#define ESTAT_FINE_BUCKETS (7 * ESTAT_FINE_DECADE + 2)
#define ESTAT_FINE_LAST    (ESTAT_FINE_BUCKETS - 1)

/*
 * Size buckets: powers of two. Bucket 0 is [0, 1) bytes, bucket i is
 * [2^(i-1), 2^i), and the last is [2^30, inf).
 */
#define ESTAT_SIZE_BUCKETS 32
#define ESTAT_SIZE_LAST    (ESTAT_SIZE_BUCKETS - 1)

/* How the declaration tag begins that gives a series, a view or a member its number. */
#define ESTAT_NUMBER_TAG "number:"

/* Longest name of a module or a series, with its final NUL. */
#define ESTAT_NAME_LEN 32

/* Longest name of a function, with its final NUL. */
#define ESTAT_FUNCTION_LEN 64

typedef unsigned int estat_u32;
typedef unsigned long long estat_u64;

/* What a member of a value struct can be. */
typedef estat_u64 estat_count_t; /* counter of events */
typedef estat_u64 estat_bytes_t; /* counter of bytes */
typedef estat_u64 estat_nsec_t;  /* counter of nanoseconds */
typedef estat_u64 estat_max_t;   /* highest latency ever, nanoseconds */
typedef struct {                 /* 128-bit sum of nanoseconds squared */
	estat_u64 lo;
	estat_u64 hi;
} estat_sumsq_t;
typedef estat_u64 estat_latency_t[ESTAT_FINE_BUCKETS];
typedef estat_u64 estat_size_t[ESTAT_SIZE_BUCKETS];

/*
 * A gauge: the value that was set last, on whichever CPU. Every shard has one,
 * and the newest is the one that counts; a gauge that was never set has no value,
 * and none has a total. Set it with estat_set().
 */
struct estat_gauge {
	estat_u64 stamp; /* when it was set, by bpf_ktime_get_ns(); 0: never */
	estat_u64 value;
};
typedef struct estat_gauge estat_gauge_t;       /* a number */
typedef struct estat_gauge estat_gauge_bytes_t; /* bytes */
typedef struct estat_gauge estat_gauge_nsec_t;  /* nanoseconds */
typedef struct estat_gauge estat_gauge_share_t; /* estat_share_t */

/* A part of ESTAT_WHOLE, which the agent exports as percent. */
typedef estat_u64 estat_share_t;
#define ESTAT_WHOLE 1000000

/* Latency by size, one row a size bucket; kept apart, see ESTAT_SERIES. */
struct estat_matrix {
	estat_u64 row[ESTAT_SIZE_BUCKETS][ESTAT_LATENCY_BUCKETS];
};

/* What an axis can be, besides char[N] (text), an enum and an integer. */
typedef estat_u32 estat_dev_t;  /* the kernel's dev_t of a whole disk; see below */
typedef estat_u64 estat_name_t; /* an id whose text is in the map estat_names */

/* The same of a cgroup, whose text is its path; 0: of none. see cgroup.bpf.h. */
typedef estat_u64 estat_cgroup_t;

/*
 * A disk that sysfs does not list by its number is named by the map estat_names, if the module
 * has it: the number's text there is NAME-DISKSEQ, so that another disk which gets the number,
 * or the name, is not taken for it. A SCSI device that is no disk has a number of 2^31 or more,
 * whose text is HOST:CHANNEL:TARGET:LUN, as in /sys/bus/scsi/devices. A file system without a
 * disk has a number as well, of major 0: its name there is what is mounted, or "" for the number
 * itself.
 */

/* An IP address; one of IPv4 as IPv6 has it, ::ffff:a.b.c.d (RFC 4291, 2.5.5.2). */
typedef struct {
	unsigned char octets[16];
} estat_ip_t;

/* The instance of all keys of a series that found no slot, see ESTAT_OTHERS. */
#define ESTAT_OTHERS_NAME "other"

/* Longest text of an id, with its final NUL: ZFS's names have up to 255 characters. */
#define ESTAT_TEXT_LEN 256

/* A value of the map estat_names: the text of an id. */
struct estat_name {
	estat_u32 gone; /* what had the id is no more; the agent lets go of it */
	char text[ESTAT_TEXT_LEN];
};

/*
 * A module's own data, the variable `estat_module` in .rodata. The first part
 * is the module's; the second the agent sets before load, so that the verifier
 * removes the code for what is off.
 */
struct estat_module {
	estat_u32 abi;     /* ESTAT_ABI_VERSION */
	estat_u32 cluster; /* PMID cluster, 1-1023; 0: the agent finds one */
	char name[ESTAT_NAME_LEN];

	estat_u32 shard_mask;          /* shards - 1; shards is a power of two */
	unsigned char shared;          /* a shard may have two writers: be atomic */
	unsigned char latency_by_size; /* keep the matrix */
};

/*
 * A series by some of the axes of a table, the variable estat_view_NAME in .rodata:
 * the agent adds up what the table has.
 */
struct estat_view {
	char table[ESTAT_NAME_LEN];
	char axes[64]; /* separated by blanks; may end with "if AXIS=GLOB", see ESTAT_VIEW */
};

/*
 * Where a series or a group stands in the stack that an I/O passes, the variable
 * estat_layer_NAME in .rodata: its rank, 1 to ESTAT_LAST_RANK, from the top of the stack to
 * the bottom. A rank is for good, as other numbers are, so new ones go between:
 *
 *	100	servers: what other hosts ask for, and its wait before that
 *	200	file systems and volumes: what programs ask for
 *	300	logs and caches on the way
 *	400	pools: the queues and devices of a volume manager
 *	500	the block layer: its queues, and the devices below
 */
typedef estat_u32 estat_rank_t;
#define ESTAT_LAST_RANK 999

/*
 * The kernel module whose functions a module probes, the variable `estat_needs`
 * in .rodata; a module that probes the kernel itself has none.
 */
struct estat_needs {
	char module[ESTAT_NAME_LEN]; /* as /sys/module has it */
	char in_use[64];             /* glob(7), {a,b} too: a file is there while it is in use */
};

/*
 * A kernel module whose functions a module probes, too, while it is there: the variable
 * `estat_also` in .rodata, a struct estat_needs without a pattern.
 */

/*
 * What shows that what a module measures is at work, the variable `estat_evidence` in
 * .rodata: of each of some files the last line that matches changes then.
 */
struct estat_evidence {
	char files[64]; /* glob(7), {a,b} too */
	char lines[64]; /* regex(7), extended; "" matches all */
};

/*
 * What a module says of a function that it probes and the kernel may lack, the
 * variable estat_function_NAME in .rodata. It is not probed then, nor if the
 * kernel has the function `unless`, if that is given.
 */
struct estat_function {
	char unless[ESTAT_FUNCTION_LEN];
	char lacks[ESTAT_FUNCTION_LEN]; /* what the module lacks then */
};

/*
 * Where the kernel has a variable, or a function: estat_address_SYMBOL in .rodata. The agent
 * sets it before load; 0: the kernel has none, or lists no symbols of data (KALLSYMS_ALL).
 */
typedef estat_u64 estat_address_t;

/*
 * The value of an enumerator of the kernel: estat_enumerator_NAME in .rodata. The agent sets it
 * before load, from the kernel's BTF. CO-RE finds an enumerator only by the name of its
 * enumeration; this finds those of enumerations without a name, too.
 */
typedef estat_u32 estat_enumerator_t;
#define ESTAT_NO_ENUMERATOR 0xffffffff

/* A series' own counters, the variable NAME_state in .bss. */
struct estat_state {
	estat_u64 dropped; /* events whose key found no slot */
	estat_u64 missed;  /* events seen that could not be measured */
	estat_u32 taken;   /* how many slots were taken, ever */
	estat_u32 full;    /* no slot is free; cleared by the agent */
};

/* How a record in the map estat_events begins, see event.bpf.h; the module's event follows. */
struct estat_event_head {
	estat_u64 begun; /* its number, from 1 on: that which is being written */
	estat_u64 done;  /* and that which is written */
	estat_u64 time;  /* by bpf_ktime_get_ns() */
};

/* A call of a probed function: its first arguments and, at its return, its value. */
#define ESTAT_ARGS 6
struct estat_call {
	estat_u64 arg[ESTAT_ARGS];
	estat_u64 entered; /* at its return: when it was entered, by bpf_ktime_get_ns() */
	estat_u64 noted;   /* and what was noted then */
	estat_u64 ret;
};

/* Whose call: the map estat_calls, of modules that probe function returns. */
struct estat_call_key {
	estat_u64 thread; /* as bpf_get_current_pid_tgid() has it */
	estat_u64 probe;
};

/* What the agent asks the program in kprobe_missed.bpf.c, and is told. */
#define ESTAT_HITS_CPUS 256
struct estat_hits {
	estat_u32 link; /* to a kprobe: a descriptor */
	estat_u32 cpu;  /* on that one and those after it, ESTAT_HITS_CPUS at a time, */
	estat_u32 cpus; /* of so many */
	estat_u32 unused;
	estat_u64 cpu_offsets; /* where the kernel has __per_cpu_offset */
	estat_u64 hits;        /* the answer */
};

#endif /* ESTAT_BPF_ABI_H */
