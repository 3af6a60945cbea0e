/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event records, for rare events that deserve a line each. A module declares at most one type of
 * event:
 *
 *	struct event {
 *		estat_bytes_t bytes ESTAT_PARAMETER(1, "Bytes ...");
 *	};
 *
 *	ESTAT_EVENTS(struct event, 1024, "One record for each ...");
 *
 *	struct event *e = estat_event_begin();
 *	if (e) {
 *		e->bytes = bytes;
 *		estat_event_end(e);
 *	}
 *
 * The records are the event metric estat.MODULE.events; member X of the struct is the event
 * parameter estat.MODULE.event.X. A member has a type of an axis, exported as text, or is an
 * amount: estat_count_t, estat_bytes_t, estat_nsec_t or estat_share_t. A member's number is 1 to 63
 * and never changes. Write every member, because a record reuses the memory of an older record.
 *
 * The records are in a ring that the agent has mapped. The newest record overwrites the oldest,
 * whether a client has read it or not; a client gets the records since its previous fetch. (BPF's
 * ring buffer would keep the oldest records and discard new ones while no client reads.)
 *
 * Clients of pmproxy, such as Grafana, cannot show event records, because pmproxy gives no values
 * of event metrics. For such clients a module can keep records of another struct, the newest 64,
 * with ESTAT_LAST(), estat_last_begin() and estat_last_end(). Member X of this struct is the metric
 * estat.MODULE.last.X. The metric's instances are the positions of the records in the ring, 0 to
 * 63.
 */
#ifndef ESTAT_BPF_EVENT_H
#define ESTAT_BPF_EVENT_H

#include "declare.bpf.h"

/* Number and help of a member of an event struct. */
#define ESTAT_PARAMETER(NUMBER, HELP) ESTAT_NUMBER(NUMBER) ESTAT_HELP(HELP)

/*
 * Declare the ring RING of RECORDS records, each with a struct EVENT. RECORD_begin() returns the
 * event of the next record, or NULL. The atomic exchanges of `begun` and `done` order the stores,
 * so that the agent sees when a record is being overwritten.
 */
#define ESTAT_RING(RECORD, RING, EVENT, RECORDS, HELP)                                       \
	_Static_assert(sizeof(HELP) > 1, "say what an event is");                            \
	struct RECORD {                                                                      \
		struct estat_event_head head;                                                \
		EVENT event;                                                                 \
	};                                                                                   \
	struct {                                                                             \
		__uint(type, BPF_MAP_TYPE_ARRAY);                                            \
		__uint(map_flags, BPF_F_MMAPABLE);                                           \
		__uint(max_entries, RECORDS);                                                \
		__type(key, __u32);                                                          \
		__type(value, struct RECORD);                                                \
	} RING SEC(".maps") ESTAT_HELP(HELP);                                                \
	__u64 RING##_begun; /* the number of the newest record, from 1; 0: no record */      \
                                                                                             \
	static __always_inline EVENT *RECORD##_begin(void)                                   \
	{                                                                                    \
		__u64 number = __sync_fetch_and_add(&RING##_begun, 1);                       \
		__u32 index = number % (RECORDS);                                            \
		struct RECORD *e = bpf_map_lookup_elem(&RING, &index);                       \
                                                                                             \
		if (!e)                                                                      \
			return NULL;                                                         \
		__sync_lock_test_and_set(&e->head.begun, number + 1);                        \
		e->head.time = bpf_ktime_get_ns();                                           \
		return &e->event;                                                            \
	}                                                                                    \
	static __always_inline void RECORD##_end(EVENT *event)                               \
	{                                                                                    \
		struct RECORD *e = (void *)event - __builtin_offsetof(struct RECORD, event); \
                                                                                             \
		__sync_lock_test_and_set(&e->head.done, e->head.begun);                      \
	}                                                                                    \
	struct RECORD /* lets a semicolon follow the macro */

#define ESTAT_EVENTS(EVENT, RECORDS, HELP) \
	ESTAT_RING(estat_event, estat_events, EVENT, RECORDS, HELP)

#define ESTAT_LAST(EVENT, HELP) ESTAT_RING(estat_last, estat_lasts, EVENT, ESTAT_LAST_RECORDS, HELP)

#endif /* ESTAT_BPF_EVENT_H */
