/* SPDX-License-Identifier: MIT */
/* links: report */
/* Texts by number: one number a text, in the order in which they come, whatever bytes they have. */
#include "tests/unit/unit.h"

#include "report/base/interned.h"

#define MANY 5000u

TEST(each_text_has_one_number)
{
	struct interned interned = { .count = 0 };
	char text[16];

	for (unsigned int round = 0; round < 2; round++)
		for (unsigned int i = 0; i < MANY; i++) {
			snprintf(text, sizeof(text), "%u", i);
			assert_int_equal(interned_put(&interned, text, strlen(text)), i);
		}
	assert_int_equal(interned.count, MANY);
	assert_string_equal(interned.text[17].text, "17");
	assert_int_equal(interned.text[17].length, 2);
	interned_release(&interned);
}

TEST(bytes_and_length_tell_texts_apart)
{
	struct interned interned = { .count = 0 };

	assert_int_equal(interned_put(&interned, "", 0), 0);
	assert_int_equal(interned_put(&interned, "a\0b", 3), 1);
	assert_int_equal(interned_put(&interned, "a\0c", 3), 2);
	assert_int_equal(interned_put(&interned, "a", 1), 3);
	assert_int_equal(interned_put(&interned, "", 0), 0);
	assert_memory_equal(interned.text[2].text, "a\0c", 3);
	interned_release(&interned);
}
