/* SPDX-License-Identifier: MIT */
/*
 * collector/region/python_offsets.h: what real interpreters say, and what hostile ones may: nothing
 * that is taken lies outside of what is read.
 */
#include "tests/unit/unit.h"
#include "tests/unit/python_layouts.h"

static void fits(uint32_t offset, uint32_t bytes, uint32_t room)
{
	assert_true(offset + bytes <= room);
}

/* As collector/samples reads them: so many bytes of each object, then its fields out of these. */
static void check_is_read(const struct python_layout *layout)
{
	uint32_t text = layout->text_state + 4u;

	fits(layout->frame_bytes, 0, PYTHON_FRAME_BYTES);
	fits(layout->frame_code, 8, layout->frame_bytes);
	fits(layout->frame_back, 8, layout->frame_bytes);
	fits(layout->frame_at, 8, layout->frame_bytes);
	fits(layout->frame_owner, 1, layout->frame_bytes);
	fits(layout->frame_copy, 4, layout->frame_bytes);
	fits(layout->code_bytes, 0, PYTHON_CODE_BYTES);
	fits(layout->object_type, 8, layout->code_bytes);
	fits(layout->code_file, 8, layout->code_bytes);
	fits(layout->code_name, 8, layout->code_bytes);
	fits(layout->code_table, 8, layout->code_bytes);
	fits(layout->code_line, 4, layout->code_bytes);
	fits(text, 0, PYTHON_TEXT_BYTES);
	fits(layout->text_length, 8, text);
	fits(layout->gil_holder, 8, PYTHON_GIL_HEAD_BYTES);
	fits(layout->gil_locked, 4, PYTHON_GIL_HEAD_BYTES);
	fits(layout->thread_id, 8, PYTHON_THREAD_BYTES);
	fits(layout->thread_native, 4, PYTHON_THREAD_BYTES);
	fits(layout->thread_frame, 8, PYTHON_THREAD_BYTES);
	fits(layout->thread_next, 8, PYTHON_THREAD_BYTES);
}

TEST(every_layout_is_read_whole)
{
	for (unsigned int minor = 8; minor; minor = layout_next(minor)) {
		assert_non_null(layout_of(minor));
		check_is_read(layout_of(minor));
	}
}

static const uint64_t hostile[] = { 0,   1,     4,     7,     8,          24,        32,  40,
				    56,  57,    60,    64,    72,         112,       119, 120,
				    121, 124,   127,   128,   176,        184,       188, 191,
				    192, 65528, 65535, 65536, UINT32_MAX, UINT64_MAX };
#define HOSTILE (sizeof(hostile) / sizeof(hostile[0]))

/* Each two words of a real table by what may harm. */
TEST(hostile_words_are_refused_or_fit)
{
	unsigned int minors[] = { 13, 14, FREE_THREADED + 14 };
	unsigned int taken = 0, refused = 0;

	for (size_t m = 0; m < 3; m++) {
		unsigned int minor = minors[m] % FREE_THREADED;

		for (size_t i = 0; i < 81 * 81 * HOSTILE * HOSTILE; i++) {
			size_t first = i % 81, second = i / 81 % 81, values = i / 81 / 81;
			uint64_t words[PYTHON_OFFSETS_WORDS];
			struct python_layout layout;

			if (first > second)
				continue;
			memcpy(words, offset_words_of(minors[m]), sizeof(words));
			words[first] = hostile[values % HOSTILE];
			words[second] = hostile[values / HOSTILE];
			if (python_offsets_take(words, minor, &layout)) {
				check_is_read(&layout);
				taken++;
			} else
				refused++;
		}
	}
	assert_true(taken && refused);
}

/* What is refused leaves what was there. */
TEST(another_table_is_none)
{
	struct python_layout layout = { .minor = 77 };
	uint64_t words[PYTHON_OFFSETS_WORDS];

	memcpy(words, offset_words_13, sizeof(words));
	assert_false(python_offsets_take(words, 14, &layout));
	assert_false(python_offsets_take(words, 12, &layout));
	assert_false(python_offsets_take(words, 15, &layout));
	words[0] ^= 1;
	assert_false(python_offsets_take(words, 13, &layout));
	memset(words, 0, sizeof(words));
	assert_false(python_offsets_take(words, 13, &layout));
	assert_int_equal(layout.minor, 77);
}
