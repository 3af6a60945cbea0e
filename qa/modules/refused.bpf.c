// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Modules that the agent refuses. The compiler's command line defines one of
 * the cases, which changes one thing of a module that is right.
 */
#include "aggregate.bpf.h"
#include "event.bpf.h"

#if defined(CASE_key_pointer)
#define KEY void *address
#elif defined(CASE_key_bit_field)
#define KEY __u32 low : 4
#elif defined(CASE_key_float)
#define KEY double share
#elif defined(CASE_key_int128)
#define KEY __int128 address
#elif defined(CASE_key_struct)
#define KEY struct estat_state inner
#elif defined(CASE_key_pointers)
#define KEY struct estat_module *modules[4]
#elif defined(CASE_key_nine_axes)
#define KEY __u32 a, b, c, d, e, f, g, h, i
#elif defined(CASE_key_no_struct)
#define KEY_TYPE __u64
#elif defined(CASE_value_integer)
#define VALUE __u64 ops
#elif defined(CASE_value_pointer)
#define VALUE void *address
#elif defined(CASE_value_array)
#define VALUE estat_count_t ops[4]
#elif defined(CASE_value_group_in_group)
#define VALUE                               \
	struct {                            \
		struct estat_latency inner; \
	} outer ESTAT_NUMBER(1)
#elif defined(CASE_value_two_latencies)
#define VALUE estat_latency_t latency, second ESTAT_NUMBER(17)
#elif defined(CASE_value_empty_group)
#define VALUE struct empty empty ESTAT_NUMBER(1)
#elif defined(CASE_value_no_field)
#define VALUE struct empty
#elif defined(CASE_value_16_groups)
#define NUMBERED(n) , group_##n ESTAT_NUMBER(n)
#define VALUE                                                                                      \
	struct estat_latency first ESTAT_NUMBER(1) NUMBERED(2) NUMBERED(3) NUMBERED(4) NUMBERED(5) \
		NUMBERED(6) NUMBERED(7) NUMBERED(8) NUMBERED(9) NUMBERED(10) NUMBERED(11)          \
			NUMBERED(12) NUMBERED(13) NUMBERED(14),                                    \
		last ESTAT_NUMBER(1)
#elif defined(CASE_field_without_number)
#define VALUE estat_count_t hits ESTAT_HELP("Hits")
#elif defined(CASE_field_number_16)
#define VALUE estat_count_t hits ESTAT_FIELD(16, "Hits")
#elif defined(CASE_field_number_31)
#define VALUE estat_count_t hits ESTAT_FIELD(31, "Hits")
#elif defined(CASE_field_number_no_digits)
#define VALUE estat_count_t hits ESTAT_FIELD(17 + 1, "Hits")
#elif defined(CASE_field_number_twice)
#define VALUE estat_count_t hits ESTAT_FIELD(17, "Hits"), misses ESTAT_FIELD(17, "Misses")
#elif defined(CASE_field_number_fixed)
#define VALUE estat_count_t ops ESTAT_FIELD(17, "Operations")
#elif defined(CASE_field_number_of_max)
#define VALUE estat_max_t longest ESTAT_FIELD(17, "Longest")
#elif defined(CASE_group_without_number)
#define VALUE struct estat_latency queue ESTAT_HELP("Queue")
#elif defined(CASE_group_number_0)
#define VALUE struct estat_latency queue ESTAT_GROUP(0, "Queue")
#elif defined(CASE_group_number_twice)
#define VALUE struct estat_latency queue ESTAT_GROUP(1, "Queue"), device ESTAT_GROUP(1, "Device")
#elif defined(CASE_group_number_15)
#define NUMBER 14
#define VALUE              \
	estat_count_t ops; \
	struct estat_latency queue ESTAT_GROUP(1, "Queue")
#elif defined(CASE_series_without_number)
#define DECLARE(name, number, key, value) ESTAT_MAPS(name, key, value, 10, ESTAT_HELP("Refused"))
#elif defined(CASE_series_number_15)
#define DECLARE(name, number, key, value) \
	ESTAT_MAPS(name, key, value, 10, ESTAT_NUMBER(15) ESTAT_HELP("Refused"))
#elif defined(CASE_value_no_struct)
#define VALUE_TYPE __u64
#elif defined(CASE_value_share)
#define VALUE estat_share_t share
#elif defined(CASE_value_named_events)
#define VALUE estat_count_t events
#elif defined(CASE_event_pointer)
#define EVENT void *address
#elif defined(CASE_event_gauge)
#define EVENT estat_gauge_t gauge
#elif defined(CASE_event_no_struct)
#define EVENT_TYPE __u64
#elif defined(CASE_event_empty)
#define EVENT_TYPE struct empty
#elif defined(CASE_event_33_members)
#define EVENT EIGHT(__u8, a), EIGHT(, b), EIGHT(, c), EIGHT(, d), last
#elif defined(CASE_event_without_number)
#define EVENT __u32 number ESTAT_HELP("Number")
#elif defined(CASE_event_number_64)
#define EVENT __u32 number ESTAT_PARAMETER(64, "Number")
#elif defined(CASE_event_number_twice)
#define EVENT __u32 one ESTAT_PARAMETER(3, "One"), other ESTAT_PARAMETER(3, "Other")
#elif defined(CASE_events_of_another_map)
#define EVENTS_MAP
#elif defined(CASE_value_named_last)
#define VALUE estat_count_t last
#define LAST  __u32 number ESTAT_NUMBER(1)
#elif defined(CASE_last_age)
#define LAST __u32 age ESTAT_NUMBER(1)
#elif defined(CASE_view_of_nothing)
#define VIEW(table) ESTAT_VIEW(view, 1, nothing, "number", "Refused")
#elif defined(CASE_view_other_axis)
#define VIEW(table) ESTAT_VIEW(view, 1, table, "number name", "Refused")
#elif defined(CASE_view_no_axis)
#define VIEW(table) ESTAT_VIEW(view, 1, table, " ", "Refused")
#elif defined(CASE_view_if_no_enum)
#define VIEW(table) ESTAT_VIEW(view, 1, table, "number if number=1", "Refused")
#elif defined(CASE_view_if_no_values)
#define VIEW(table) ESTAT_VIEW(view, 1, table, "number if number", "Refused")
#elif defined(CASE_view_number_of_series)
#define VIEW(table) ESTAT_VIEW(view, 0, table, "number", "Refused")
#elif defined(CASE_view_number_of_group)
#define VALUE                                               \
	struct estat_latency queue ESTAT_GROUP(1, "Queue"); \
	estat_count_t ops
#define VIEW(table) ESTAT_VIEW(view, 1, table, "number", "Refused")
#elif defined(CASE_view_taken_name)
#define VIEW(table) ESTAT_VIEW(ops, 1, table, "number", "Refused")
#elif defined(CASE_layer_of_nothing)
#define VIEW(table) ESTAT_TOP_LAYER(nothing, 1)
#elif defined(CASE_layer_rank_0)
#define VIEW(table) ESTAT_TOP_LAYER(refused, 0)
#elif defined(CASE_layer_rank_1000)
#define VIEW(table) ESTAT_TOP_LAYER(refused, 1000)
#elif defined(CASE_layout_nothing)
#define VIEW(table) ESTAT_LAYOUT(nothing, "nested")
#elif defined(CASE_series_name_of_32)
#define SERIES a_series_name_of_32_characters__
#elif defined(CASE_abi)
#define ABI (ESTAT_ABI_VERSION + 1)
#elif defined(CASE_cluster)
#define CLUSTER 1024
#elif defined(CASE_name_layer)
#define NAME "layer"
#elif defined(CASE_name_below_layer)
#define NAME "layer.refused"
#elif defined(CASE_name_dot_last)
#define NAME "refused."
#elif defined(CASE_name_capital)
#define NAME "Refused"
#elif defined(CASE_name_digit_first)
#define NAME "1st"
#elif defined(CASE_name_empty)
#define NAME ""
#elif defined(CASE_name_unterminated)
#define NAME                                                   \
	{                                                      \
		EIGHT_OF_A, EIGHT_OF_A, EIGHT_OF_A, EIGHT_OF_A \
	}
#elif defined(CASE_series_of_other_maps)
#define MAPS MAP(refused) MAP(refused_slots) MAP(refused_free) MAP(refused_by_size)
#elif defined(CASE_series_of_two_maps)
#define MAPS MAP(refused) MAP(refused_slots)
#elif defined(CASE_no_series)
#define MAPS MAP(refused)
#elif defined(CASE_no_module)
#define MAPS MAP(refused)
#elif defined(CASE_no_btf)
#define MAPS
#endif

/* With these values the agent accepts the module. A case replaces a value by a macro above. */
#ifndef ABI
#define ABI ESTAT_ABI_VERSION
#endif
#ifndef CLUSTER
#define CLUSTER 0
#endif
#ifndef NAME
#define NAME "refused"
#endif
#ifndef SERIES
#define SERIES refused
#endif
#ifndef KEY
#define KEY __u32 number
#endif
#ifndef KEY_TYPE
#define KEY_TYPE struct key
#endif
#ifndef VALUE
#define VALUE estat_count_t ops
#endif
#ifndef VALUE_TYPE
#define VALUE_TYPE struct value
#endif
#ifndef NUMBER
#define NUMBER 0
#endif
#ifndef DECLARE
#define DECLARE(name, number, key, value) ESTAT_SERIES(name, number, key, value, 10, "Refused")
#endif

#define EIGHT_OF_A     'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a'
#define EIGHT(type, n) type n##1, n##2, n##3, n##4, n##5, n##6, n##7, n##8

struct empty {
};

struct key {
	KEY;
};

struct value {
	VALUE;
};

char _license[] SEC("license") = "GPL";

#ifndef CASE_no_module
const volatile struct estat_module estat_module = {
	.abi = ABI,
	.cluster = CLUSTER,
	.name = NAME,
};
#endif

#define MAP(name)                                 \
	struct {                                  \
		__uint(type, BPF_MAP_TYPE_ARRAY); \
		__uint(max_entries, 1);           \
		__type(key, __u32);               \
		__type(value, __u32);             \
	} name SEC(".maps");

#ifdef EVENTS_MAP
MAP(estat_events)
#elif defined(EVENT) || defined(EVENT_TYPE)
#ifndef EVENT_TYPE
#define EVENT_TYPE struct event
struct event {
	EVENT;
};
#endif
ESTAT_EVENTS(EVENT_TYPE, 10, "Refused");

SEC("tp_btf/block_rq_complete")
int refused_event(void *ctx)
{
	EVENT_TYPE *event = estat_event_begin();

	if (event)
		estat_event_end(event);
	return 0;
}
#endif

#ifdef LAST
struct last {
	LAST;
};

ESTAT_LAST(struct last, "Refused");

SEC("tp_btf/block_rq_complete")
int refused_last(void *ctx)
{
	struct last *last = estat_last_begin();

	if (last)
		estat_last_end(last);
	return 0;
}
#endif

#ifdef MAPS
MAPS
#else
#define GET_OF(name) name##_get
#define GET(name)    GET_OF(name)
DECLARE(SERIES, NUMBER, KEY_TYPE, VALUE_TYPE);
#ifdef VIEW
VIEW(refused);
#endif

SEC("tp_btf/block_rq_complete")
int refused_count(void *ctx)
{
	KEY_TYPE key;

	__builtin_memset(&key, 0, sizeof(key));
	return GET(SERIES)(&key) != NULL;
}
#endif
