/* SPDX-License-Identifier: MIT */
/*
 * Arrays that grow by moving pages: what was put stays through every growth, beyond the size where
 * large pages are asked for.
 */
/* links: report format */
#include "tests/unit/unit.h"
#include "report/base/vast.h"

#define ELEMENTS 400000u /* 54 MB: past every threshold */

/* Of a size that divides no page. */
struct element {
	uint64_t word[17];
};

TEST(what_was_put_stays)
{
	struct element *array = NULL;
	size_t room = 0;

	for (size_t i = 0; i < ELEMENTS; i++) {
		array = vast_room(array, i, &room, sizeof(*array));
		assert_true(room > i);
		assert_true(array[i].word[0] == 0 && array[i].word[16] == 0);
		array[i].word[0] = i;
		array[i].word[16] = ~i;
	}
	for (size_t i = 0; i < ELEMENTS; i++)
		assert_true(array[i].word[0] == i && array[i].word[16] == ~i);
	vast_release(array, room, sizeof(*array));
}

TEST(an_element_may_be_far_away)
{
	size_t room = 0;
	uint32_t *array = vast_room(NULL, 0, &room, sizeof(*array));

	array[0] = 7;
	array = vast_room(array, 30000000, &room, sizeof(*array));
	assert_true(room > 30000000);
	assert_int_equal(array[0], 7);
	assert_int_equal(array[30000000], 0);
	array[30000000] = 8;
	assert_ptr_equal(vast_room(array, 30000000, &room, sizeof(*array)), array);
	vast_release(array, room, sizeof(*array));
	vast_release(NULL, 0, sizeof(*array));
}
