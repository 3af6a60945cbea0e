// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Modules that tests of failures load: fail_CASE. The compiler's command line defines
 * one of the cases, which changes one thing of a module that is right.
 */
#include "aggregate.bpf.h"
#include "block/types.bpf.h"

#if defined(CASE_cluster)
#define MODULE  fail_cluster
#define CLUSTER 1 /* backend_io's */
#elif defined(CASE_key)
#define MODULE fail_key
#define KEY    void *address
#elif defined(CASE_value)
#define MODULE fail_value
#define VALUE  __u64 ops
#elif defined(CASE_function)
#define MODULE fail_function
#define PROBE  "fentry/estat_no_such_function"
#elif defined(CASE_tracepoint)
#define MODULE fail_tracepoint
#define PROBE  "tp_btf/estat_no_such_tracepoint"
#elif defined(CASE_tracefs)
#define MODULE fail_tracefs
#define PROBE  "tp/block/block_rq_issue"
#elif defined(CASE_verifier)
#define MODULE fail_verifier
#define NUMBER *(__u32 *)0x1234
#elif defined(CASE_full)
/*
 * fail_full has room for four keys. A key is the size of a request in bytes. Only requests of an
 * odd number of sectors to a disk of 17 MiB count; no other test has such a disk.
 */
struct block_device___full {
	__u64 bd_nr_sectors;
} __attribute__((preserve_access_index));

static bool is_of_17_mib(struct request *rq)
{
	struct block_device___full *whole = (void *)rq->q->disk->part0;

	return whole->bd_nr_sectors == 17 << 11;
}

#define MODULE         fail_full
#define PROBE          "tp_btf/block_rq_complete"
#define NUMBER         (__u32) ctx[2]
#define COUNTS(number) ((number) % 1024 == 512 && is_of_17_mib((struct request *)ctx[0]))
/*
 * The cases blind, idle, sighted and unread, for test 318, declare evidence. The tracepoint
 * cgroup_freeze runs only when the test freezes a cgroup, at the test's end; sys_enter runs all the
 * time.
 */
#elif defined(CASE_blind)
#define MODULE fail_blind
#define PROBE  "tp_btf/cgroup_freeze"
ESTAT_NEEDS("kernel", ""); /* a kernel module that is built in */
ESTAT_EVIDENCE("/tmp/estat-318-{work,none}", "^works ");
#elif defined(CASE_idle)
#define MODULE fail_idle
#define PROBE  "tp_btf/cgroup_freeze"
ESTAT_EVIDENCE("/tmp/estat-318-work", "^idles ");
#elif defined(CASE_sighted)
#define MODULE fail_sighted
#define PROBE  "tp_btf/sys_enter"
ESTAT_EVIDENCE("/tmp/estat-318-work", "");
#elif defined(CASE_unread)
#define MODULE fail_unread
#define PROBE  "tp_btf/cgroup_freeze"
ESTAT_EVIDENCE_OWN_READS;
#endif

#ifdef MODULE
#ifndef CLUSTER
#define CLUSTER 0
#endif
#ifndef KEY
#define KEY __u32 number
#endif
#ifndef VALUE
#define VALUE estat_count_t ops ESTAT_HELP("Number of events")
#endif
#ifndef PROBE
#define PROBE "tp_btf/block_rq_issue"
#endif
#ifndef NUMBER
#define NUMBER 0
#endif
#ifndef COUNTS
#define COUNTS(number) true
#endif

struct fail_key {
	KEY;
};

struct fail_value {
	VALUE;
};

/*
 * Declare module NAME. At each run of PROBE it counts an event with the key NUMBER, if
 * COUNTS(NUMBER) is true. PROBE, NUMBER and COUNTS are macros of the case or the defaults above.
 */
#define FAIL_MODULE(NAME)                                                                    \
	ESTAT_MODULE(NAME, CLUSTER);                                                         \
	ESTAT_SERIES(NAME, 0, struct fail_key, struct fail_value, 4, "Events, by a number"); \
	SEC(PROBE)                                                                           \
	int NAME##_event(__u64 *ctx)                                                         \
	{                                                                                    \
		__u32 number = NUMBER;                                                       \
		struct fail_key key = {};                                                    \
		struct fail_value *v;                                                        \
                                                                                             \
		if (!COUNTS(number))                                                         \
			return 0;                                                            \
		__builtin_memcpy(&key, &number, sizeof(number));                             \
		v = NAME##_get(&key);                                                        \
		if (v)                                                                       \
			estat_add(v->ops, 1);                                                \
		return 0;                                                                    \
	}

/* FAIL_MODULE() pastes its argument, so MODULE must be expanded before. */
#define FAIL_EXPANDED(NAME) FAIL_MODULE(NAME)
FAIL_EXPANDED(MODULE)
#endif

#if defined(CASE_sighted)
/*
 * The agent attaches this BPF program after fail_sighted_event, and fail_sighted_event counts the
 * system call that attaches this program. So the key has a slot when liveness_begin() runs, and
 * liveness_look() can find what the module has counted since then only in the slot.
 */
SEC("tp_btf/cgroup_freeze")
int fail_sighted_second(__u64 *ctx)
{
	return 0;
}
#endif
