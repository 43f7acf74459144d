/* SPDX-License-Identifier: MIT */
/*
 * Follows the links of frames outwards and compares each frame with that of the last look. The read
 * is repeated, at most STACK_TRIES times, until the frames are of one moment.
 */
#include "collector/samples/stack.h"

#include <stdlib.h>
#include <string.h>

/* A frame is looked for among so many known ones: the thread may have left those before it. */
#define AHEAD 64u
#define RAW_MAX (2 * STACK_FRAMES_MAX) /* with the frames of C code in between */
#define NOT_KNOWN UINT32_MAX
#define STATE_BYTES 1024u /* of PyThreadState at most, in 3.11 and 3.12 */

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

void stack_want_moment(struct stack_known *known, const struct memory_hints *hints,
		       struct memory *memory)
{
	memory_want_moment(memory, hints, &known->moment);
}

void stack_want_rest(const struct stack_known *known, const struct python_layout *layout,
		     const struct memory_hints *hints, struct memory *memory)
{
	memory_want_still(memory, hints);
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

/* From 3.11 on, frames are adjacent in memory; older ones are objects of their own. */
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

/* Threads of free-threaded builds run copies of the code; the place in the original is wanted. */
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
	struct frame raw[RAW_MAX]; /* as they are in the process */
	uint64_t address[RAW_MAX]; /* theirs */
	uint32_t raws;
	struct stack_frame frame[STACK_FRAMES_MAX];
	/* by frame: its index in the known stack if it has not changed, else NOT_KNOWN */
	uint32_t was[STACK_FRAMES_MAX];
	uint32_t count;
	uint32_t next; /* the first known frame that was not met yet */
	bool is_cut;
	bool is_late; /* something was not in the first read */
	/* a frame was not read between the two reads of the watched words */
	bool is_apart;
	struct memory_watch watch;
};

/* Finds the innermost frame, 0 if there is none. The words that name it are watched. */
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
	/* those of other evaluation loops lie around it, on the thread's stack */
	if (!memory_get_around(reader->memory, *ret_frame + layout->cframe_frame, ret_frame,
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

/* Returns the known frame at this address; NULL: none. */
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

/* From the outermost frame inwards: places stay the same as long as the frames do. */
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

/* If there is no memory, nothing is known at the next look. */
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

/*
 * Reads only the frames' memory; their code is looked up afterwards, because that takes longer.
 * `*address` becomes that of the frame behind the last one.
 */
static bool stack_walk_frames(struct walk *walk, const struct code_reader *reader,
			      uint64_t *address)
{
	struct memory *memory = reader->memory;
	uint32_t count = 0;

	for (walk->raws = 0; *address && count < STACK_FRAMES_MAX && walk->raws < RAW_MAX;
	     walk->raws++) {
		uint32_t fetched = memory->fetched;
		struct frame *frame = &walk->raw[walk->raws];

		walk->address[walk->raws] = *address;
		if (!read_frame(reader, *address, frame))
			return false;
		walk->is_late |= memory->fetched != fetched;
		walk->is_apart |= !memory_is_of_moment(memory);
		count += frame->owner < PYTHON_OWNER_C;
		*address = frame->back;
	}
	return true;
}

static bool stack_walk_codes(struct walk *walk, struct codes *codes,
			     const struct code_reader *reader, const struct stack_known *known)
{
	for (uint32_t i = 0; i < walk->raws; i++)
		if (walk->raw[i].owner < PYTHON_OWNER_C &&
		    !walk_add(walk, codes, reader, known, walk->address[i], &walk->raw[i]))
			return false;
	return true;
}

/* Returns STACK_TORN also if the frames must be, and are not, of one moment. */
static enum stack_result walk_read(struct walk *walk, struct codes *codes,
				   const struct code_reader *reader, uint64_t thread,
				   const struct stack_known *known, bool of_moment)
{
	struct memory *memory = reader->memory;
	uint32_t fetched = memory->fetched;
	bool is_read;
	uint64_t at;

	walk->count = walk->next = walk->raws = 0;
	walk->is_apart = walk->is_cut = false;
	memory->moving = true;
	is_read = read_innermost(reader, thread, &walk->watch, &at);
	walk->is_late = memory->fetched != fetched;
	is_read = is_read && stack_walk_frames(walk, reader, &at);
	memory->moving = false;
	if (!is_read || walk->is_late || (walk->is_apart && of_moment) ||
	    !stack_walk_codes(walk, codes, reader, known) || (!walk->count && at))
		return STACK_TORN;
	walk->is_cut = at != 0;
	return walk->count ? STACK_READ : STACK_NONE;
}

/*
 * No frame, but the thread is in an evaluation loop: it came to that or left it within the read. A
 * thread that runs nothing has the frame that lies in its own state.
 */
static bool stack_is_between_frames(const struct walk *walk, const struct code_reader *reader,
				    const struct stack_wanted *wanted, enum stack_result result)
{
	return result == STACK_NONE && wanted->runs && reader->layout->has_cframe &&
	       walk->watch.count && walk->watch.before[0] - wanted->thread >= STATE_BYTES;
}

/*
 * The stack of a thread that does not run is of one moment. For a running thread, the word that
 * names the innermost frame is read first, and the frames in the same call. The word need not be
 * the same after them: code that calls functions all the time would be read again until the thread
 * reaches a line where it stays, and that line would get the CPU time of the others.
 */
static enum stack_result read_whole(struct walk *walk, struct codes *codes,
				    const struct code_reader *reader,
				    const struct stack_wanted *wanted, struct stack_known *known)
{
	enum stack_result result;

	if (wanted->runs)
		(void)memory_take_moment(reader->memory, &known->moment);
	result = walk_read(walk, codes, reader, wanted->thread, known, wanted->runs);
	for (uint32_t i = 1; i < STACK_TRIES; i++) {
		struct memory_watch watch = walk->watch;

		if (result != STACK_TORN && !stack_is_between_frames(walk, reader, wanted, result))
			break;
		if (memory_is_refused(reader->memory))
			return STACK_TORN;
		if (wanted->begin_again)
			wanted->begin_again(wanted->of);
		(void)memory_again(reader->memory, &watch);
		if (wanted->end_again)
			wanted->end_again(wanted->of);
		result = walk_read(walk, codes, reader, wanted->thread, known, false);
	}
	return result;
}

void stack_mark(struct memory *memory, const struct python_layout *layout,
		const struct stack_known *known, struct stack_mark *ret_mark)
{
	const struct memory_watch *watch = &known->moment.watch;
	const uint32_t bytes = layout->code_start ? 8 : 4;
	struct iovec local[MEMORY_WATCHED + 1], remote[MEMORY_WATCHED + 1];
	uint32_t count = 0;

	*ret_mark = (struct stack_mark){ .is_known = false };
	if (!known->count || !watch->count)
		return;
	for (; count < watch->count; count++) {
		local[count] = (struct iovec){ &ret_mark->word[count], 8 };
		remote[count] = (struct iovec){ (void *)(uintptr_t)watch->address[count], 8 };
	}
	ret_mark->frame = known->frame[0].address;
	local[count] = (struct iovec){ &ret_mark->at, bytes };
	remote[count++] = (struct iovec){ (void *)(uintptr_t)(ret_mark->frame + layout->frame_at),
					  bytes };
	if (memory->read(memory->pid, local, count, remote, count) !=
	    (ssize_t)(8 * watch->count + bytes))
		return;
	ret_mark->is_known = true;
	if (watch->count == MEMORY_WATCHED &&
	    ret_mark->word[0] + layout->cframe_frame != watch->address[1] &&
	    memory_copy(memory, ret_mark->word[0] + layout->cframe_frame, &ret_mark->word[1], 8) !=
		    8)
		ret_mark->word[1] = 0; /* not that of where it was the last time */
	if (ret_mark->word[watch->count - 1] == ret_mark->frame)
		return;
	ret_mark->frame = ret_mark->word[watch->count - 1];
	ret_mark->at = 0;
	if (memory_copy(memory, ret_mark->frame + layout->frame_at, &ret_mark->at, bytes) != bytes)
		ret_mark->frame = 0;
}

bool stack_has_moved(const struct stack_mark *mark, const struct stack_known *known)
{
	if (!mark->is_known || !known->count)
		return false;
	for (uint32_t i = 0; i < known->moment.watch.count; i++)
		if (mark->word[i] != known->moment.watch.before[i])
			return true;
	return mark->frame == known->frame[0].address && mark->at != known->frame[0].at;
}

enum stack_result stack_read(struct codes *codes, const struct code_reader *reader,
			     const struct stack_wanted *wanted, struct stack_known *known,
			     struct stack *ret_stack)
{
	struct walk walk;
	enum stack_result result;

	*ret_stack = (struct stack){ 0 };
	result = read_whole(&walk, codes, reader, wanted, known);
	known->moment = (struct memory_moment){ .watch = walk.watch };
	if (result == STACK_TORN) {
		known->count = 0;
		return result;
	}
	if (result == STACK_READ)
		ret_stack->innermost = (struct call_site){ walk.frame[0].code, walk.frame[0].at };
	ret_stack->is_cut = walk.is_cut;
	ret_stack->place = walk_place(&walk, known, codes->places);
	known_keep(known, &walk);
	return result;
}
