/* SPDX-License-Identifier: MIT */
/* links: collector format */
/*
 * collector/samples/{stack,codes,memory,places}.c: made-up threads of 3.11 in this process's own
 * memory: stacks, code at an address used again, frames that are none, rings of frames, depth, a
 * kernel that refuses.
 */
#include "tests/unit/unit.h"

#include <errno.h>

#include "collector/samples/stack.h"

#define MINOR 11
#define FRAMES (STACK_FRAMES_MAX + 10u)

static struct common common;
static struct places places;
static struct codes codes;
static struct memory memory;
static struct stack_known known;
static const struct python_layout *layout;
static struct code_reader reader;
static uint8_t thread[256], cframe[64], code_type[8];
static uint8_t frame[FRAMES][128];

struct text {
	uint8_t bytes[64];
};
struct made_code {
	uint8_t bytes[256];
	struct text file, name;
	struct {
		uint8_t head[32];
		uint8_t data[8];
	} table;
};
static struct made_code code[3];
/* Each in a page of its own: what is read of one is not joined to another. */
static struct {
	_Alignas(MEMORY_PAGE) struct made_code code;
} many[40];

static uint64_t at(const void *object)
{
	return (uint64_t)(uintptr_t)object;
}

static void put64(uint8_t *bytes, size_t offset, uint64_t value)
{
	memcpy(bytes + offset, &value, sizeof(value));
}

/*
 * What lies around a variable is read with it, which AddressSanitizer takes for a fault: not by
 * memcpy().
 */
__attribute__((no_sanitize("address"))) static void copy_bytes(char *to, const volatile char *from,
							       size_t bytes)
{
	while (bytes--)
		*to++ = *from++;
}

/* It reads this process, as process_vm_readv() would: what is not mapped is refused. */
static bool refuses;
static unsigned int reads;
static void (*moves)(unsigned int read);       /* what the program does before it */
static void (*moves_within)(uint64_t address); /* and before a part of it */
static ssize_t read_here(uint32_t pid, const struct iovec *local, size_t local_count,
			 const struct iovec *remote, size_t remote_count)
{
	ssize_t all = 0;

	(void)pid;
	(void)remote_count;
	if (refuses) {
		errno = EPERM;
		return -1;
	}
	reads++;
	if (moves)
		moves(reads);
	for (size_t i = 0; i < local_count; i++) {
		uint64_t address = at(remote[i].iov_base);

		if (address < 0x10000 || address >> 47) {
			errno = EFAULT;
			return all ? all : -1;
		}
		if (moves_within)
			moves_within(address);
		copy_bytes(local[i].iov_base, remote[i].iov_base, remote[i].iov_len);
		all += (ssize_t)remote[i].iov_len;
	}
	return all;
}

static void make_text(struct text *text, const char *from)
{
	put64(text->bytes, layout->text_length, strlen(from));
	text->bytes[layout->text_state] = 1 << 2 | 1 << 5 | 1 << 6;
	memcpy(text->bytes + layout->ascii_data, from, strlen(from));
}

/* Eight instructions of its first line, then two of the next. */
static void make_code(struct made_code *made, const char *name, uint32_t line)
{
	const uint8_t table[] = { 0x80 | 10 << 3 | 7, 0, 0, 0x80 | 11 << 3 | 1, 0, 0 };

	memset(made, 0, sizeof(*made));
	make_text(&made->file, "made.py");
	make_text(&made->name, name);
	put64(made->table.head, layout->bytes_size, sizeof(table));
	memcpy(made->table.data, table, sizeof(table));
	put64(made->bytes, layout->object_type, at(code_type));
	put64(made->bytes, layout->code_file, at(&made->file));
	put64(made->bytes, layout->code_name, at(&made->name));
	put64(made->bytes, layout->code_table, at(&made->table));
	memcpy(made->bytes + layout->code_line, &line, sizeof(line));
}

/* Frame i runs that code and was called by frame i + 1. */
static void make_frame(unsigned int i, const struct made_code *made, bool is_last)
{
	put64(frame[i], layout->frame_code, at(made->bytes));
	put64(frame[i], layout->frame_back, is_last ? 0 : at(frame[i + 1]));
	put64(frame[i], layout->frame_at, at(made->bytes) + layout->code_start + 4);
}

static enum stack_result read_stack(struct stack *stack)
{
	memory_begin(&memory, 1);
	return stack_read(&codes, &reader,
			  &(struct stack_wanted){ .thread = at(thread), .runs = false }, &known,
			  stack);
}

static int begin(void **state)
{
	memset(&common, 0, sizeof(common));
	memset(frame, 0, sizeof(frame));
	refuses = false;
	reads = 0;
	moves = NULL;
	moves_within = NULL;
	layout = python_layout_of(MINOR);
	journal_init(&common.journal);
	assert_int_equal(names_init(&common.names, &common.journal), 0);
	places_init(&places, &common.journal);
	codes_init(&codes, &common, &places);
	assert_int_equal(memory_init(&memory), 0);
	memory.read = read_here;
	reader = (struct code_reader){ &memory, layout, 1, at(code_type) };
	put64(thread, layout->thread_frame, at(cframe));
	put64(cframe, layout->cframe_frame, at(frame[0]));
	make_code(&code[0], "inner", 10);
	make_code(&code[1], "outer", 20);
	make_code(&code[2], "other", 30);
	for (uint32_t i = 0; i < 40; i++) {
		char name[16];

		snprintf(name, sizeof(name), "many%u", i);
		make_code(&many[i].code, name, 100 + i);
	}
	make_frame(0, &code[0], false);
	make_frame(1, &code[1], true);
	return 0;
}

static int end(void **state)
{
	codes_release(&codes);
	places_release(&places);
	memory_release(&memory);
	stack_known_release(&known);
	names_release(&common.names);
	journal_release(&common.journal);
	return 0;
}

static unsigned int told(uint32_t id)
{
	unsigned int count = 0;

	for (size_t i = 0; i < common.journal.count; i++)
		count += common.journal.event[i].id == id;
	return count;
}

static const struct evt_python_code *last_code(void)
{
	for (size_t i = common.journal.count; i > 0; i--)
		if (common.journal.event[i - 1].id == EVT_python_code)
			return (const void *)common.journal.event[i - 1].value;
	return NULL;
}

TEST_BOTH(stack_is_told_once, begin, end)
{
	struct stack first, second;

	assert_int_equal(read_stack(&first), STACK_READ);
	assert_int_equal(read_stack(&second), STACK_READ);
	assert_int_equal(first.place, 2);
	assert_int_equal(second.place, 2);
	assert_false(first.is_cut);
	assert_int_equal(told(EVT_python_place), 2);
	assert_int_equal(told(EVT_python_code), 2);
	assert_int_equal(last_code()->line, 20);
}

/* Within a code object another line is another place. */
TEST_BOTH(line_follows_the_instruction, begin, end)
{
	struct stack first, second;

	assert_int_equal(read_stack(&first), STACK_READ);
	put64(frame[0], layout->frame_at, at(code[0].bytes) + layout->code_start + 16);
	assert_int_equal(read_stack(&second), STACK_READ);
	assert_int_not_equal(first.place, second.place);
	assert_int_equal(told(EVT_python_code), 2);
}

TEST_BOTH(address_is_used_again, begin, end)
{
	struct stack first, second;

	assert_int_equal(read_stack(&first), STACK_READ);
	make_code(&code[0], "new", 77);
	assert_int_equal(read_stack(&second), STACK_READ);
	assert_int_equal(told(EVT_python_code), 3);
	assert_int_equal(last_code()->line, 77);
}

TEST_BOTH(what_is_no_stack_is_torn, begin, end)
{
	struct stack stack;

	put64(code[0].bytes, layout->object_type, at(thread)); /* no code object */
	assert_int_equal(read_stack(&stack), STACK_TORN);
	make_code(&code[0], "inner", 10);
	put64(frame[1], layout->frame_code, 1);
	assert_int_equal(read_stack(&stack), STACK_TORN);
	make_code(&code[1], "<interpreter trampoline>", 20); /* of a frame that is C's */
	make_frame(1, &code[1], true);
	assert_int_equal(read_stack(&stack), STACK_TORN);
	make_code(&code[1], "outer", 20);
	put64(frame[0], layout->frame_back, UINT64_MAX - 3);
	assert_int_equal(read_stack(&stack), STACK_TORN);
	make_frame(0, &code[0], false);
	put64(code[0].name.bytes, layout->text_length, UINT64_MAX);
	put64(code[0].bytes, layout->code_name, 3);
	assert_int_equal(read_stack(&stack), STACK_TORN);
	assert_int_equal(told(EVT_python_place), 0);
}

TEST_BOTH(thread_without_frames_is_no_error, begin, end)
{
	struct stack stack;

	put64(cframe, layout->cframe_frame, 0);
	assert_int_equal(read_stack(&stack), STACK_NONE);
	put64(thread, layout->thread_frame, 0);
	assert_int_equal(read_stack(&stack), STACK_NONE);
}

TEST_BOTH(ring_of_frames_ends, begin, end)
{
	struct stack stack;

	put64(frame[1], layout->frame_back, at(frame[0]));
	assert_int_equal(read_stack(&stack), STACK_READ);
	assert_true(stack.is_cut);
	assert_int_equal(told(EVT_python_place), STACK_FRAMES_MAX);
}

TEST_BOTH(deep_stack_is_cut, begin, end)
{
	struct stack stack;

	for (unsigned int i = 0; i < FRAMES; i++)
		make_frame(i, &code[i % 3], i + 1 == FRAMES);
	assert_int_equal(read_stack(&stack), STACK_READ);
	assert_true(stack.is_cut);
	assert_int_equal(told(EVT_python_code), 3);
}

TEST_BOTH(refusal_is_known, begin, end)
{
	struct stack stack;

	refuses = true;
	assert_int_equal(read_stack(&stack), STACK_TORN);
	assert_int_equal(memory.error, EPERM);
}

/* The thread's state is read for its process. */
static enum stack_result read_as(bool runs, struct memory_hints *hints, struct stack *stack)
{
	enum stack_result result;

	memory_begin(&memory, 1);
	memory_want(&memory, at(thread), PYTHON_THREAD_BYTES);
	if (runs)
		stack_want_moment(&known, hints, &memory);
	else
		memory_want_hints(&memory, hints);
	if (runs)
		memory_fetch(&memory);
	stack_want_rest(&known, layout, hints, &memory);
	memory_fetch(&memory);
	memory_begin_use(&memory);
	result = stack_read(&codes, &reader,
			    &(struct stack_wanted){ .thread = at(thread), .runs = runs }, &known,
			    stack);
	memory_keep_hints(&memory, hints);
	return result;
}

static enum stack_result read_with(struct memory_hints *hints, struct stack *stack)
{
	return read_as(false, hints, stack);
}

/* One system call where all is as it was; a hint that has gone bad costs no more than itself. */
TEST_BOTH(hints_save_calls, begin, end)
{
	struct memory_hints hints = { 0 };
	struct stack stack;
	uint32_t calls;

	for (unsigned int i = 0; i < 40; i++)
		make_frame(i, &code[i % 3], i == 39);
	for (unsigned int i = 0; i < 3 * STACK_TURN; i++) {
		calls = memory.calls;
		assert_int_equal(read_with(&hints, &stack), STACK_READ);
		assert_int_equal(stack.place, 40);
		if (i)
			assert_int_equal(memory.calls, calls + 1);
	}
	hints.hint[0].address = 8;
	assert_int_equal(read_with(&hints, &stack), STACK_READ);
	assert_int_equal(stack.place, 40);
	memory_hints_release(&hints);
}

/*
 * Neighbours in a page are read together, twice the same once; what lies far away, or in another
 * page, is not.
 */
TEST_BOTH(neighbours_are_one_part, begin, end)
{
	static _Alignas(MEMORY_PAGE) uint8_t pages[2 * MEMORY_PAGE];
	uint8_t got[16];

	for (unsigned int i = 0; i < sizeof(pages); i++)
		pages[i] = (uint8_t)(i * 7 + i / 256);
	memory_begin(&memory, 1);
	memory_want(&memory, at(pages + 500), 16);
	memory_want(&memory, at(pages + 500), 16);
	memory_want(&memory, at(pages + 100), 8);
	memory_want(&memory, at(pages + 104), 4);
	assert_int_equal(memory.count, 1);
	memory_want(&memory, at(pages + 2000), 16); /* too far */
	memory_want(&memory, at(pages + MEMORY_PAGE - 8), 8);
	memory_want(&memory, at(pages + MEMORY_PAGE), 8); /* another page */
	memory_want(&memory, at(pages + 3000), 0);
	memory_want(&memory, UINT64_MAX - 4, 8);
	assert_int_equal(memory.count, 4);
	memory_fetch(&memory);
	assert_int_equal(memory.filled, 416 + 16 + 8 + 8);
	for (unsigned int i = 0; i < 4; i++) {
		static const unsigned int from[] = { 100, 500, 2000, MEMORY_PAGE - 8 };

		assert_true(memory_get(&memory, at(pages + from[i]), got, i == 3 ? 8 : 16));
		assert_memory_equal(got, pages + from[i], i == 3 ? 8 : 16);
	}
	assert_int_equal(memory.count, 4);
}

/* Many threads of one process: what finds no room is read by itself. */
TEST_BOTH(more_than_there_is_room_for, begin, end)
{
	static uint8_t bytes[3 * MEMORY_PARTS * 64];
	uint8_t got[8];

	for (size_t i = 0; i < sizeof(bytes); i += 64)
		bytes[i] = (uint8_t)(i / 64 % 251);
	memory_begin(&memory, 1);
	for (size_t i = 0; i < sizeof(bytes); i += 64) {
		assert_true(memory_get(&memory, at(bytes + i), got, sizeof(got)));
		assert_int_equal(got[0], i / 64 % 251);
	}
	assert_true(memory_get_around(&memory, at(bytes), got, sizeof(got)));
	assert_false(memory_get(&memory, 8, got, sizeof(got)));
	assert_int_equal(memory.count, MEMORY_PARTS);
}

/*
 * Only the innermost ones and every eighth of the others are read of 40 code objects that have not
 * changed.
 */
TEST_BOTH(unchanged_frames_are_not_read, begin, end)
{
	struct memory_hints hints = { 0 };
	struct stack stack;
	unsigned int read = 0;

	for (unsigned int i = 0; i < 40; i++)
		make_frame(i, &many[i].code, i == 39);
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(read_with(&hints, &stack), STACK_READ);
	for (uint32_t i = 0; i < hints.count; i++)
		read += hints.hint[i].bytes == layout->code_bytes;
	assert_in_range(read, STACK_CHECKED, STACK_CHECKED + 40 / STACK_TURN);
	memory_hints_release(&hints);
}

/*
 * Equal in all that a frame says, and yet other code: seen at once in the innermost frames, soon in
 * all of them.
 */
TEST_BOTH(other_code_at_the_same_place_is_seen, begin, end)
{
	struct stack first, stack;
	unsigned int looks = 0;

	for (unsigned int i = 0; i < 40; i++)
		make_frame(i, &many[i].code, i == 39);
	assert_int_equal(read_stack(&first), STACK_READ);
	make_code(&many[0].code, "new", 5);
	assert_int_equal(read_stack(&stack), STACK_READ);
	assert_int_not_equal(stack.place, first.place);
	make_code(&many[30].code, "newer", 6);
	first = stack;
	while (stack.place == first.place && looks++ < 2 * STACK_TURN)
		assert_int_equal(read_stack(&stack), STACK_READ);
	assert_in_range(looks, 0, STACK_TURN);
	assert_int_equal(last_code()->line, 6);
}

/* Whatever changes between two looks, the stack is that of a reader that knows nothing. */
TEST_BOTH(what_is_known_changes_nothing, begin, end)
{
	static struct stack_known nothing;
	struct stack stack, plain;
	unsigned int random = 1;

	for (unsigned int round = 0; round < 2000; round++) {
		unsigned int depth = 1 + (random >> 8) % 50, from = (random >> 16) % 10;

		random = random * 1103515245 + 12345;
		for (unsigned int i = from; i < from + depth; i++)
			make_frame(i, &many[(i + (round / 7 + i / 9) % 3) % 40].code,
				   i + 1 == from + depth);
		put64(cframe, layout->cframe_frame, at(frame[from]));
		assert_int_equal(read_stack(&stack), STACK_READ);
		memory_begin(&memory, 1);
		assert_int_equal(
			stack_read(&codes, &reader,
				   &(struct stack_wanted){ .thread = at(thread), .runs = false },
				   &nothing, &plain),
			STACK_READ);
		stack_known_release(&nothing);
		assert_int_equal(stack.place, plain.place);
	}
}

static unsigned int begun, ended;
static void count_begin(void *of)
{
	assert_ptr_equal(of, &begun);
	begun++;
}
static void count_end(void *of)
{
	assert_ptr_equal(of, &begun);
	assert_int_equal(++ended, begun);
}

static enum stack_result read_running(struct stack *stack)
{
	const struct stack_wanted wanted = { at(thread), true, count_begin, count_end, &begun };

	begun = ended = 0;
	memory_begin(&memory, 1);
	return stack_read(&codes, &reader, &wanted, &known, stack);
}

/* A frame is garbage for so many reads; then it is one. */
static unsigned int torn_until;
static void is_torn_at_first(unsigned int read)
{
	put64(frame[0], layout->frame_code, read < torn_until ? 1 : at(code[0].bytes));
}

TEST_BOTH(torn_stack_is_read_again, begin, end)
{
	struct stack stack;

	moves = is_torn_at_first;
	torn_until = 6;
	assert_int_equal(read_stack(&stack), STACK_READ);
	assert_int_equal(stack.place, 2);
	reads = 0;
	torn_until = UINT32_MAX;
	assert_int_equal(read_running(&stack), STACK_TORN);
	assert_int_equal(begun, STACK_TRIES - 1); /* each later read is another moment */
	assert_int_equal(ended, begun);
	assert_int_equal(stack.place, 0);
	assert_in_range(reads, STACK_TRIES, 6 * STACK_TRIES);
}

/* An evaluation loop begins: its word is 0 for so many reads; then it is the frame. */
static void has_no_frame_at_first(unsigned int read)
{
	put64(cframe, layout->cframe_frame, read < torn_until ? 0 : at(frame[0]));
}

TEST_BOTH(running_thread_between_frames_is_read_again, begin, end)
{
	const uint64_t own = at(thread) + 192;
	struct stack stack;

	moves = has_no_frame_at_first;
	torn_until = 4;
	assert_int_equal(read_running(&stack), STACK_READ);
	assert_int_equal(stack.place, 2);
	/* a loop that never has one: C code of a greenlet, for example */
	torn_until = UINT32_MAX;
	reads = 0;
	assert_int_equal(read_running(&stack), STACK_NONE);
	assert_in_range(reads, STACK_TRIES, 6 * STACK_TRIES);
	/* the thread itself has none */
	moves = NULL;
	put64(thread, layout->thread_frame, own);
	put64(thread + 192, layout->cframe_frame, 0);
	reads = 0;
	assert_int_equal(read_running(&stack), STACK_NONE);
	assert_in_range(reads, 1, STACK_TRIES);
}

/* While the frames are being asked for "outer" is left, and "other" calls "inner" in its place. */
static void calls_other(unsigned int read)
{
	if (read != 3)
		return;
	make_frame(0, &code[0], false);
	make_frame(1, &code[2], true);
	put64(cframe, layout->cframe_frame, at(frame[0]));
}

/*
 * Frames that were read one after the other: those behind the change have callers that never called
 * the first ones.
 */
TEST_BOTH(frames_of_two_moments_are_no_stack, begin, end)
{
	uint32_t after;
	struct stack stack;

	make_frame(1, &code[2], true);
	assert_int_equal(read_stack(&stack), STACK_READ);
	after = stack.place;
	stack_known_release(&known);
	for (unsigned int runs = 0; runs < 2; runs++) {
		reads = 0;
		moves = NULL;
		make_frame(0, &code[1], false);
		make_frame(1, &code[1], true);
		moves = calls_other;
		assert_int_equal(runs ? read_running(&stack) : read_stack(&stack), STACK_READ);
		assert_int_equal(stack.place, after);
	}
}

/* Of a thread that runs and is where it was: one call for all that moves, then one for the rest. */
TEST_BOTH(running_stack_takes_two_calls, begin, end)
{
	struct memory_hints hints = { 0 };
	struct stack stack;
	uint32_t calls;

	for (unsigned int i = 0; i < 40; i++)
		make_frame(i, &code[i % 3], i == 39);
	for (unsigned int i = 0; i < 2 * STACK_TURN; i++) {
		calls = memory.calls;
		assert_int_equal(read_as(true, &hints, &stack), STACK_READ);
		assert_int_equal(stack.place, 40);
		if (i > 1)
			assert_int_equal(memory.calls, calls + 2);
	}
	/* more calls where the stack is another, and two again when that stays */
	put64(cframe, layout->cframe_frame, at(frame[3]));
	for (unsigned int i = 0; i < 4; i++) {
		calls = memory.calls;
		assert_int_equal(read_as(true, &hints, &stack), STACK_READ);
		if (i > 1)
			assert_int_equal(memory.calls, calls + 2);
	}
	memory_hints_release(&hints);
}

/* Evaluation loops are close to each other on the stack: another one is read with the last. */
TEST_BOTH(other_loop_is_read_at_once, begin, end)
{
	static _Alignas(MEMORY_PAGE) uint8_t loop[2][64];
	struct memory_hints hints = { 0 };
	struct stack stack;
	uint32_t calls;

	put64(thread, layout->thread_frame, at(loop[0]));
	put64(loop[0], layout->cframe_frame, at(frame[0]));
	put64(loop[1], layout->cframe_frame, at(frame[1]));
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(read_as(true, &hints, &stack), STACK_READ);
	put64(thread, layout->thread_frame, at(loop[1]));
	calls = memory.calls;
	assert_int_equal(read_as(true, &hints, &stack), STACK_READ);
	assert_int_equal(stack.place, 1);
	assert_in_range(memory.calls, calls + 1, calls + 2);
	memory_hints_release(&hints);
}

/*
 * The program leaves "outer" for "other" just before that part is read, or behind it: there is no
 * frame of each, but if the change comes right between the word that says which frame is the
 * innermost and that frame, and what is left there looks like a frame.
 */
static uint64_t moves_at;
static bool has_moved;
static void calls_other_within(uint64_t address)
{
	if (has_moved || address != moves_at)
		return;
	has_moved = true;
	make_frame(2, &code[0], false);
	make_frame(3, &code[2], true);
	put64(cframe, layout->cframe_frame, at(frame[2]));
	make_frame(0, &code[2], false); /* what is left is garbage that looks like frames */
	make_frame(1, &code[1], true);
}

TEST_BOTH(change_within_a_read_is_seen, begin, end)
{
	const uint64_t moments[] = { at(thread) + layout->thread_frame,
				     at(cframe) + layout->cframe_frame,
				     at(frame[0]) & ~(uint64_t)(MEMORY_PAGE - 1),
				     at(code[0].bytes) };
	struct memory_hints hints = { 0 };
	struct stack before, after, stack;

	make_frame(2, &code[0], false);
	make_frame(3, &code[2], true);
	put64(cframe, layout->cframe_frame, at(frame[2]));
	assert_int_equal(read_as(true, &hints, &after), STACK_READ);
	for (unsigned int i = 0; i < 4; i++) {
		make_frame(0, &code[0], false);
		make_frame(1, &code[1], true);
		put64(cframe, layout->cframe_frame, at(frame[0]));
		for (unsigned int look = 0; look < 3; look++)
			assert_int_equal(read_as(true, &hints, &before), STACK_READ);
		assert_int_not_equal(before.place, after.place);
		moves_at = moments[i];
		has_moved = false;
		moves_within = calls_other_within;
		assert_int_equal(read_as(true, &hints, &stack), STACK_READ);
		moves_within = NULL;
		if (i < 2)
			assert_int_equal(stack.place, after.place);
	}
	memory_hints_release(&hints);
}

/*
 * Another instruction, another frame: the thread has gone on. The same, or what cannot be read: it
 * may not have.
 */
TEST_BOTH(mark_tells_whether_a_thread_has_gone_on, begin, end)
{
	static uint8_t other[64];
	struct memory_hints hints = { 0 };
	struct stack_mark mark;
	struct stack stack;

	stack_mark(&memory, layout, &known, &mark);
	assert_false(mark.is_known); /* nothing was read of it */
	assert_int_equal(read_as(true, &hints, &stack), STACK_READ);
	stack_mark(&memory, layout, &known, &mark);
	assert_true(mark.is_known);
	assert_false(stack_has_moved(&mark, &known));
	mark.at += 2;
	assert_true(stack_has_moved(&mark, &known));
	put64(cframe, layout->cframe_frame, at(frame[1]));
	stack_mark(&memory, layout, &known, &mark);
	assert_true(stack_has_moved(&mark, &known));
	assert_int_equal(read_as(true, &hints, &stack), STACK_READ);
	assert_false(stack_has_moved(&mark, &known));
	/* in another evaluation loop than the last time, and still there */
	put64(thread, layout->thread_frame, at(other));
	put64(other, layout->cframe_frame, at(frame[0]));
	stack_mark(&memory, layout, &known, &mark);
	assert_true(stack_has_moved(&mark, &known));
	assert_int_equal(read_as(true, &hints, &stack), STACK_READ);
	assert_false(stack_has_moved(&mark, &known));
	refuses = true;
	stack_mark(&memory, layout, &known, &mark);
	assert_false(stack_has_moved(&mark, &known));
	memory_hints_release(&hints);
}

/*
 * A frame that was read for somebody else, before the words that are watched, is of no moment with
 * the rest.
 */
TEST_BOTH(frame_read_for_others_is_read_again, begin, end)
{
	struct memory_hint own = { at(frame[0]), sizeof(frame[0]), true, 0 };
	struct memory_hints hints = { &own, 1, 1 };
	struct stack before, after, stack;

	put64(frame[0], layout->frame_back, at(frame[40]));
	make_frame(40, &code[2], true);
	assert_int_equal(read_stack(&after), STACK_READ);
	make_frame(40, &code[1], true);
	assert_int_equal(read_stack(&before), STACK_READ);
	assert_int_not_equal(before.place, after.place);
	memory_begin(&memory, 1);
	memory_want(&memory, at(thread), PYTHON_THREAD_BYTES);
	memory_want(&memory, at(frame[40]), sizeof(frame[40]));
	stack_want_moment(&known, &hints, &memory);
	memory_fetch(&memory);
	make_frame(40, &code[2], true);
	memory_begin_use(&memory);
	assert_int_equal(stack_read(&codes, &reader,
				    &(struct stack_wanted){ .thread = at(thread), .runs = true },
				    &known, &stack),
			 STACK_READ);
	assert_int_equal(stack.place, after.place);
}
