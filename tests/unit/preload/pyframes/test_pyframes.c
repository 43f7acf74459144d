/* SPDX-License-Identifier: MIT */
/* links: preload:pyframes/pyframes.c */
/*
 * preload/pyframes/pyframes.c: made frames of each version's layout, right, hostile, and changed
 * meanwhile.
 */
#include <pthread.h>

#include "tests/unit/unit.h"

#include <sys/mman.h>

#include "collector/format/frame_flags.h"
#include "preload/record/limitation.h"
#include "preload/base/symbols.h"
#include "preload/pyframes/codes.h"
#include "preload/pyframes/join.h"
#include "preload/pyframes/pyframes.h"
#include "preload/record/entry.h"
#include "preload/settings/settings.h"
#include "preload/stacks/frame_names.h"
#include "preload/stacks/large.h"
#include "preload/stacks/stack.h"
#include "preload/stacks/thread.h"
#include "tests/unit/python_layouts.h"

#define PAGE 4096u
#define THREAD_AT 0u
#define FRAME_AT(number) (1024u + 256u * (number))
#define CFRAME_AT 512u
#define CODE(number) (0x100000u * ((number) + 1))
#define ROOM 6u

/* --- what pyframes.c reaches of parts that are not under test --- */

static struct frame_name names[1024];
struct frame_names frame_names = { .entry = names, .mask = 1023, .generation = 1 };
struct settings settings;
uint64_t codes_ended;
unsigned int stack_native_families, stack_python_families;
uint64_t (*stack_python)(struct recorder_lane *lane);
uint64_t (*stack_join)(struct recorder_lane *lane, uint64_t native, uint64_t python);

static struct stack_python thread;
static struct stack_python_frame frames[ROOM], fresh[ROOM];
static uint64_t lost, lines, bad_code;
static bool finalizing;
static pthread_key_t key;
static void (*meanwhile)(void); /* a signal handler that comes while a line is named */
static uint64_t words[64];      /* of frames, in the order of their naming */
static size_t word_count;

void entry_count_lost(enum entry_lost what)
{
	lost += what == ENTRY_LOST_STACK;
}

unsigned int settings_large_stacks(void)
{
	return 0;
}

bool large_map(void)
{
	return true;
}

void large_begin(void)
{
}

void limitation_say(enum limitation what, const char *subject)
{
	(void)what;
	(void)subject;
}

static int is_finalizing(void)
{
	return finalizing;
}

static void *own_state(void)
{
	return pthread_getspecific(key);
}

void *symbols_find_loaded(const char *name)
{
	if (!strcmp(name, "PyGILState_GetThisThreadState"))
		return (void *)own_state;
	return strcmp(name, "_Py_IsFinalizing") != 0 ? NULL : (void *)is_finalizing;
}

__thread struct stack_thread *stack_self;

struct stack_python *stack_thread_python(void)
{
	return &thread;
}

bool codes_begin(const struct python_layout *layout, void *code_type)
{
	(void)code_type;
	return layout != NULL;
}

bool code_read(uint64_t code, uint64_t instruction, struct code_line *ret_line)
{
	(void)code, (void)instruction;
	*ret_line = (struct code_line){
		.function = "f", .file = "f.py", .function_bytes = 1, .file_bytes = 4, .line = 5
	};
	return true;
}

uint64_t code_instruction(uint64_t code, uint64_t instruction, uint32_t copy)
{
	(void)code, (void)copy;
	return instruction;
}

uint64_t code_line_id(struct recorder_lane *lane, uint64_t code, uint64_t instruction)
{
	(void)lane;
	lines++;
	if (meanwhile)
		meanwhile();
	if (code == bad_code || code < PAGE)
		return 0;
	return PYTHON_LINE_BIT | ((code >> 4) + (instruction & 0xffff));
}

uint64_t frame_name_send(struct recorder_lane *lane, uint64_t parent, uint64_t word, uint64_t path)
{
	(void)lane, (void)parent;
	words[word_count++ % 64] = word;
	return frame_id_of(path);
}

bool join_begin(const struct python_layout *layout)
{
	return layout != NULL;
}

uint64_t join_stacks(struct recorder_lane *lane, uint64_t native, uint64_t python)
{
	(void)lane;
	return native + python;
}

/* --- made frames --- */

static char
	*memory; /* two pages with a thread state and frames; behind them one that cannot be read */
static char runtime[PAGE];
static const struct python_layout *layout;
static struct recorder_lane lane = { .mask = 1 };

static void put(uint64_t at, uint64_t value, size_t bytes)
{
	memcpy(memory + at, &value, bytes);
}

static uint64_t address_of(uint64_t at)
{
	return (uint64_t)(uintptr_t)memory + at;
}

static void set_instruction(unsigned int number, uint64_t at)
{
	put(FRAME_AT(number) + layout->frame_at, at, layout->code_start ? 8 : 4);
}

static void set_back(unsigned int number, uint64_t back)
{
	put(FRAME_AT(number) + layout->frame_back, back, 8);
}

static void set_innermost(uint64_t frame)
{
	uint64_t at = THREAD_AT + layout->thread_frame;

	if (layout->has_cframe) {
		put(at, address_of(CFRAME_AT), 8);
		at = CFRAME_AT + layout->cframe_frame;
	}
	put(at, frame, 8);
}

/* Number 0 is the outermost. */
static void make_frames(unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		put(FRAME_AT(i) + layout->frame_code, CODE(i), 8);
		set_instruction(i, 10 + i);
		set_back(i, i ? address_of(FRAME_AT(i - 1)) : 0);
	}
	set_innermost(address_of(FRAME_AT(count - 1)));
}

static const struct pyframes_example example = { .code = CODE(1),
						 .outer_code = CODE(0),
						 .function = "f",
						 .file = "f.py",
						 .line = 5 };

static bool begin_of(unsigned int minor, const struct pyframes_example *given)
{
	layout = layout_of(minor);
	assert_non_null(layout);
	memset(memory, 0, 2 * PAGE);
	memset(&thread, 0, sizeof(thread));
	memset(names, 0, sizeof(names));
	thread.frame = frames;
	thread.fresh = fresh;
	thread.room = ROOM;
	lost = lines = bad_code = word_count = 0;
	finalizing = false;
	meanwhile = NULL;
	stack_python = NULL;
	put(THREAD_AT + layout->thread_id, (uint64_t)pthread_self(), 8);
	make_frames(2);
	pthread_setspecific(key, memory + THREAD_AT);
	return pyframes_begin(layout, runtime, runtime, given);
}

static void begin(unsigned int minor)
{
	assert_true(begin_of(minor, &example));
	memset(&thread.page, 0, sizeof(thread.page));
	lines = word_count = 0;
}

static uint64_t taken(void)
{
	return stack_python(&lane);
}

static void each_version(void (*check)(void))
{
	for (unsigned int minor = 8; minor; minor = layout_next(minor)) {
		begin(minor);
		make_frames(4);
		check();
	}
}

static void read_once(void)
{
	uint64_t id = taken();

	assert_int_not_equal(id, 0);
	assert_int_equal(lines, 4);
	assert_int_equal(words[0] & PYTHON_LINE_BIT, PYTHON_LINE_BIT);
	assert_int_equal(words[3] & ~((uint64_t)0xff << RECORD_FRAME_SHIFT),
			 PYTHON_LINE_BIT | (CODE(3) / 16 + 13));
	assert_int_equal(taken(), id);
	set_instruction(3, 20);
	assert_int_not_equal(taken(), id);
	assert_int_equal(lines, 5);
	set_instruction(3, 13); /* a place where the innermost frame was before */
	assert_int_equal(taken(), id);
	assert_int_equal(lines, 5);
	set_instruction(1, 20);
	assert_int_not_equal(taken(), id);
	assert_int_equal(lines, 8);
	set_innermost(address_of(FRAME_AT(1)));
	assert_int_not_equal(taken(), 0);
	assert_int_equal(lines, 8);
	assert_int_equal(lost, 0);
}

TEST(what_stands_is_read_once)
{
	each_version(read_once);
}

static void ended_code(void)
{
	uint64_t id = taken();

	codes_ended++;
	assert_int_equal(taken(), id);
	assert_int_equal(lines, 8);
	frame_names.generation++;
	assert_int_equal(taken(), id);
	assert_int_equal(lines, 12);
}

TEST(when_code_has_ended_all_is_read_again)
{
	each_version(ended_code);
}

static void bad_links(void)
{
	const uint64_t bad[] = { 8,
				 PAGE - 8,
				 address_of(FRAME_AT(0) + 1),
				 1ull << 47,
				 UINT64_MAX,
				 address_of(2 * PAGE),
				 address_of(2 * PAGE - 8) };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		lost = 0;
		set_back(1, bad[i]);
		assert_int_equal(taken(), 0);
		assert_int_equal(lost, 1);
		make_frames(4);
		set_innermost(bad[i]);
		assert_int_equal(taken(), 0);
		assert_int_equal(lost, 2);
		make_frames(4);
		assert_int_not_equal(taken(), 0);
	}
	bad_code = CODE(2);
	make_frames(4);
	codes_ended++;
	assert_int_equal(taken(), 0);
	assert_int_equal(lost, 3);
}

TEST(hostile_frames_are_lost_and_counted)
{
	each_version(bad_links);
}

static void ring_of_frames(void)
{
	set_back(0, address_of(FRAME_AT(3)));
	assert_int_not_equal(taken(), 0);
	assert_int_equal(word_count, ROOM);
	assert_true(words[0] >> RECORD_FRAME_SHIFT & FRAME_IS_TRUNCATED);
	assert_false(words[1] >> RECORD_FRAME_SHIFT & FRAME_IS_TRUNCATED);
	set_back(2, address_of(FRAME_AT(2))); /* itself */
	assert_int_not_equal(taken(), 0);
	set_back(2, address_of(FRAME_AT(1)));
	set_back(0, 0);
	word_count = 0;
	assert_int_not_equal(taken(), 0); /* whole again */
	assert_int_equal(word_count, 4);
	assert_false(words[0] >> RECORD_FRAME_SHIFT & FRAME_IS_TRUNCATED);
	assert_int_equal(lost, 0);
}

TEST(a_ring_of_frames_ends)
{
	each_version(ring_of_frames);
}

static void strange_states(void)
{
	put(THREAD_AT + layout->thread_id, (uint64_t)pthread_self() + 64, 8);
	thread.thread = 0;
	assert_int_equal(taken(), 0); /* somebody else's */
	put(THREAD_AT + layout->thread_id, (uint64_t)pthread_self(), 8);
	pthread_setspecific(key, memory + 2 * PAGE);
	assert_int_equal(taken(), 0);
	pthread_setspecific(key, memory + THREAD_AT + 4);
	assert_int_equal(taken(), 0);
	pthread_setspecific(key, NULL);
	assert_int_equal(taken(), 0);
	pthread_setspecific(key, memory + THREAD_AT);
	finalizing = true;
	assert_int_equal(taken(), 0);
	finalizing = false;
	set_innermost(0);
	assert_int_equal(taken(), 0);
	assert_int_equal(lines, 0); /* and no frame of theirs was looked at */
	make_frames(4);
	assert_int_not_equal(taken(), 0);
}

TEST(states_of_others_are_no_stack)
{
	each_version(strange_states);
}

/* A handler that takes a stack of its own, of one frame more. */
static uint64_t handler_took;

static void interrupt(void)
{
	meanwhile = NULL;
	make_frames(5);
	handler_took = taken();
	make_frames(4);
}

static void interrupted(void)
{
	uint64_t id;

	meanwhile = interrupt;
	assert_int_equal(taken(), 0);
	assert_int_equal(lost, 1);
	assert_int_not_equal(handler_took, 0);
	id = taken();
	assert_int_not_equal(id, 0);
	assert_int_not_equal(id, handler_took);
	make_frames(5);
	assert_int_equal(taken(), handler_took);
}

TEST(a_handler_in_between_has_its_own)
{
	each_version(interrupted);
}

/*
 * From 3.12 on a frame of C stands above what C has called; its code is none, and is not asked for.
 */
TEST(frames_of_c_mark_entries)
{
	for (unsigned int minor = 12; minor; minor = layout_next(minor)) {
		begin(minor);
		make_frames(4);
		put(FRAME_AT(1) + layout->frame_owner, PYTHON_OWNER_C, 1);
		put(FRAME_AT(1) + layout->frame_code, 0, 8);
		assert_int_not_equal(taken(), 0);
		assert_int_equal(word_count, 3);
		assert_true(words[0] >> RECORD_FRAME_SHIFT & FRAME_IS_ENTRY);
		assert_true(words[1] >> RECORD_FRAME_SHIFT & FRAME_IS_ENTRY);
		assert_false(words[2] >> RECORD_FRAME_SHIFT & FRAME_IS_ENTRY);
		for (unsigned int i = 0; i < 4; i++) /* nothing but frames of C */
			put(FRAME_AT(i) + layout->frame_owner, PYTHON_OWNER_C, 1);
		codes_ended++; /* whose a frame is shows in its code, so what stands is not asked */
		assert_int_equal(taken(), 0);
		assert_int_equal(lost, 0);
	}
}

TEST(another_example_is_refused)
{
	struct pyframes_example other[5];

	for (size_t i = 0; i < 5; i++)
		other[i] = example;
	other[0].code += 16;
	other[1].outer_code += 16;
	other[2].function = "g";
	other[3].file = "f.pyc";
	other[4].line++;
	for (unsigned int minor = 8; minor; minor = layout_next(minor))
		for (size_t i = 0; i < 5; i++) {
			assert_false(begin_of(minor, &other[i]));
			assert_null(stack_python);
		}
}

static int make_memory(void **state)
{
	memory = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return memory == MAP_FAILED || mprotect(memory + 2 * PAGE, PAGE, PROT_NONE) ||
	       pthread_key_create(&key, NULL);
}

TEST_GROUP(make_memory, NULL)
