// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests the texts that pmda/schema/axis.h makes of keys: of each axis, of instance names and of
 * labels. The keys, except those of long_names(), have the types of qa/modules/shapes.bpf.c. The
 * argument is the build folder.
 */
#include <bpf/libbpf.h>
#include <glob.h>
#include <pcp/pmapi.h>
#include <pcp/pmda.h>
#include <stdio.h>
#include <string.h>

#include "schema/axis.h"
#include "unit.h"

#define KEY_SIZE 64 /* bytes; no key of qa/modules/shapes.bpf.c is longer */

static const char *build;
static struct schema *schema;
static const struct series_schema *shapes, *numbers;

static int read_shapes(void **state)
{
	char path[1024], error[512];
	struct bpf_object *object;

	(void)state;
	snprintf(path, sizeof(path), "%s/qa/modules/shapes.bpf.o", build);
	object = bpf_object__open(path);
	schema = object ? schema_read(object, error, sizeof(error)) : NULL;
	bpf_object__close(object);
	if (!schema)
		return -1;
	shapes = &schema->series[0];
	numbers = &schema->series[1];
	return 0;
}

static int free_shapes(void **state)
{
	(void)state;
	schema_free(schema);
	return 0;
}

static const struct axis *axis_of(const struct series_schema *series, const char *name)
{
	for (unsigned int i = 0; i < series->naxes; i++)
		if (!strcmp(series->axes[i].name, name))
			return &series->axes[i];
	fail_msg("no axis %s", name);
	return NULL;
}

/* Set one axis of a key to the bytes at `value`. */
static void set(const struct series_schema *series, void *key, const char *name, const void *value)
{
	const struct axis *axis = axis_of(series, name);

	assert_true(series->key_size <= KEY_SIZE);
	memcpy((char *)key + axis->offset, value, axis->size);
}

/* Check the text of one axis; the rest of the key is zeroes. */
static void assert_axis(const struct series_schema *series, const char *name, const void *value,
			const char *expected)
{
	char key[KEY_SIZE] = "", text[AXIS_TEXT_LEN];

	set(series, key, name, value);
	axis_text(schema, axis_of(series, name), key, -1, text);
	assert_string_equal(text, expected);
}

/* Of an axis of type char[16], the bytes after the first NUL must not be in the text. */
static void texts(void **state)
{
	(void)state;
	assert_axis(shapes, "text", "tank\0garbage....", "tank");
	assert_axis(shapes, "text", "\0garbage........", "none");
	assert_axis(shapes, "text", "sixteen_of_these", "sixteen_of_these");
	assert_axis(shapes, "text", "a b\tc\nd\x7f\x1b\1......",
		    "a b\\011c\\012d\\177\\033\\001......");
	assert_axis(shapes, "text", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x92\xbe quot\"\\",
		    "\xc3\xa9\xe2\x82\xac\xf0\x9f\x92\xbe quot\"\\");
	assert_axis(shapes, "text", "a\\040 \\x2d \\089\0.", "a\\134040 \\x2d \\089");
	assert_axis(shapes, "letter", "xyz", "x");
}

static void integers(void **state)
{
	const uint64_t ones = UINT64_MAX, zero = 0;
	const char high[] = "\x80\x80\x80\x80\x80\x80\x80\x80";

	(void)state;
	assert_axis(numbers, "u8", &zero, "0");
	assert_axis(numbers, "u8", &ones, "255");
	assert_axis(numbers, "u16", &ones, "65535");
	assert_axis(numbers, "u32", &ones, "4294967295");
	assert_axis(numbers, "u64", &ones, "18446744073709551615");
	assert_axis(numbers, "s8", &ones, "-1");
	assert_axis(numbers, "s16", &ones, "-1");
	assert_axis(numbers, "s32", &ones, "-1");
	assert_axis(numbers, "s64", &ones, "-1");
	assert_axis(numbers, "s8", high, "-128");
	assert_axis(numbers, "s16", high, "-32640");
	assert_axis(numbers, "s32", high, "-2139062144");
	assert_axis(numbers, "s64", high, "-9187201950435737472");
}

static void assert_enum(const char *name, int64_t number, const char *expected)
{
	assert_axis(shapes, name, &number, expected);
}

static void enums(void **state)
{
	(void)state;
	assert_enum("color", 0, "red");
	assert_enum("color", 7, "dark_blue");
	assert_enum("color", 8, "colorless");
	assert_enum("color", 1, "color_1");
	assert_enum("level", -2, "low");
	assert_enum("level", 5, "high");
	assert_enum("level", -1, "level_-1");
	assert_enum("tiny", 3, "small");
	assert_enum("tiny", 4, "tiny_4");
	assert_enum("tiny", 200, "large");
	assert_enum("tiny", 201, "tiny_201");
	assert_enum("color", 4000000000, "color_4000000000");
}

static uint32_t device(unsigned int major, unsigned int minor)
{
	return major << 20 | minor;
}

static void devices(void **state)
{
	uint32_t dev = 0;

	(void)state;
	assert_axis(shapes, "disk", &dev, "none");
	dev = device(4095, 1048575);
	assert_axis(shapes, "disk", &dev, "4095:1048575");
	dev = device(0, 1048575);
	assert_axis(shapes, "disk", &dev, "0:1048575");
}

/* The text of each disk of this machine is the disk's name. */
static void real_devices(void **state)
{
	unsigned int major, minor;
	char path[512];
	uint32_t dev;
	glob_t disks;

	(void)state;
	if (glob("/sys/block/?*", 0, NULL, &disks))
		skip();
	for (size_t i = 0; i < disks.gl_pathc; i++) {
		FILE *f;

		snprintf(path, sizeof(path), "%s/dev", disks.gl_pathv[i]);
		f = fopen(path, "r");
		if (!f) /* the disk was removed after glob() */
			continue;
		assert_int_equal(fscanf(f, "%u:%u", &major, &minor), 2);
		fclose(f);
		dev = device(major, minor);
		assert_axis(shapes, "disk", &dev, basename(disks.gl_pathv[i]));
	}
	globfree(&disks);
}

/* Check a key's instance name, and its labels, which PCP must be able to parse. */
static void assert_key(const char *text, const char *name, const char *labels)
{
	char key[KEY_SIZE] = "", got[INSTANCE_NAME_LEN], *json;
	const uint32_t color = 7, level = -2;
	pmLabelSet *set_of_labels = NULL;

	set(shapes, key, "text", text);
	set(shapes, key, "letter", "x");
	set(shapes, key, "color", &color);
	set(shapes, key, "level", &level);
	key_name(schema, shapes, key, -1, got, &json);
	assert_string_equal(got, name);
	assert_non_null(json);
	assert_string_equal(json, labels);
	assert_int_equal(pmdaAddLabels(&set_of_labels, "{%s}", json), shapes->naxes);
	pmFreeLabelSets(set_of_labels, 1);
	free(json);
}

static void keys(void **state)
{
	(void)state;
	assert_key("tank\0...........", "tank::x::none::dark_blue::low::tiny_0",
		   "\"text\":\"tank\",\"letter\":\"x\",\"disk\":\"none\",\"color\":\"dark_blue\","
		   "\"level\":\"low\",\"tiny\":\"tiny_0\"");
	assert_key("sixteen_of_these", "sixteen_of_these::x::none::dark_blue::low::tiny_0",
		   "\"text\":\"sixteen_of_these\",\"letter\":\"x\",\"disk\":\"none\","
		   "\"color\":\"dark_blue\",\"level\":\"low\",\"tiny\":\"tiny_0\"");
	assert_key("[\0..............", "_::x::none::dark_blue::low::tiny_0",
		   "\"text\":\"[\",\"letter\":\"x\",\"disk\":\"none\",\"color\":\"dark_blue\","
		   "\"level\":\"low\",\"tiny\":\"tiny_0\"");
	assert_key("a \"b\" \\c\xc3\xa9\0......",
		   "a\\040\"b\"\\040\\c\xc3\xa9::x::none::dark_blue::low::tiny_0",
		   "\"text\":\"a \\\"b\\\" \\\\c\xc3\xa9\",\"letter\":\"x\",\"disk\":\"none\","
		   "\"color\":\"dark_blue\",\"level\":\"low\",\"tiny\":\"tiny_0\"");
}

/* A name that is too long for PCP's cache is cut, and ends with a hash of the whole name. */
static void long_names(void **state)
{
	struct series_schema series = { .naxes = 5 };
	char key[5 * 255], name[INSTANCE_NAME_LEN], other[INSTANCE_NAME_LEN];

	(void)state;
	for (unsigned int i = 0; i < series.naxes; i++)
		series.axes[i] = (struct axis){
			.name = "text",
			.kind = AXIS_TEXT,
			.offset = i * 255,
			.size = 255,
		};
	memset(key, 'a', sizeof(key));
	key_name(schema, &series, key, -1, name, NULL);
	assert_int_equal(strlen(name), INSTANCE_NAME_LEN - 1);
	assert_string_equal(name + INSTANCE_NAME_LEN - 18, "~802f86f2598f24aa");
	key[sizeof(key) - 1] = 'b';
	key_name(schema, &series, key, -1, other, NULL);
	assert_memory_equal(name, other, INSTANCE_NAME_LEN - 17);
	assert_string_not_equal(name, other);
	/* without the fifth axis and 40 characters of the fourth one, the name is short enough */
	key[255 * 4 - 40] = '\0';
	series.naxes = 4;
	key_name(schema, &series, key, -1, name, NULL);
	assert_int_equal(strlen(name), 4 * 255 + 3 * 2 - 40);
	assert_null(strchr(name, '~'));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts),        cmocka_unit_test(integers),
		cmocka_unit_test(enums),        cmocka_unit_test(devices),
		cmocka_unit_test(real_devices), cmocka_unit_test(keys),
		cmocka_unit_test(long_names),
	};

	if (argc != 2) {
		fprintf(stderr, "usage: %s BUILD\n", argv[0]);
		return 2;
	}
	build = argv[1];
	return cmocka_run_group_tests_name("axis", tests, read_shapes, free_shapes);
}
