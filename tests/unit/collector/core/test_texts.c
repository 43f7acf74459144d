/* SPDX-License-Identifier: MIT */
/*
 * Texts of names: kept by id, known as used or not in a turn, and forgotten only when there is no
 * room.
 */
/* links: collector */

#include "tests/unit/unit.h"

#include "collector/core/texts.h"

#define LONG_TEXT 65536u

TEST(texts_are_found_by_id)
{
	struct texts texts = { 0 };
	size_t length;

	texts_keep(&texts, 3, "three", 5);
	texts_keep(&texts, 5000, "many", 4);
	assert_null(texts_find(&texts, 4, &length));
	assert_null(texts_find(&texts, 1ull << 40, &length));
	assert_memory_equal(texts_find(&texts, 3, &length), "three", 5);
	assert_int_equal(length, 5);
	assert_memory_equal(texts_find(&texts, 5000, &length), "many", 4);
	texts_release(&texts);
}

TEST(texts_are_stale_in_a_new_turn)
{
	struct texts texts = { 0 };

	texts_keep(&texts, 1, "one", 3);
	assert_false(texts_is_stale(&texts, 1));
	texts.turn++;
	assert_true(texts_is_stale(&texts, 1));
	assert_false(texts_is_stale(&texts, 2));
	texts_use(&texts, 1);
	assert_false(texts_is_stale(&texts, 1));
	texts_release(&texts);
}

/* The unused ones are forgotten, the bound holds. */
TEST(texts_forget_what_is_unused)
{
	static char text[LONG_TEXT];
	struct texts texts = { 0 };
	size_t length;

	memset(text, 'x', sizeof(text));
	texts_keep(&texts, 1, "unused", 6);
	texts_keep(&texts, 2, "used", 4);
	for (uint32_t id = 10; id < 1000; id++) {
		texts.turn++;
		texts_use(&texts, 2);
		texts_keep(&texts, id, text, sizeof(text));
		assert_true(texts.used <= TEXTS_BYTES_MAX);
		assert_true(texts.bytes_room <= TEXTS_BYTES_MAX);
	}
	assert_null(texts_find(&texts, 1, &length));
	assert_memory_equal(texts_find(&texts, 2, &length), "used", 4);
	assert_non_null(texts_find(&texts, 999, &length));
	texts_release(&texts);
}
