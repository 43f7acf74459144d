/* SPDX-License-Identifier: MIT */
/* See stack.h. */
#include "collector/samples/stack.h"

#include <string.h>

struct frame {
	uint64_t code, back, at;
	uint8_t owner;
};

static uint64_t word_in(const uint8_t *bytes, uint32_t offset)
{
	uint64_t word;

	memcpy(&word, bytes + offset, sizeof(word));
	return word;
}

/* Frames of 3.11 and later lie side by side, older ones are objects of their own. */
static bool read_frame(const struct code_reader *reader, uint64_t address, struct frame *frame)
{
	const struct python_layout *layout = reader->layout;
	uint8_t bytes[128];
	bool is_read = layout->code_start
			       ? memory_get_around(reader->memory, address, bytes,
						   layout->frame_bytes)
			       : memory_get(reader->memory, address, bytes, layout->frame_bytes);

	if (!is_read)
		return false;
	frame->code = word_in(bytes, layout->frame_code);
	frame->back = word_in(bytes, layout->frame_back);
	frame->at = layout->code_start ? word_in(bytes, layout->frame_at)
				       : (uint32_t)word_in(bytes, layout->frame_at);
	frame->owner = layout->frame_owner ? bytes[layout->frame_owner] : 0;
	return true;
}

/* Its innermost frame; 0: none. */
static bool read_innermost(const struct code_reader *reader, uint64_t thread, uint64_t *ret_frame)
{
	const struct python_layout *layout = reader->layout;
	uint8_t bytes[PYTHON_THREAD_BYTES];

	if (!memory_get(reader->memory, thread, bytes, sizeof(bytes)))
		return false;
	*ret_frame = word_in(bytes, layout->thread_frame);
	if (!layout->has_cframe || !*ret_frame)
		return true;
	return memory_get(reader->memory, *ret_frame + layout->cframe_frame, ret_frame,
			  sizeof(*ret_frame));
}

/* From the outermost inwards. */
static uint32_t place_of(struct places *places, const struct code_place *frame, uint32_t count)
{
	uint32_t place = 0;

	for (uint32_t i = count; i > 0; i--) {
		place = places_place(places, place, frame[i - 1].code, frame[i - 1].line);
		if (!place)
			return 0;
	}
	return place;
}

enum stack_result stack_read(struct codes *codes, const struct code_reader *reader, uint64_t thread,
			     struct stack *ret_stack)
{
	struct code_place found[STACK_FRAMES_MAX];
	uint32_t count = 0, links = 0;
	uint64_t at;

	*ret_stack = (struct stack){ 0 };
	if (!read_innermost(reader, thread, &at))
		return STACK_TORN;
	for (; at && count < STACK_FRAMES_MAX && links < STACK_FRAMES_MAX * 2; links++) {
		struct frame frame;

		if (!read_frame(reader, at, &frame))
			return STACK_TORN;
		at = frame.back;
		if (frame.owner == PYTHON_OWNER_C)
			continue;
		if (!codes_find(codes, reader, frame.code, frame.at, &found[count]))
			return STACK_TORN;
		count++;
	}
	if (!count)
		return at ? STACK_TORN : STACK_NONE;
	ret_stack->is_cut = at != 0;
	ret_stack->place = place_of(codes->places, found, count);
	return STACK_READ;
}
