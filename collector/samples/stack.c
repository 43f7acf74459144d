/* SPDX-License-Identifier: MIT */
/*
 * See stack.h. Follows the frames' links outwards and compares each frame with the last look's.
 * The read is repeated, a bounded number of times, until the words that name the innermost frame
 * were the same before and after it.
 */
#include "collector/samples/stack.h"

#include <stdlib.h>
#include <string.h>

/* frames that may have been left since the last look, to be found again behind them */
#define AHEAD 64u
#define NOT_KNOWN UINT32_MAX

struct frame {
	uint64_t code, back, at;
	uint32_t copy; /* of its code's instructions: the one that it runs */
	uint8_t owner;
};

void stack_known_release(struct stack_known *known)
{
	free(known->frame);
	*known = (struct stack_known){ 0 };
}

static bool is_due(const struct stack_known *known, uint32_t index)
{
	return (index + known->reads) % STACK_TURN == 0;
}

void stack_want(struct stack_known *known, const struct python_layout *layout, bool runs,
		const struct memory_hints *hints, struct memory *memory)
{
	if (runs) {
		memory_want_moment(memory, hints, &known->moment);
	} else {
		known->moment.from = known->moment.to = 0;
		memory_want_hints(memory, hints);
	}
	for (uint32_t i = STACK_CHECKED; i < known->count; i++)
		if (is_due(known, i))
			memory_want(memory, known->frame[i].code, layout->code_bytes);
}

static uint64_t word_in(const uint8_t *bytes, uint32_t offset)
{
	uint64_t word;

	memcpy(&word, bytes + offset, sizeof(word));
	return word;
}

static uint32_t half_in(const uint8_t *bytes, uint32_t offset)
{
	uint32_t half;

	memcpy(&half, bytes + offset, sizeof(half));
	return half;
}

/* Frames of 3.11 and later lie side by side, older ones are objects of their own. */
static bool read_frame(const struct code_reader *reader, uint64_t address, struct frame *frame)
{
	const struct python_layout *layout = reader->layout;
	uint8_t bytes[PYTHON_FRAME_BYTES];
	bool is_read = layout->code_start
			       ? memory_get_around(reader->memory, address, bytes,
						   layout->frame_bytes)
			       : memory_get(reader->memory, address, bytes, layout->frame_bytes);

	if (!is_read)
		return false;
	frame->code = word_in(bytes, layout->frame_code) & ~(uint64_t)layout->frame_tag;
	frame->back = word_in(bytes, layout->frame_back);
	frame->at = layout->code_start ? word_in(bytes, layout->frame_at)
				       : (uint32_t)word_in(bytes, layout->frame_at);
	frame->owner = layout->frame_owner ? bytes[layout->frame_owner] : 0;
	frame->copy = layout->frame_copy ? half_in(bytes, layout->frame_copy) : 0;
	return true;
}

/* As if it ran the instructions in the code itself: threads of free-threaded builds have copies. */
static bool find_instruction(const struct code_reader *reader, const struct frame *frame,
			     uint64_t *ret_instruction)
{
	const struct python_layout *layout = reader->layout;
	uint64_t copies, copy[2];

	*ret_instruction = frame->at;
	if (!frame->copy || !layout->code_copies)
		return true;
	if (!memory_get(reader->memory, frame->code + layout->code_copies, &copies, 8) ||
	    !memory_get(reader->memory, copies, &copy[0], 8) || frame->copy >= copy[0] ||
	    !memory_get(reader->memory, copies + 8 + frame->copy * 8ull, &copy[1], 8))
		return false;
	*ret_instruction = frame->at - copy[1] + frame->code + layout->code_start;
	return true;
}

/* A stack as it is read, the innermost frame first. */
struct walk {
	struct stack_frame frame[STACK_FRAMES_MAX];
	uint32_t was
		[STACK_FRAMES_MAX]; /* its index in what is known, when nothing of it has changed */
	uint32_t count;
	uint32_t next; /* of what is known: inside of that all is seen */
	bool is_late;  /* something was not among what was read at once */
	bool is_apart; /* a frame was not among what was read between two looks at the watched words */
	struct memory_watch watch;
};

/* Its innermost frame; 0: none. What says so is watched. */
static bool read_innermost(const struct code_reader *reader, uint64_t thread,
			   struct memory_watch *watch, uint64_t *ret_frame)
{
	const struct python_layout *layout = reader->layout;
	uint8_t bytes[PYTHON_THREAD_BYTES];

	watch->count = 0;
	if (!memory_get(reader->memory, thread, bytes, sizeof(bytes)))
		return false;
	*ret_frame = watch->before[0] = word_in(bytes, layout->thread_frame);
	watch->address[watch->count++] = thread + layout->thread_frame;
	if (!layout->has_cframe || !*ret_frame)
		return true;
	watch->address[watch->count++] = *ret_frame + layout->cframe_frame;
	if (!memory_get(reader->memory, *ret_frame + layout->cframe_frame, ret_frame,
			sizeof(*ret_frame)))
		return false;
	watch->before[1] = *ret_frame;
	return true;
}

bool stack_has_frame(struct memory *memory, const struct python_layout *layout, uint64_t thread)
{
	const struct code_reader reader = { .memory = memory, .layout = layout };
	struct memory_watch watch;
	uint64_t frame;

	return read_innermost(&reader, thread, &watch, &frame) && frame;
}

/* `watch` is of the last read of all: the innermost frame was the same when it began and when it ended. */
static bool watch_held(const struct memory_watch *watch, const struct memory_watch *now)
{
	if (!watch->count || watch->count != now->count)
		return false;
	for (uint32_t i = 0; i < now->count; i++)
		if (watch->address[i] != now->address[i] || watch->before[i] != now->before[i] ||
		    watch->after[i] != now->before[i])
			return false;
	return true;
}

/* What is known of the frame at this address; NULL: nothing. */
static const struct stack_frame *find_known(struct walk *walk, const struct stack_known *known,
					    uint64_t address)
{
	for (uint32_t i = walk->next; i < known->count && i < walk->next + AHEAD; i++)
		if (known->frame[i].address == address) {
			walk->next = i + 1;
			return &known->frame[i];
		}
	return NULL;
}

static bool stack_is_same(const struct stack_frame *one, const struct frame *other)
{
	return one->code == other->code && one->back == other->back && one->at == other->at;
}

static bool walk_add(struct walk *walk, struct codes *codes, const struct code_reader *reader,
		     const struct stack_known *known, uint64_t address, const struct frame *frame)
{
	const struct stack_frame *before = find_known(walk, known, address);
	struct stack_frame *now = &walk->frame[walk->count];
	uint64_t instruction;
	uint32_t index;

	*now = (struct stack_frame){ address, frame->code, frame->back, frame->at, { 0 }, 0 };
	walk->was[walk->count] = NOT_KNOWN;
	if (before && stack_is_same(before, frame)) {
		index = (uint32_t)(before - known->frame);
		now->found = before->found;
		if (walk->count >= STACK_CHECKED && !is_due(known, index)) {
			walk->was[walk->count++] = index;
			return true;
		}
	}
	if (!find_instruction(reader, frame, &instruction) ||
	    !codes_find(codes, reader, frame->code, instruction, &now->found))
		return false;
	if (before && stack_is_same(before, frame) && now->found.code == before->found.code &&
	    now->found.line == before->found.line)
		walk->was[walk->count] = (uint32_t)(before - known->frame);
	walk->count++;
	return true;
}

/* From the outermost inwards; as long as all is as it was, so are the places. */
static uint32_t walk_place(struct walk *walk, const struct stack_known *known,
			   struct places *places)
{
	uint32_t place = 0, was = known->count;

	for (uint32_t i = walk->count; i > 0; i--) {
		struct stack_frame *frame = &walk->frame[i - 1];

		if (was && walk->was[i - 1] == was - 1 && known->frame[was - 1].place) {
			place = known->frame[--was].place;
		} else {
			was = 0;
			place = places_place(places, place, frame->found.code, frame->found.line);
		}
		if (!place)
			return 0;
		frame->place = place;
	}
	return place;
}

/* Without memory nothing is known the next time. */
static void known_keep(struct stack_known *known, const struct walk *walk)
{
	struct stack_frame *moved;

	known->reads++;
	known->count = 0;
	if (walk->count > known->room) {
		moved = realloc(known->frame, walk->count * sizeof(*moved));
		if (!moved)
			return;
		known->frame = moved;
		known->room = walk->count;
	}
	known->count = walk->count;
	if (walk->count)
		memcpy(known->frame, walk->frame, walk->count * sizeof(*known->frame));
}

/* The address of the frame behind the last one that was read. */
static bool stack_walk_frames(struct walk *walk, struct codes *codes,
			      const struct code_reader *reader, const struct stack_known *known,
			      uint64_t *address)
{
	struct memory *memory = reader->memory;

	for (uint32_t links = 0;
	     *address && walk->count < STACK_FRAMES_MAX && links < STACK_FRAMES_MAX * 2; links++) {
		uint64_t at = *address;
		uint32_t fetched = memory->fetched;
		struct frame frame;

		memory->moving = true;
		if (!read_frame(reader, at, &frame))
			return false;
		memory->moving = false;
		walk->is_late |= memory->fetched != fetched;
		walk->is_apart |= !memory_is_of_moment(memory);
		*address = frame.back;
		if (frame.owner < PYTHON_OWNER_C &&
		    !walk_add(walk, codes, reader, known, at, &frame))
			return false;
	}
	return true;
}

static enum stack_result walk_read(struct walk *walk, struct codes *codes,
				   const struct code_reader *reader, uint64_t thread,
				   const struct stack_known *known, bool *ret_is_cut)
{
	struct memory *memory = reader->memory;
	uint32_t fetched = memory->fetched;
	bool is_read;
	uint64_t at;

	walk->count = walk->next = 0;
	walk->is_apart = false;
	*ret_is_cut = false;
	memory->moving = true;
	is_read = read_innermost(reader, thread, &walk->watch, &at);
	walk->is_late = memory->fetched != fetched;
	is_read = is_read && stack_walk_frames(walk, codes, reader, known, &at);
	memory->moving = false;
	if (!is_read || (!walk->count && at))
		return STACK_TORN;
	*ret_is_cut = at != 0;
	return walk->count ? STACK_READ : STACK_NONE;
}

/*
 * Of one moment: a thread that stands still has no other. Of one that runs all that changes is read in one call, until
 * its innermost frame was the same before and after: then so were that and all its callers. In code that calls all the time
 * no read is so short. Left out, it would have less than its share; so in the end it is enough that which frame is the
 * innermost was read just before the frames were, in the same call. A stack that is where it was the last time takes no call
 * but the one that reads ahead.
 */
static enum stack_result read_whole(struct walk *walk, struct codes *codes,
				    const struct code_reader *reader,
				    const struct stack_wanted *wanted, struct stack_known *known,
				    bool *ret_is_cut)
{
	bool is_taken = wanted->runs && memory_take_moment(reader->memory, &known->moment);
	enum stack_result result = walk_read(walk, codes, reader, wanted->thread, known,
					     ret_is_cut);
	bool is_first = is_taken && !walk->is_late && !walk->is_apart;
	bool is_whole = wanted->runs ? is_first && watch_held(&known->moment.watch, &walk->watch)
				     : !walk->is_late;
	uint32_t strict = STACK_STRICT_TRIES - is_first;

	for (uint32_t i = 0; (result == STACK_TORN || !is_whole) && i + 1 < STACK_TRIES; i++) {
		struct memory_watch watch = walk->watch;
		bool is_still;

		if (memory_is_refused(reader->memory))
			return STACK_TORN;
		is_still = memory_again(reader->memory, &watch);
		result = walk_read(walk, codes, reader, wanted->thread, known, ret_is_cut);
		is_still = is_still && watch_held(&watch, &walk->watch);
		is_whole = !walk->is_late && (is_still || i >= strict);
	}
	return is_whole ? result : STACK_TORN;
}

enum stack_result stack_read(struct codes *codes, const struct code_reader *reader,
			     const struct stack_wanted *wanted, struct stack_known *known,
			     struct stack *ret_stack)
{
	struct walk walk;
	enum stack_result result;

	*ret_stack = (struct stack){ 0 };
	result = read_whole(&walk, codes, reader, wanted, known, &ret_stack->is_cut);
	known->moment = (struct memory_moment){ .watch = walk.watch };
	if (result == STACK_TORN) {
		ret_stack->is_cut = false;
		known->count = 0;
		return result;
	}
	if (result == STACK_READ)
		ret_stack->innermost = (struct call_site){ walk.frame[0].code, walk.frame[0].at };
	ret_stack->place = walk_place(&walk, known, codes->places);
	known_keep(known, &walk);
	return result;
}
