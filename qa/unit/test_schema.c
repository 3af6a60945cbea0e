// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests what the agent reads from a module's object (pmda/schema/schema.h), and which objects the
 * agent refuses, with which reason. The argument is the build folder.
 */
#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>

#include "schema/rodata.h"
#include "schema/schema.h"
#include "unit.h"

static const char *build;

#define NOT_AN_AXIS                                                               \
	" has a type that the agent does not know: it must be char[N], an enum, " \
	"an integer or an axis type of bpf/abi.h"
#define NOT_A_FIELD                                                                       \
	" has a type that the agent does not know: it must be a field type of bpf/abi.h " \
	"or, outside a group, a struct of them"
#define BAD_NAME                                                                      \
	"the module's name must be a word, a letter a-z and then a-z, 0-9 and _, or " \
	"two words with a . between, at most 31 characters in all"

/* A case of qa/modules/refused.bpf.c, and why it is refused. */
static const struct {
	const char *name, *error;
} refused[] = {
	{ "key_pointer", "series refused: key member address" NOT_AN_AXIS },
	{ "key_bit_field", "series refused: key member low is a bit field, which no axis can be" },
	{ "key_float", "series refused: key member share" NOT_AN_AXIS },
	{ "key_int128", "series refused: key member address" NOT_AN_AXIS },
	{ "key_struct", "series refused: key member inner" NOT_AN_AXIS },
	{ "key_pointers", "series refused: key member modules" NOT_AN_AXIS },
	{ "key_nine_axes", "series refused: the key has 9 members, not 1 to 8" },
	{ "key_no_struct", "series refused: the key is not a struct" },
	{ "value_integer", "series refused: value member ops" NOT_A_FIELD },
	{ "value_pointer", "series refused: value member address" NOT_A_FIELD },
	{ "value_array", "series refused: value member ops" NOT_A_FIELD },
	{ "value_group_in_group", "series refused: value member inner" NOT_A_FIELD },
	{ "value_two_latencies",
	  "series refused: value members latency and second have the same kind" },
	{ "value_empty_group", "series refused: a group without a field" },
	{ "value_no_field", "series refused: a group without a field" },
	{ "value_16_groups", "series refused: more than 15 groups" },
	{ "field_without_number",
	  "series refused: value member hits has no number, 17 to 30: use ESTAT_NUMBER" },
	{ "field_number_16",
	  "series refused: value member hits has the number 16, which is not 17 to 30" },
	{ "field_number_31",
	  "series refused: value member hits has the number 31, which is not 17 to 30" },
	{ "field_number_no_digits",
	  "series refused: value member hits has the number 17 + 1, which is not 17 to 30" },
	{ "field_number_twice",
	  "series refused: value members hits and misses have the same number, 17" },
	{ "field_number_fixed",
	  "series refused: value member ops takes no number: do not use ESTAT_NUMBER" },
	{ "field_number_of_max",
	  "series refused: value member longest takes no number: do not use ESTAT_NUMBER" },
	{ "group_without_number",
	  "series refused: value member queue has no number, 1 to 14: use ESTAT_NUMBER" },
	{ "group_number_0",
	  "series refused: value member queue has the number 0, which is not 1 to 14" },
	{ "group_number_twice",
	  "series refused: value members queue and device have the same number, 1" },
	{ "group_number_15", "series refused: queue has the number 14 + 1, which is not 0 to 14" },
	{ "series_without_number",
	  "series refused: it has no number, 0 to 14: use ESTAT_SERIES or ESTAT_VIEW" },
	{ "series_number_15",
	  "series refused: it has no number, 0 to 14: use ESTAT_SERIES or ESTAT_VIEW" },
	{ "view_number_of_series", "series view: its number 0 belongs to refused already" },
	{ "view_number_of_group", "series view: its number 1 belongs to refused.queue already" },
	{ "value_no_struct", "series refused: the value is not a struct" },
	{ "view_of_nothing", "series view: there is no table nothing" },
	{ "view_other_axis", "series view: \"number name\" does not name axes of its table" },
	{ "view_no_axis", "series view: \" \" does not name axes of its table" },
	{ "view_if_no_enum",
	  "series view: \"if number=1\" must be AXIS=GLOB with an axis that is an enum" },
	{ "view_if_no_values",
	  "series view: \"if number\" must be AXIS=GLOB with an axis that is an enum" },
	{ "view_taken_name", "a field has the name of series ops" },
	{ "layer_of_nothing",
	  "layer nothing is neither an exported series nor a group of the series with the "
	  "module's name" },
	{ "layer_rank_0", "layer refused has a rank that is not 1 to 999" },
	{ "layer_rank_1000", "layer refused has a rank that is not 1 to 999" },
	{ "layout_nothing",
	  "ESTAT_LAYOUT names nothing, but the module declares no such series or events" },
	{ "name_layer", "the name layer is reserved for the agent" },
	{ "name_below_layer", "the name layer.refused is reserved for the agent" },
	{ "series_name_of_32",
	  "series a_series_name_of_32_characters__: the name is longer than 31" },
	{ "series_of_other_maps",
	  "series refused: map refused_slots holds no slots: use ESTAT_SERIES" },
	{ "series_of_two_maps", "series refused: maps are missing: use ESTAT_SERIES" },
	{ "abi", "built for version 7 of bpf/abi.h, the agent has 6: build it again" },
	{ "cluster", "cluster 1024 is not 0 to 1023" },
	{ "name_capital", BAD_NAME },
	{ "name_digit_first", BAD_NAME },
	{ "name_dot_last", BAD_NAME },
	{ "name_empty", BAD_NAME },
	{ "name_unterminated", BAD_NAME },
	{ "no_series", "the object declares no series" },
	{ "no_module", "the object declares no module: use ESTAT_MODULE" },
	{ "value_share", "series refused: value member share" NOT_A_FIELD },
	{ "value_named_events", "series refused: the name events is reserved for the agent" },
	{ "event_pointer", "event member address" NOT_AN_AXIS },
	{ "event_gauge", "event member gauge" NOT_AN_AXIS },
	{ "event_no_struct", "the event is not a struct" },
	{ "event_empty", "the event has 0 members, not 1 to 32" },
	{ "event_33_members", "the event has 33 members, not 1 to 32" },
	{ "event_without_number", "event member number has no number, 1 to 63: use ESTAT_NUMBER" },
	{ "event_number_64", "event member number has the number 64, which is not 1 to 63" },
	{ "event_number_twice", "event members one and other have the same number, 3" },
	{ "value_named_last", "series refused: the name last is reserved for the last records" },
	{ "last_age", "the name age is reserved for the agent" },
	{ "events_of_another_map",
	  "map estat_events holds no events: use ESTAT_EVENTS or ESTAT_LAST" },
	{ "no_btf", "the object has no BTF: compile it with clang -g" },
};

/* Read the schema of an object in the build folder. */
static struct schema *read_schema(const char *path, char *error, size_t size)
{
	char full[1024];
	struct bpf_object *object;
	struct schema *schema;

	snprintf(full, sizeof(full), "%s/%s.bpf.o", build, path);
	object = bpf_object__open(full);
	assert_non_null(object);
	schema = schema_read(object, error, size);
	bpf_object__close(object);
	return schema;
}

static void refusals(void **state)
{
	char path[256], error[512];

	(void)state;
	for (unsigned int i = 0; i < ARRAY_SIZE(refused); i++) {
		snprintf(path, sizeof(path), "qa/modules/refused_%s", refused[i].name);
		assert_null(read_schema(path, error, sizeof(error)));
		assert_string_equal(error, refused[i].error);
	}
}

/* A reason that does not fit into the buffer is cut. */
static void long_reason(void **state)
{
	char error[20];

	(void)state;
	assert_null(read_schema("qa/modules/refused_key_pointer", error, sizeof(error)));
	assert_string_equal(error, "series refused: key");
}

/* refused.bpf.c without a case is accepted: so the agent refuses each case for its change alone. */
static void not_refused(void **state)
{
	char error[512];
	struct schema *schema = read_schema("qa/modules/refused", error, sizeof(error));

	(void)state;
	assert_non_null(schema);
	assert_string_equal(schema->name, "refused");
	assert_int_equal(schema->nseries, 1);
	schema_free(schema);
}

static void assert_axis(const struct axis *axis, const char *name, enum axis_kind kind,
			uint32_t offset, uint32_t size)
{
	assert_string_equal(axis->name, name);
	assert_int_equal(axis->kind, kind);
	assert_int_equal(axis->offset, offset);
	assert_int_equal(axis->size, size);
}

static void assert_field(const struct field *field, const char *name, enum field_kind kind,
			 uint32_t word, const char *help)
{
	assert_string_equal(field->name, name);
	assert_int_equal(field->kind, kind);
	assert_int_equal(field->word, word);
	assert_string_equal(field->help, help);
}

static void assert_gauge(const struct field *field, const char *name, enum unit unit, uint32_t word,
			 const char *help)
{
	assert_field(field, name, FIELD_GAUGE, word, help);
	assert_int_equal(field->unit, unit);
}

/* Check the fields of struct estat_latency after `ops`; the first of these fields is at `word`. */
static void assert_latency(const struct field *fields, uint32_t word)
{
	assert_field(fields, "latency_sum", FIELD_NSEC, word, "Sum of latencies");
	assert_field(fields + 1, "latency_max", FIELD_MAX, word + 1, "Highest latency");
	assert_field(fields + 2, "latency_sumsq", FIELD_SUMSQ, word + 2,
		     "Sum of squared latencies");
	assert_field(fields + 3, "latency", FIELD_LATENCY, word + 4,
		     "Histogram of latency: number of operations by microseconds");
}

static void shapes_axes(const struct series_schema *s)
{
	assert_int_equal(s->naxes, 6);
	assert_int_equal(s->key_size, 36);
	assert_axis(&s->axes[0], "text", AXIS_TEXT, 0, 16);
	assert_axis(&s->axes[1], "letter", AXIS_TEXT, 16, 1);
	assert_axis(&s->axes[2], "disk", AXIS_DEVICE, 20, 4);
	assert_axis(&s->axes[3], "color", AXIS_ENUM, 24, 4);
	assert_axis(&s->axes[4], "level", AXIS_ENUM, 28, 4);
	assert_axis(&s->axes[5], "tiny", AXIS_ENUM, 32, 1);
}

static void shapes_groups(const struct series_schema *s)
{
	const struct group *g = s->groups;

	assert_int_equal(s->ngroups, 3);
	assert_string_equal(g->name, "");
	assert_string_equal(g->help, "");
	assert_int_equal(g->nfields, 9);
	assert_field(&g->fields[0], "ops", FIELD_COUNT, 0, "Number of operations that succeeded");
	assert_field(&g->fields[1], "bytes", FIELD_BYTES, 1, "Bytes transferred");
	assert_latency(&g->fields[2], 2);
	assert_field(&g->fields[6], "size", FIELD_SIZE, 218,
		     "Histogram of size: number of operations by bytes");
	assert_field(&g->fields[7], "errors", FIELD_COUNT, 250, "Number of operations that failed");
	assert_field(&g->fields[8], "retries", FIELD_COUNT, 251, "Retries");
	assert_ptr_equal(g->ops, &g->fields[0]);
	assert_ptr_equal(g->bytes, &g->fields[1]);
	assert_ptr_equal(g->sum, &g->fields[2]);
	assert_ptr_equal(g->max, &g->fields[3]);
	assert_ptr_equal(g->sumsq, &g->fields[4]);
	assert_ptr_equal(g->latency, &g->fields[5]);
	assert_ptr_equal(g->size, &g->fields[6]);

	g++;
	assert_string_equal(g->name, "queue");
	assert_string_equal(g->help, "Time in the queue");
	assert_int_equal(g->nfields, 5);
	assert_field(&g->fields[0], "ops", FIELD_COUNT, 252, "Number of operations measured");
	assert_latency(&g->fields[1], 253);
	assert_ptr_equal(g->latency, &g->fields[4]);
	assert_null(g->bytes);
	assert_null(g->size);

	g++;
	assert_string_equal(g->name, "cache");
	assert_string_equal(g->help, "");
	assert_int_equal(g->nfields, 2);
	assert_field(&g->fields[0], "bytes", FIELD_BYTES, 469, "");
	assert_field(&g->fields[1], "request_size", FIELD_SIZE, 470, "");
	assert_int_equal(g->fields[0].item, 2);
	assert_int_equal(g->fields[1].item, 30);
	assert_int_equal(schema_group_number(s, 2), 4);
	assert_ptr_equal(g->size, &g->fields[1]);
	assert_null(g->ops);
	assert_int_equal(s->value_words, 502);
}

static void numbers(const struct series_schema *s)
{
	static const char *const names[] = { "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64" };
	static const unsigned int offsets[] = { 0, 2, 4, 8, 16, 18, 20, 24 };
	const struct group *g = s->groups;

	assert_int_equal(s->naxes, 8);
	for (unsigned int i = 0; i < 8; i++)
		assert_axis(&s->axes[i], names[i], i < 4 ? AXIS_UNSIGNED : AXIS_SIGNED, offsets[i],
			    1 << i % 4);

	assert_int_equal(s->ngroups, 1);
	assert_string_equal(g->help, "");
	assert_int_equal(g->nfields, 8);
	assert_field(&g->fields[0], "busy", FIELD_NSEC, 0, "");
	assert_field(&g->fields[1], "longest", FIELD_MAX, 1, "Longest time busy");
	assert_field(&g->fields[2], "squares", FIELD_SUMSQ, 2, "");
	assert_gauge(&g->fields[3], "sectors", UNIT_COUNT, 4, "Sectors of the last request");
	assert_gauge(&g->fields[4], "request_bytes", UNIT_BYTES, 6, "");
	assert_gauge(&g->fields[5], "time", UNIT_NSEC, 8, "");
	assert_gauge(&g->fields[6], "share", UNIT_SHARE, 10, "");
	assert_gauge(&g->fields[7], "never", UNIT_COUNT, 12, "");
	assert_null(g->ops);
	assert_null(g->sum); /* only a field with the name latency_sum is the group's sum */
	assert_ptr_equal(g->max, &g->fields[1]);
	assert_ptr_equal(g->sumsq, &g->fields[2]);
}

static void assert_parameter(const struct parameter *p, const char *name, bool text, enum unit unit,
			     uint32_t offset, const char *help)
{
	assert_string_equal(p->axis.name, name);
	assert_int_equal(p->text, text);
	assert_int_equal(p->unit, unit);
	assert_int_equal(p->axis.offset, offset);
	assert_string_equal(p->help, help);
}

static void events(const struct ring_schema *e)
{
	const struct parameter *p = e->parameters;

	assert_string_equal(e->help,
			    "One for each request of an odd number of sectors to a disk of 21 MiB");
	assert_int_equal(e->records, 8);
	assert_int_equal(e->event_offset, sizeof(struct estat_event_head));
	assert_int_equal(e->record_size, e->event_offset + 64);
	assert_int_equal(e->nparameters, 8);
	assert_parameter(&p[0], "text", true, UNIT_COUNT, 0, "A text");
	assert_int_equal(p[0].axis.kind, AXIS_TEXT);
	assert_parameter(&p[1], "disk", true, UNIT_COUNT, 16, "");
	assert_int_equal(p[1].axis.kind, AXIS_DEVICE);
	assert_parameter(&p[2], "color", true, UNIT_COUNT, 20, "");
	assert_int_equal(p[2].axis.kind, AXIS_ENUM);
	assert_parameter(&p[3], "number", true, UNIT_COUNT, 24, "");
	assert_int_equal(p[3].axis.kind, AXIS_SIGNED);
	assert_parameter(&p[4], "sectors", false, UNIT_COUNT, 32, "Sectors");
	assert_parameter(&p[5], "bytes", false, UNIT_BYTES, 40, "");
	assert_parameter(&p[6], "time", false, UNIT_NSEC, 48, "");
	assert_parameter(&p[7], "share", false, UNIT_SHARE, 56, "");
	assert_int_equal(p[0].item, 1);
	assert_int_equal(p[7].item, 8);
}

static void shapes(void **state)
{
	char error[512];
	struct schema *schema = read_schema("qa/modules/shapes", error, sizeof(error));

	(void)state;
	assert_non_null(schema);
	assert_string_equal(schema->name, "shapes");
	assert_int_equal(schema->cluster, 0);
	assert_int_equal(schema->nseries, 2);
	assert_string_equal(schema->series[0].name, "shapes");
	assert_int_equal(schema->series[0].keys, 10);
	assert_int_equal(schema->series[0].first_group, 0);
	shapes_axes(&schema->series[0]);
	shapes_groups(&schema->series[0]);
	assert_string_equal(schema->series[1].name, "numbers");
	assert_int_equal(schema->series[1].keys, 1000);
	assert_int_equal(schema->series[1].first_group, 3);
	numbers(&schema->series[1]);
	events(&schema->rings[RING_EVENTS]);
	assert_string_equal(schema->rings[RING_LAST].help, "The same records");
	assert_int_equal(schema->rings[RING_LAST].records, ESTAT_LAST_RECORDS);
	assert_int_equal(schema->rings[RING_LAST].nparameters, 8);
	assert_parameter(&schema->rings[RING_LAST].parameters[7], "share", false, UNIT_SHARE, 56,
			 "");
	schema_free(schema);
}

static void backend_io(void **state)
{
	char error[512];
	struct schema *schema = read_schema("modules/backend_io", error, sizeof(error));
	const struct series_schema *s;
	const struct group *g;

	(void)state;
	assert_non_null(schema);
	assert_string_equal(schema->name, "backend_io");
	assert_int_equal(schema->cluster, 1);
	assert_int_equal(schema->nseries, 1);
	s = schema->series;
	assert_string_equal(s->name, "backend_io");
	assert_int_equal(s->naxes, 2);
	assert_axis(&s->axes[0], "disk", AXIS_DEVICE, 0, 4);
	assert_axis(&s->axes[1], "op", AXIS_ENUM, 4, 4);
	assert_int_equal(s->ngroups, 2);
	g = s->groups;
	assert_true(g->ops && g->bytes && g->sum && g->sumsq && g->max && g->latency && g->size);
	g++;
	assert_string_equal(g->name, "queue");
	assert_true(g->ops && !g->bytes && g->sum && g->sumsq && g->max && g->latency && !g->size);
	assert_int_equal(schema->rings[RING_EVENTS].nparameters, 12);
	assert_true(schema->slow);
	schema_free(schema);
}

/* zio has two tables: one that is not exported and has two views, and the series flush. */
static void views(void **state)
{
	char error[512];
	struct schema *schema = read_schema("modules/zio", error, sizeof(error));
	const struct series_schema *s;

	(void)state;
	assert_non_null(schema);
	assert_int_equal(schema->ntables, 2);
	assert_int_equal(schema->nseries, 4);
	s = schema->series;
	assert_true(s->hidden);
	assert_int_equal(s->naxes, 4);
	s++;
	assert_string_equal(s->name, "flush");
	assert_false(s->hidden);
	s++;
	assert_string_equal(s->name, "zio");
	assert_false(s->hidden);
	assert_int_equal(s->table, 0);
	assert_int_equal(s->first_group, 1);
	assert_int_equal(s->naxes, 3);
	assert_axis(&s->axes[0], "pool", AXIS_NAME, 0, 8);
	assert_axis(&s->axes[1], "op", AXIS_ENUM, 16, 4);
	assert_axis(&s->axes[2], "priority", AXIS_ENUM, 20, 4);
	assert_ptr_equal(s->groups, schema->series[0].groups);
	assert_true(*s->help);
	s++;
	assert_string_equal(s->name, "vdev");
	assert_int_equal(s->first_group, 2);
	assert_int_equal(s->naxes, 3);
	assert_axis(&s->axes[1], "vdev", AXIS_NAME, 8, 8);
	schema_free(schema);
}

/*
 * RODATA() finds the constant estat_module of an object, and variable_offset() finds the variables
 * NAME_state of its series.
 */
static void variables(void **state)
{
	char path[1024], error[512];
	struct bpf_object *object;
	struct schema *schema;
	struct estat_module *m;
	long first, second;

	(void)state;
	snprintf(path, sizeof(path), "%s/qa/modules/shapes.bpf.o", build);
	object = bpf_object__open(path);
	assert_non_null(object);
	m = RODATA(object, "estat_module", struct estat_module);
	assert_non_null(m);
	assert_int_equal(m->abi, ESTAT_ABI_VERSION);
	assert_string_equal(m->name, "shapes");

	schema = schema_read(object, error, sizeof(error));
	assert_non_null(schema);
	first = variable_offset(schema->btf, ".bss", "shapes_state");
	second = variable_offset(schema->btf, ".bss", "numbers_state");
	assert_true(first >= 0 && second >= 0);
	assert_true(labs(first - second) >= (long)sizeof(struct estat_state));
	assert_int_equal(variable_offset(schema->btf, ".bss", "other_state"), -1);
	assert_int_equal(variable_offset(schema->btf, ".data", "shapes_state"), -1);
	schema_free(schema);
	bpf_object__close(object);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(backend_io), cmocka_unit_test(shapes),
		cmocka_unit_test(variables),  cmocka_unit_test(not_refused),
		cmocka_unit_test(refusals),   cmocka_unit_test(long_reason),
		cmocka_unit_test(views),
	};

	if (argc != 2) {
		fprintf(stderr, "usage: %s BUILD\n", argv[0]);
		return 2;
	}
	build = argv[1];
	return cmocka_run_group_tests_name("schema", tests, NULL, NULL);
}
