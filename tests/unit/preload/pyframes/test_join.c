/* SPDX-License-Identifier: MIT */
/* links: preload:pyframes/join.c */
/*
 * preload/pyframes/join.c: one stack of made native and Python frames, right, hostile, and changed
 * meanwhile.
 */
#include "tests/unit/unit.h"

#include <sys/mman.h>

#include "collector/format/frame_flags.h"
#include "preload/pyframes/join.h"
#include "preload/stacks/frame_names.h"
#include "preload/stacks/pages.h"
#include "preload/stacks/thread.h"
#include "tests/unit/python_layouts.h"

#define NATIVE 71u
#define PYTHON 72u
#define FRAMES 8u
#define SENT_MAX 64u

/* --- what join.c reaches of parts that are not under test --- */

static struct frame_name names[1024];
struct frame_names frame_names = { .entry = names, .mask = 1023, .generation = 1 };
__thread struct stack_thread *stack_self;

static uint64_t sent[SENT_MAX]; /* words, in the order of their sending */
static size_t sent_count, room = SENT_MAX;
static void (*meanwhile)(void); /* a signal handler that comes while a frame is sent */

void *pages_map(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);

	return memory == MAP_FAILED ? NULL : memory;
}

uint64_t frame_name_send(struct recorder_lane *lane, uint64_t parent, uint64_t word, uint64_t path)
{
	(void)lane, (void)parent;
	if (sent_count >= room)
		return 0;
	sent[sent_count++] = word;
	if (meanwhile)
		meanwhile();
	return frame_id_of(path);
}

/* --- made stacks --- */

static struct stack_thread thread;
static struct stack_frame native[FRAMES];
static struct stack_python_frame python[FRAMES];
static uint64_t chain[512]
	__attribute__((aligned(4096))); /* what the thread state is, and its structs */
static const struct python_layout *layout;
static uint64_t run; /* each test has pairs of its own */

static void start(unsigned int minor)
{
	layout = layout_of(minor);
	assert_non_null(layout);
	assert_true(join_begin(layout));
	memset(&thread, 0, sizeof(thread));
	memset(chain, 0, sizeof(chain));
	memset(names, 0, sizeof(names));
	thread.frame = native;
	thread.python.frame = python;
	thread.python.thread = (uint64_t)(uintptr_t)chain;
	stack_self = &thread;
	sent_count = 0;
	room = SENT_MAX;
	meanwhile = NULL;
	run++;
}

static void add_native(uint64_t rsp, uint64_t word)
{
	thread.state++;
	native[(thread.state & STACK_STATE_FRAMES) - 1] = (struct stack_frame){ .rsp = rsp,
										.word = word };
	thread.id = NATIVE + run * 1000;
}

static struct stack_python_frame *add_python(uint64_t word, bool is_entry)
{
	struct stack_python_frame *f = &python[thread.python.frames++];

	*f = (struct stack_python_frame){ .word = word,
					  .is_entry = is_entry,
					  .id = PYTHON + run * 1000 };
	return f;
}

/*
 * From 3.12 on: a frame of C at that address, which lies in the native frame that runs what
 * follows.
 */
static void add_c(uint64_t at)
{
	struct stack_python_frame *f = add_python(0, false);

	f->is_of_c = true;
	f->frame = at;
}

static uint64_t joined(void)
{
	return join_stacks(NULL, NATIVE + run * 1000, PYTHON + run * 1000);
}

static void is_sent(const uint64_t *words, size_t count)
{
	assert_int_equal(sent_count, count);
	assert_memory_equal(sent, words, count * sizeof(*words));
}

/* main() called f() directly; g() was called by C code. */
static void two_entries(void)
{
	start(12);
	add_native(9000, 1);
	add_native(8000, 2);
	add_native(7000, 3);
	add_native(6000, 4);
	add_native(5000, 5);
	add_c(8100);
	add_python(11, true);
	add_python(12, false);
	add_c(6100);
	add_python(13, true);
}

TEST(functions_follow_their_native_frame)
{
	two_entries();
	assert_int_not_equal(joined(), 0);
	is_sent((uint64_t[]){ 1, 2, 11, 12, 3, 4, 13, 5 }, 8);
}

TEST(a_pair_is_joined_once)
{
	uint64_t id;

	two_entries();
	id = joined();
	memset(names, 0, sizeof(names));
	thread.id = 0; /* the thread's last stacks need not be these */
	assert_int_equal(joined(), id);
	assert_int_equal(sent_count, 8);
	frame_names.generation++; /* all is sent again */
	assert_int_equal(joined(), 0);
	thread.id = NATIVE + run * 1000;
	assert_int_equal(joined(), id);
	assert_int_equal(sent_count, 16);
}

TEST(what_does_not_fit_is_nothing)
{
	two_entries();
	python[3].frame = 4000; /* below the whole native stack */
	assert_int_equal(joined(), 0);
	two_entries();
	python[3].frame = UINT64_MAX - 7; /* above it: with what is around */
	assert_int_not_equal(joined(), 0);
	is_sent((uint64_t[]){ 1, 2, 11, 12, 13, 3, 4, 5 }, 8);
	start(12);
	add_python(11, true); /* no native frame at all */
	assert_int_equal(joined(), 0);
	start(12);
	add_native(9000, 1); /* no Python */
	assert_int_equal(joined(), 0);
	assert_int_equal(sent_count, 0);
}

TEST(another_stack_is_nothing)
{
	two_entries();
	assert_int_equal(join_stacks(NULL, NATIVE + run * 1000 + 1, PYTHON + run * 1000), 0);
	assert_int_equal(join_stacks(NULL, NATIVE + run * 1000, PYTHON + run * 1000 + 1), 0);
	stack_self = NULL;
	assert_int_equal(joined(), 0);
	assert_int_equal(sent_count, 0);
}

/*
 * The outermost native frame known is not that of the stack: what was entered further out comes
 * first.
 */
TEST(a_truncated_stack_has_the_rest_in_front)
{
	uint64_t first = 1 | (uint64_t)FRAME_IS_TRUNCATED << RECORD_FRAME_SHIFT;

	two_entries();
	native[0].word = first;
	python[0].frame = 20000;
	assert_int_not_equal(joined(), 0);
	is_sent((uint64_t[]){ 11, 12, first, 2, 3, 4, 13, 5 }, 8);
}

TEST(without_room_it_is_tried_again)
{
	for (room = 0; room < 8; room++) {
		size_t now = room;

		two_entries();
		room = now;
		assert_int_equal(joined(), 0);
		room = SENT_MAX;
		assert_int_not_equal(joined(), 0);
		room = now;
	}
}

static void take_another(void)
{
	thread.python.changes++;
}

static void walk_again(void)
{
	thread.state += 1u << STACK_STATE_SHIFT;
}

TEST(a_handler_in_between_leaves_nothing)
{
	two_entries();
	meanwhile = take_another;
	assert_int_equal(joined(), 0);
	two_entries();
	meanwhile = walk_again;
	assert_int_equal(joined(), 0);
	meanwhile = NULL;
	memset(names, 0, sizeof(names));
	assert_int_not_equal(joined(), 0);
}

/* --- 3.10 and 3.11: structs that the thread state chains --- */

static uint64_t at_of(unsigned int word)
{
	return (uint64_t)(uintptr_t)&chain[word];
}

static void set(uint64_t at, uint64_t value)
{
	memcpy((void *)(uintptr_t)at, &value, sizeof(value));
}

/*
 * Two structs: the inner one at word 100, the outer one at word 200, as addresses grow outwards on
 * a stack.
 */
static void two_of_chain(unsigned int minor)
{
	start(minor);
	add_native(at_of(300), 1);
	add_native(at_of(190), 2);
	add_native(at_of(90), 3);
	add_native(at_of(50), 4);
	add_python(11, true);
	add_python(12, false);
	add_python(13, true);
	set(at_of(0) + layout->entry_chain, at_of(100));
	set(at_of(100) + layout->entry_previous, at_of(200));
}

TEST(chains_are_followed)
{
	for (unsigned int minor = 10; minor <= 11; minor++) {
		two_of_chain(minor);
		assert_int_not_equal(joined(), 0);
		is_sent((uint64_t[]){ 1, 2, 11, 12, 3, 13, 4 }, 7);
	}
}

TEST(hostile_chains_are_nothing)
{
	char *hole = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const uint64_t bad[] = { 0,
				 8,
				 at_of(100) + 1,
				 (uint64_t)(uintptr_t)hole,
				 (uint64_t)(uintptr_t)hole - 8,
				 1ull << 47,
				 UINT64_MAX - 7 };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		two_of_chain(11);
		set(at_of(0) + layout->entry_chain, bad[i]);
		assert_int_equal(joined(), 0);
		two_of_chain(11);
		set(at_of(100) + layout->entry_previous, bad[i]);
		assert_int_equal(joined(), 0);
	}
	two_of_chain(11); /* a ring: as often as there are functions, and no more */
	set(at_of(100) + layout->entry_previous, at_of(100));
	assert_int_not_equal(joined(), 0);
	munmap(hole, 4096);
}

TEST(older_ones_have_no_such_memory)
{
	assert_false(join_begin(layout_of(8)));
	assert_false(join_begin(layout_of(9)));
	for (unsigned int minor = 10; minor; minor = layout_next(minor))
		assert_true(join_begin(layout_of(minor)));
}

/* The pair of that number: one native frame of its own, and one function in it. */
static void is_joined(unsigned int number)
{
	uint64_t path = frame_path(frame_path(0, number + 1), 11);

	sent_count = 0;
	native[0].word = number + 1;
	thread.id = number;
	python[1].id = number % 7;
	assert_int_equal(join_stacks(NULL, thread.id, python[1].id), frame_id_of(path));
}

/* What is remembered, and in which order, and what of it had to be forgotten, changes no id. */
TEST(whatever_comes_next_has_its_own_id)
{
	unsigned int random = 1;

	start(12);
	frame_names.generation++;
	add_native(9000, 1);
	add_c(9100);
	add_python(11, true);
	for (unsigned int i = 0; i < 9000; i++) {
		is_joined(i % 3000);
		if (i >= 3000)
			assert_int_equal(sent_count, 0);
	}
	for (unsigned int i = 0; i < 400000; i++) {
		random = random * 1103515245 + 12345;
		is_joined((random >> 8) % (i % 2 ? 200000 : 50));
	}
	for (unsigned int i = 0; i < 9000; i++) /* one is left out, one comes twice */
		is_joined(i % 3000 - (i % 11 == 5 && i % 3000));
	thread.python.trail = UINT64_MAX - 1;
	is_joined(1);
	is_joined(2);
}
