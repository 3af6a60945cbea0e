/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a module declares of itself: its name, help texts, numbers, views, layers, and what it
 * needs from the kernel. The agent reads these declarations from the object's BTF and .rodata.
 * Series and tables are declared with aggregate.bpf.h, event records with event.bpf.h.
 */
#ifndef ESTAT_BPF_DECLARE_H
#define ESTAT_BPF_DECLARE_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <linux/errno.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "abi.h"

/*
 * Define a BPF map of at most ENTRIES elements. TYPE of ESTAT_HASH_MAP is HASH or LRU_HASH, TYPE of
 * ESTAT_ARRAY_MAP is ARRAY or PERCPU_ARRAY.
 */
#define ESTAT_HASH_MAP(NAME, TYPE, KEY, VALUE, ENTRIES) \
	struct {                                        \
		__uint(type, BPF_MAP_TYPE_##TYPE);      \
		__uint(max_entries, ENTRIES);           \
		__type(key, KEY);                       \
		__type(value, VALUE);                   \
	} NAME SEC(".maps")
#define ESTAT_ARRAY_MAP(NAME, TYPE, VALUE, ENTRIES) \
	ESTAT_HASH_MAP(NAME, TYPE, __u32, VALUE, ENTRIES)

/* A text for the agent, mostly a help text, as a BTF declaration tag of a member or variable. */
#define ESTAT_HELP(text) __attribute__((btf_decl_tag(text)))

/*
 * The number of a member, a series or a view. Archives contain the numbers of metrics and instance
 * domains, which are computed from this number and from the module's cluster. So never change a
 * number, and never give the number of a removed member to a new member.
 */
#define ESTAT_NUMBER(NUMBER)      ESTAT_HELP(ESTAT_NUMBER_TAG ESTAT_STRING(NUMBER))
#define ESTAT_STRING(NUMBER)      ESTAT_STRING_OF(NUMBER)
#define ESTAT_STRING_OF(EXPANDED) #EXPANDED

/*
 * Number and help of a field, which becomes a metric. Numbers are 17 to 30, each used once in a
 * group. Two kinds of fields take ESTAT_HELP alone: a field with the name of a member of struct
 * estat_io has that member's number, and an estat_max_t becomes no metric.
 */
#define ESTAT_FIELD(NUMBER, HELP) ESTAT_NUMBER(NUMBER) ESTAT_HELP(HELP)

/*
 * Number and help of a struct in a value struct; the inner struct becomes a group of metrics.
 * Numbers of groups begin at 1; the agent adds a group's number to that of the series or view.
 */
#define ESTAT_GROUP(NUMBER, HELP) ESTAT_NUMBER(NUMBER) ESTAT_HELP(HELP)

/*
 * Declare the module, once, before all other declarations. The module's metrics are estat.NAME.*.
 * CLUSTER is its PMID cluster, 1 to 1023, or 0 to let the agent choose; never change a cluster that
 * an archive may contain. The metrics of a module OTHER.NAME are below those of the module OTHER.
 */
#define ESTAT_MODULE(NAME, CLUSTER)                         \
	char _license[] SEC("license") = "GPL";             \
	const volatile struct estat_module estat_module = { \
		.abi = ESTAT_ABI_VERSION,                   \
		.cluster = (CLUSTER),                       \
		.name = #NAME,                              \
	}

/*
 * Unless estat.conf says otherwise, the agent attaches the module when a client reads its metrics,
 * and detaches the module when no client has read them for `linger` seconds.
 */
#define ESTAT_ON_DEMAND const volatile __u8 estat_on_demand = 1

/* Run the one BPF program of SEC("perf_event") HZ times a second on each CPU that is not idle. */
#define ESTAT_CLOCK(HZ) const volatile __u32 estat_clock_hz = (HZ)

/*
 * The keys' cgroups are those in which the controller io is enabled. The operations of any other
 * cgroup count for its nearest ancestor in which the controller is enabled. If this ancestor is the
 * root, or directly below the root, estat.module.error names the ancestor.
 */
#define ESTAT_IO_CGROUPS const volatile __u8 estat_io_cgroups = 1

/*
 * The module probes functions of the kernel module MODULE: the agent loads and unloads the module
 * together with that kernel module. IN_USE is a glob(7) pattern, with {a,b} alternatives, of files
 * that exist while the kernel module is in use and cannot be unloaded; an empty pattern matches
 * nothing. The agent probes by kprobe and kretprobe if the kernel has kprobes, because fentry and
 * fexit keep the kernel module loaded. In two cases the agent chooses as for a module without
 * ESTAT_NEEDS: a file matches IN_USE, and sysfs has BTF of the kernel module's types; or the kernel
 * module is a built-in file system. An attached module without BPF programs for kprobes keeps the
 * kernel module loaded.
 */
#define ESTAT_NEEDS(MODULE, IN_USE)                       \
	const volatile struct estat_needs estat_needs = { \
		.module = MODULE,                         \
		.in_use = IN_USE,                         \
	}

/*
 * The module also probes functions of the kernel module MODULE, but runs without MODULE, too. The
 * agent loads the module again when MODULE is loaded or unloaded, or when the types of MODULE
 * become known. Declare each function of MODULE with ESTAT_OPTIONAL. The agent probes these
 * functions by kprobe and kretprobe, which do not keep MODULE loaded. A probe that reads arguments
 * (nargs is not 0) is not loaded while the types of MODULE are not known.
 */
#define ESTAT_ALSO(MODULE) const volatile struct estat_needs estat_also = { .module = MODULE }

/*
 * For a module without ESTAT_NEEDS that reads types of kernel modules of which the module probes no
 * function. MODULES: their names, with a space between two. Call bpf_core_type_exists() before you
 * read such a type, because the type is not known while its kernel module is not loaded. Without
 * ESTAT_TYPES a module gets, beside the types of the kernel, only those of the kernel modules of
 * ESTAT_NEEDS and ESTAT_ALSO or, without ESTAT_NEEDS, of all kernel modules that the module probes.
 */
#define ESTAT_TYPES(MODULES) const volatile char estat_types[ESTAT_NAME_LEN] = MODULES

/*
 * The evidence for liveness: files of the kernel that change exactly when the measured operations
 * happen. FILES is a glob(7) pattern with {a,b} alternatives. While the module has counted nothing
 * since its attachment, the agent takes every ten seconds from each file the last line that matches
 * LINES, an extended regex(7). If a line has changed, and ten seconds later a line has changed
 * again, the module is blind, and estat.module.error says so.
 */
#define ESTAT_EVIDENCE(FILES, LINES)                            \
	const volatile struct estat_evidence estat_evidence = { \
		.files = FILES,                                 \
		.lines = LINES,                                 \
	}

/*
 * The evidence of a module that counts reads of files: the agent's own reads of /etc/passwd and
 * /proc/self/schedstat. The module must count the read of /etc/passwd. A read takes CPU time, so
 * the line in /proc/self/schedstat changes. (A process that has dropped its privileges cannot read
 * /proc/self/io.)
 */
#define ESTAT_EVIDENCE_OWN_READS \
	ESTAT_EVIDENCE("{/etc/passwd,/proc/self/schedstat}", "^[0-9]+ [0-9]+ [0-9]+")

/*
 * Declare estat_address_SYMBOL, the kernel's address of SYMBOL, or 0. A __ksym would do the same,
 * but for it libbpf reads /proc/kallsyms again for each module.
 */
#define ESTAT_ADDRESS(SYMBOL) const volatile estat_address_t estat_address_##SYMBOL = 0

/*
 * Declare estat_enumerator_NAME, the kernel's value of the enumerator NAME; ESTAT_NO_ENUMERATOR if
 * the kernel has no such enumerator.
 */
#define ESTAT_ENUMERATOR(NAME) \
	const volatile estat_enumerator_t estat_enumerator_##NAME = ESTAT_NO_ENUMERATOR

/* Declare estat_jiffy, the nanoseconds of a jiffy. The agent sets the variable before load. */
#define ESTAT_JIFFY const volatile __u64 estat_jiffy = 1

/*
 * The kernel may lack a probed function. Of FUNCTION and the functions that follow, at most three,
 * the agent probes only the first that the kernel has. The list may name a function for which the
 * module has no probe. If that function is the first one that the kernel has, the agent probes none
 * of the list. If the kernel has none of the functions, the module runs, and estat.module.error
 * says "no LACKS", or nothing if LACKS is ""; but if LACKS is ESTAT_REQUIRED, the module is not
 * attached until the kernel has one of the functions. A tracepoint NAME that the kernel may lack is
 * listed as the function __traceiter_NAME.
 */
#define ESTAT_OPTIONAL(LACKS, FUNCTION, ...)                                \
	const volatile struct estat_functions estat_optional_##FUNCTION = { \
		.names = { ESTAT_NAMES_OF(FUNCTION, ##__VA_ARGS__, , , ) }, \
		.lacks = LACKS,                                             \
	}

#define ESTAT_NAMES_OF(A, B, C, D, ...) #A, #B, #C, #D

/*
 * A module attached by kprobes takes the entry of OTHER for the end of a call of one of FUNCTIONS,
 * of which there are at most four. The module probes FUNCTIONS by ESTAT_EXIT and OTHER by
 * ESTAT_ENTRY, and stores each thread's call (ESTAT_LEFT). A kretprobe at FUNCTIONS would follow at
 * most max(10, 2 x CPUs) concurrent calls.
 */
#define ESTAT_INSTEAD(OTHER, FUNCTIONS...)                              \
	const volatile struct estat_functions estat_instead_##OTHER = { \
		.names = { ESTAT_NAMES_OF(FUNCTIONS, , , ) },           \
	}

/*
 * Declare a view: a series by some of the axes of a table or series, such as "pool op". The agent
 * adds up the keys, so that a BPF program counts each operation once. NAME and NUMBER follow the
 * rules of ESTAT_SERIES. A view of a series without ESTAT_OVERFLOW may leave out keys. To do so,
 * AXES ends with "if AXIS=PATTERN", where AXIS is an enum and PATTERN a glob(7) pattern of the
 * axis's values, as in "pool if stage=commit".
 */
#define ESTAT_VIEW(NAME, NUMBER, TABLE, AXES, HELP)                                                \
	_Static_assert(sizeof(HELP) > 1, "say what " #NAME " measures");                           \
	_Static_assert((NUMBER) >= 0 && (NUMBER) <= 14, "the number of " #NAME " is not 0 to 14"); \
	const volatile struct estat_view estat_view_##NAME ESTAT_NUMBER(NUMBER)                    \
		ESTAT_HELP(HELP) = {                                                               \
			.table = #TABLE,                                                           \
			.axes = AXES,                                                              \
		}

/*
 * NAME is a layer of the storage stack: a series, a view, or a group in the series with the
 * module's own name. estat.layer.* exports the layer's total, so no operation that the layer counts
 * may contain another, except operations of disks that stand on one another. RANK is the layer's
 * position in the stack; abi.h lists the ranks.
 *
 * ABOVE names, separated by blanks, the layers whose operations wait for operations of this layer.
 * If the operations above wait only for some of this layer's operations, ABOVE ends with "if", an
 * axis of this layer, "=" and a glob(7) pattern of values, which can be @(A|B), as in "zpl zvol if
 * priority=sync?". In the place of a layer in ABOVE that does not run, the layers in the ABOVE of
 * that layer count. Use ESTAT_TOP_LAYER if no layer waits for this layer, because kernels reject an
 * empty tag.
 */
#define ESTAT_TOP_LAYER(NAME, RANK) const volatile estat_rank_t estat_layer_##NAME = (RANK)

#define ESTAT_LAYER(NAME, RANK, ABOVE) \
	const volatile estat_rank_t estat_layer_##NAME ESTAT_HELP(ABOVE) = (RANK)

/*
 * Layout: how the command estat shows series or view NAME. Without `rows` the value on the axis op
 * is a row's title, and the values on the other axes, except pool, tell apart rows of the same
 * title; without an axis op these values are the title. The agent exports TEXT as labels of
 * estat.module.axes. TEXT is a list separated by "; " of:
 *
 *	rows NAME, AXIS	 NAME is the row's title, AXIS the text that tells apart rows of the same
 *			 title; ", AXIS" can be omitted. Keys with the same NAME and AXIS are one
 *			 row. In NAME and AXIS, {A} is the key's value on axis A; {A:2} is the
 *			 value's first two characters; {A?x=X|y=Y} is X for value x, Y for value y,
 *			 and else the value; {A!B=x} is the value on A, or nothing if the value on
 *			 axis B is x.
 *	nested		 a row's operations contain those of another row: there is no total.
 *	every N s	 the interval of printing values of a host, if the command line gives none.
 *
 * For NAME `events`, TEXT is the format of an event record: lines of a legend, then one last line
 * in which {date:W} is the record's time and {P:W/D} is parameter P divided by D. W is the least
 * width in characters; a negative W aligns to the left.
 */
#define ESTAT_LAYOUT(NAME, TEXT) const volatile __u8 estat_layout_##NAME ESTAT_HELP(TEXT) = 1

extern const volatile struct estat_module estat_module;

/*
 * When the last attachment of the BPF programs began, by bpf_ktime_get_ns(). The agent sets the
 * variable, except if the BPF programs replace attached ones of an older object. While a module
 * with attach = demand is detached, operations end unseen. So what a module keeps of an operation
 * that began before the attachment is stale, because the operation's id may belong to a new
 * operation by now.
 */
__u64 estat_attached;

/* Is `ns`, a time by bpf_ktime_get_ns(), after the begin of the last attachment? False for 0. */
static __always_inline __attribute__((unused)) bool estat_since_attach(__u64 ns)
{
	return ns > estat_attached;
}

/*
 * When the last one of the BPF programs was attached, by bpf_ktime_get_ns(). The agent sets the
 * variable, except if the BPF programs replace those of an older object all of which are attached.
 */
__u64 estat_attached_last;

/*
 * For walks: did an operation begin after the last BPF program was attached? An older operation may
 * have ended before the BPF program that sees its end was attached.
 */
static __always_inline __attribute__((unused)) bool estat_end_is_seen(__u64 began)
{
	return began > estat_attached_last;
}

/*
 * A time that is after the begin of the last attachment, to store as the begin of an operation
 * whose real begin is not needed.
 */
static __always_inline __attribute__((unused)) __u64 estat_any_time(void)
{
	return estat_attached + 1;
}

/* The number of events that BPF programs themselves count as missed, in estat.module.missed. */
__u64 estat_missed;

static __always_inline __attribute__((unused)) void estat_count_missed(void)
{
	__sync_fetch_and_add(&estat_missed, 1);
}

#endif /* ESTAT_BPF_DECLARE_H */
