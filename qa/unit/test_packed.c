// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests the arrays of words of which most are 0 (pmda/data/packed.h). */
#include <stdlib.h>
#include <string.h>

#include "data/packed.h"
#include "unit.h"

#define MOST 200 /* words */

/* Arrays of each length up to MOST, with few and with many words that are not 0. */
static void round_trips(void **state)
{
	uint64_t words[MOST], unpacked[MOST];

	(void)state;
	for (unsigned int n = 1; n <= MOST; n++)
		for (unsigned int of = 1; of <= 16; of++) {
			uint64_t *packed;

			for (unsigned int i = 0; i < n; i++)
				words[i] = random64() % of ? 0 : random_magnitude();
			packed = packed_make(words, n);
			packed_unpack(packed, unpacked, n);
			assert_memory_equal(unpacked, words, n * sizeof(*words));
			for (unsigned int i = 0; i < n; i++)
				assert_int_equal(packed_word(packed, n, i), words[i]);
			free(packed);
		}
}

static void zeros(void **state)
{
	uint64_t words[MOST] = { 0 };

	(void)state;
	assert_null(packed_make(words, MOST));
	memset(words, 1, sizeof(words));
	packed_unpack(NULL, words, MOST);
	for (unsigned int i = 0; i < MOST; i++)
		assert_int_equal(words[i], 0);
	assert_int_equal(packed_word(NULL, MOST, 5), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trips),
		cmocka_unit_test(zeros),
	};

	return cmocka_run_group_tests_name("packed", tests, NULL, NULL);
}
