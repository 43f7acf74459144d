/* SPDX-License-Identifier: MIT */
/*
 * The layout of a CPython that contains its own offsets: 3.13 and newer, any patch release,
 * free-threaded builds too. Source: Include/internal/pycore_runtime.h of 3.13,
 * pycore_debug_offsets.h of 3.14.
 *
 * The words belong to a program and may be anything: if an offset is outside of the part of its
 * object that is read, the layout is unknown. Pure functions, any thread.
 */
#ifndef COLLECTOR_REGION_PYTHON_OFFSETS_H
#define COLLECTOR_REGION_PYTHON_OFFSETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "collector/region/python_layout.h"

#define PYTHON_OFFSETS_WORDS 96u /* words that are read, from _PyRuntime on */
#define PYTHON_OFFSETS_COOKIE "xdebugpy"
#define PYTHON_OFFSETS_MINOR 13u /* the first version that has them */

struct python_offset_words {
	uint8_t minor;
	uint8_t interpreters, interpreter_next, threads;
	uint8_t gil_pointer, gil, gil_locked,
		gil_holder; /* gil: a separate place in an interpreter */
	uint8_t thread_next, thread_frame, thread_id, thread_native;
	uint8_t frame_back, frame_code, frame_at, frame_owner, frame_copy;
	uint8_t code_file, code_name, code_table, code_line, code_start, code_copies;
	uint8_t object_type, bytes_size, bytes_data, text_state, text_length, text_data;
};

static inline const struct python_offset_words *python_offset_words_of(unsigned int minor)
{
	static const struct python_offset_words words[] = {
#define PYTHON_OFFSETS(number, ...) { .minor = (number), __VA_ARGS__ },
#include "collector/region/python_offsets.def"
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (words[i].minor == minor)
			return &words[i];
	return NULL;
}

/* Reads offsets, and checks that they are within a given number of bytes. */
struct python_offset_reader {
	const uint64_t *word;
	bool is_good;
};

static inline uint16_t python_offset_read(struct python_offset_reader *reader, unsigned int index,
					  uint32_t limit)
{
	uint64_t offset = reader->word[index];

	if (offset >= limit)
		reader->is_good = false;
	return (uint16_t)offset;
}

static inline uint16_t python_offset_word(struct python_offset_reader *reader, unsigned int index,
					  uint32_t bytes)
{
	uint16_t offset = python_offset_read(reader, index, bytes - 7);

	reader->is_good &= offset % 8 == 0;
	return offset;
}

static inline void python_offsets_take_threads(struct python_offset_reader *reader,
					       const struct python_offset_words *at,
					       struct python_layout *layout)
{
	uint64_t gil = reader->word[at->gil];

	layout->interpreters = python_offset_word(reader, at->interpreters, UINT16_MAX);
	layout->interpreter_next = python_offset_word(reader, at->interpreter_next, UINT16_MAX);
	layout->threads = python_offset_word(reader, at->threads, UINT16_MAX);
	layout->gil_pointer = python_offset_word(reader, at->gil_pointer, UINT16_MAX);
	layout->gil_holder = (uint16_t)(reader->word[at->gil_holder] - gil);
	layout->gil_locked = (uint16_t)(reader->word[at->gil_locked] - gil);
	reader->is_good &= layout->gil_holder <= PYTHON_GIL_HEAD_BYTES - 8 &&
			   layout->gil_locked <= PYTHON_GIL_HEAD_BYTES - 4;
	layout->thread_next = python_offset_word(reader, at->thread_next, PYTHON_THREAD_BYTES);
	layout->thread_frame = python_offset_word(reader, at->thread_frame, PYTHON_THREAD_BYTES);
	layout->thread_id = python_offset_word(reader, at->thread_id, PYTHON_THREAD_BYTES);
	layout->thread_native = python_offset_word(reader, at->thread_native, PYTHON_THREAD_BYTES);
}

/* A frame's pointer to its code is a tagged reference since 3.14. */
static inline void python_offsets_take_frames(struct python_offset_reader *reader,
					      const struct python_offset_words *at,
					      struct python_layout *layout)
{
	layout->frame_back = python_offset_word(reader, at->frame_back, PYTHON_FRAME_BYTES);
	layout->frame_code = python_offset_word(reader, at->frame_code, PYTHON_FRAME_BYTES);
	layout->frame_at = python_offset_word(reader, at->frame_at, PYTHON_FRAME_BYTES);
	layout->frame_owner = python_offset_read(reader, at->frame_owner, PYTHON_FRAME_BYTES);
	layout->frame_bytes = (uint16_t)((layout->frame_owner & ~7u) + 8);
	reader->is_good &= layout->frame_owner && layout->frame_bytes > layout->frame_at &&
			   layout->frame_bytes > layout->frame_back &&
			   layout->frame_bytes > layout->frame_code;
	layout->frame_tag = layout->minor >= 14 ? 3 : 0;
	layout->frame_copy = at->frame_copy ? python_offset_read(reader, at->frame_copy,
								 layout->frame_bytes - 3)
					    : 0;
}

static inline void python_offsets_take_code(struct python_offset_reader *reader,
					    const struct python_offset_words *at,
					    struct python_layout *layout)
{
	layout->code_file = python_offset_word(reader, at->code_file, PYTHON_CODE_BYTES);
	layout->code_name = python_offset_word(reader, at->code_name, PYTHON_CODE_BYTES);
	layout->code_table = python_offset_word(reader, at->code_table, PYTHON_CODE_BYTES);
	layout->code_line = python_offset_read(reader, at->code_line, PYTHON_CODE_BYTES - 3);
	layout->code_start = python_offset_word(reader, at->code_start, UINT16_MAX);
	layout->code_copies = at->code_copies
				      ? python_offset_word(reader, at->code_copies, UINT16_MAX)
				      : 0;
	layout->code_bytes = (uint16_t)(layout->code_table + 8);
	reader->is_good &= layout->code_start && layout->code_file < layout->code_table &&
			   layout->code_name < layout->code_table &&
			   layout->code_line < layout->code_table;
}

/* The bits of a str's state begin after another byte in free-threaded builds since 3.14. */
static inline void python_offsets_take_texts(struct python_offset_reader *reader,
					     const struct python_offset_words *at,
					     bool is_free_threaded, struct python_layout *layout)
{
	layout->object_type = python_offset_word(reader, at->object_type, PYTHON_TEXT_BYTES);
	layout->bytes_size = python_offset_word(reader, at->bytes_size, PYTHON_TEXT_BYTES);
	layout->bytes_data = python_offset_read(reader, at->bytes_data, PYTHON_TEXT_BYTES);
	layout->text_length = python_offset_word(reader, at->text_length, PYTHON_TEXT_BYTES);
	layout->text_state = python_offset_read(reader, at->text_state, PYTHON_TEXT_BYTES - 3);
	layout->text_shift = is_free_threaded && layout->minor >= 14 ? 8 : 2;
	layout->ascii_data = python_offset_word(reader, at->text_data, PYTHON_TEXT_BYTES + 8);
	/* after another text and its length */
	layout->wide_data = (uint16_t)(layout->ascii_data + 16);
	reader->is_good &= layout->object_type < layout->code_table &&
			   layout->text_length + 8u <= layout->text_state + 4u &&
			   layout->text_state < layout->ascii_data &&
			   layout->bytes_size < layout->bytes_data;
}

/*
 * `word` has PYTHON_OFFSETS_WORDS words. Returns false, with *ret_layout unchanged, if they are no
 * such table, or belong to another version.
 */
static inline bool python_offsets_take(const uint64_t *word, unsigned int minor,
				       struct python_layout *ret_layout)
{
	const struct python_offset_words *at = python_offset_words_of(minor);
	struct python_layout layout = { .minor = (uint16_t)minor, .table = PYTHON_LOCATIONS };
	struct python_offset_reader reader = { .word = word, .is_good = true };

	if (!at || memcmp(word, PYTHON_OFFSETS_COOKIE, sizeof(*word)) != 0 ||
	    word[1] >> 16 != (3u << 8 | minor) || word[2] > 1)
		return false;
	python_offsets_take_threads(&reader, at, &layout);
	python_offsets_take_frames(&reader, at, &layout);
	python_offsets_take_code(&reader, at, &layout);
	python_offsets_take_texts(&reader, at, word[2], &layout);
	if (!word[2])
		layout.frame_copy = layout.code_copies = 0;
	if (reader.is_good)
		*ret_layout = layout;
	return reader.is_good;
}

#endif
