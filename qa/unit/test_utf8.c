// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests which bytes lib/utf8.h takes as valid UTF-8. */
#include <stdbool.h>
#include <string.h>

#include "lib/utf8.h"
#include "unit.h"

/* Encode a code point in `length` bytes. With more bytes than needed the encoding is invalid. */
static void encode(char text[5], uint32_t point, unsigned int length)
{
	static const unsigned char first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

	memset(text, 0, 5);
	for (unsigned int i = length; --i > 0; point >>= 6)
		text[i] = 0x80 | (point & 0x3f);
	text[0] = first[length] | point;
}

static unsigned int length_of(uint32_t point)
{
	return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
}

/* All code points are valid except surrogates, U+FFFE, U+FFFF and those above U+10FFFF. */
static void each_point(void **state)
{
	char text[5];

	(void)state;
	for (uint32_t point = 1; point < 0x200000; point++) {
		unsigned int length = length_of(point);
		bool none = (point >= 0xd800 && point < 0xe000) || point == 0xfffe ||
			    point == 0xffff || point > 0x10ffff;

		encode(text, point, length);
		assert_int_equal(utf8_length(text), none ? 0 : length);
	}
}

static void too_long(void **state)
{
	char text[5];

	(void)state;
	for (uint32_t point = 0; point < 0x10000; point++)
		for (unsigned int length = length_of(point) + 1; length <= 4; length++) {
			encode(text, point, length);
			assert_int_equal(utf8_length(text), 0);
		}
}

static void cut(void **state)
{
	static const uint32_t points[] = { 0xe9, 0x20ac, 0xfffd, 0x1f4be };
	char text[5];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(points); i++)
		for (unsigned int length = length_of(points[i]); length-- > 1;) {
			encode(text, points[i], length_of(points[i]));
			/* without its first `length` bytes a character is invalid */
			assert_int_equal(utf8_length(text + length), 0);
			text[length] = '\0';
			assert_int_equal(utf8_length(text), 0);
			text[length] = 'x';
			assert_int_equal(utf8_length(text), 0);
		}
}

static void other_bytes(void **state)
{
	char text[2] = { 0 };

	(void)state;
	for (unsigned int byte = 0x80; byte <= 0xff; byte++) {
		*text = byte;
		assert_int_equal(utf8_length(text), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_point),
		cmocka_unit_test(too_long),
		cmocka_unit_test(cut),
		cmocka_unit_test(other_bytes),
	};

	return cmocka_run_group_tests_name("utf8", tests, NULL, NULL);
}
