/* SPDX-License-Identifier: MIT */
/* links: preload:stacks/large.c */
/*
 * preload/stacks/large.c: which large blocks have a stack of Python, and that stacks take no more
 * time than they may.
 */
#include "tests/unit/unit.h"
#include "tests/unit/plain_clock.h"
#include "preload/stacks/frame_names.h"
#include "preload/stacks/large.h"
#include "preload/stacks/stack.h"
#include "preload/stacks/thread.h"

#define STACK 0x1234567u
#define CALLER 0x7f0000401000u

/* --- what large.c reaches of parts that are not under test --- */

static struct frame_name names[64];
struct frame_names frame_names;
static const _Atomic uint32_t asked;
union recorder_page recorder_page;
__thread struct recorder_thread recorder_self;
uint64_t (*stack_python)(struct recorder_lane *lane);
__thread struct stack_thread *stack_self;
static struct stack_thread thread;
static struct stack_frame frame;
static uint64_t python, sent;

bool stack_threads_begin(unsigned int depth)
{
	return depth != 0;
}

struct stack_thread *stack_thread_claim(void)
{
	return &thread;
}

bool frame_names_begin(uint64_t entries)
{
	(void)entries;
	frame_names = (struct frame_names){
		.entry = names, .mask = 63, .generation = 1, .asked = &asked
	};
	return true;
}

void frame_names_answer(uint32_t number)
{
	(void)number;
}

uint64_t frame_name_send(struct recorder_lane *lane, uint64_t parent, uint64_t word, uint64_t path)
{
	(void)lane;
	assert_int_equal(parent, STACK);
	assert_int_equal(word, CALLER);
	sent++;
	return frame_id_of(path);
}

static uint64_t python_stack(struct recorder_lane *lane)
{
	(void)lane;
	return python;
}

/* --- tests --- */

static int begin(void **state)
{
	memset(&thread, 0, sizeof(thread));
	thread.frame = &frame;
	large_families = 0;
	large_heap_bytes = UINT64_MAX;
	large_skips = 0;
	python = STACK;
	sent = 0;
	stack_python = python_stack;
	large_prepare(1u << EVT_FAMILY_alloc, 4096, 16);
	large_prepare_smaller(0);
	assert_true(large_map());
	return 0;
}

TEST_SET_UP(no_memory_is_said, begin)
{
	large_prepare(1u << EVT_FAMILY_alloc, 4096, 0);
	assert_false(large_map());
	large_prepare(0, 4096, 0); /* none is needed */
	assert_true(large_map());
}

TEST_SET_UP(nothing_is_large_before_python_can_be_read, begin)
{
	assert_false(large_heap_is_due(UINT64_MAX - 1));
	assert_int_equal(large_stack_of(NULL, EVT_FAMILY_alloc, 1 << 20), 0);
	large_begin();
	assert_false(large_heap_is_due(4095));
	assert_true(large_heap_is_due(4096));
	assert_int_equal(large_stack_of(NULL, EVT_FAMILY_alloc, 4096), STACK);
	assert_int_equal(large_stack_of(NULL, EVT_FAMILY_tensors, 4096), 0);
}

TEST_SET_UP(smaller_tensors_have_a_budget_of_their_own, begin)
{
	unsigned int looks = 0;

	stack_self = &thread;
	large_prepare(1u << EVT_FAMILY_alloc | 1u << EVT_FAMILY_tensors, 4096, 16);
	large_begin();
	assert_int_equal(large_stack_of(NULL, EVT_FAMILY_tensors, 1), 0); /* nobody asked */
	large_prepare_smaller(1u << EVT_FAMILY_tensors);
	large_begin();
	assert_int_equal(large_stack_of(NULL, EVT_FAMILY_tensors, 1), STACK);
	assert_int_equal(large_stack_of(NULL, EVT_FAMILY_alloc, 1), 0);
	thread.small.spent = UINT64_MAX / 2;
	assert_int_equal(large_stack_of(NULL, EVT_FAMILY_tensors, 1), 0);
	assert_int_equal(large_stack_of(NULL, EVT_FAMILY_tensors, 4096), STACK);
	thread.small.spent = 0;
	while (!large_stack_of(NULL, EVT_FAMILY_tensors, 1))
		looks++;
	assert_int_equal(looks, LARGE_SKIPPED);
	stack_self = NULL;
}

TEST_SET_UP(what_smaller_tensors_spend_is_limited, begin)
{
	struct large_budget budget = { .spent = 0 };

	large_small_spend(&budget, UINT64_MAX / 2);
	assert_int_equal(budget.spent, (uint64_t)LARGE_SMALL_PARTS * LARGE_COST_MAX);
	budget.spent = LARGE_SMALL_TICKS + 1000;
	budget.ticks = 500;
	assert_false(large_small_lasts(&budget, 600));
	assert_true(large_small_lasts(&budget, 600 + 1000));
}

TEST_SET_UP(the_caller_is_innermost, begin)
{
	static struct recorder_lane lane;
	uint64_t word;

	large_begin();
	word = large_caller(&lane, CALLER);
	assert_int_equal(word >> ARCH_ADDRESS_BITS, 1);
	assert_int_not_equal(word & (RECORD_STACK_BIT - 1), STACK);
	assert_int_equal(sent, 1);
	python = 0; /* the thread runs no Python */
	assert_int_equal(large_caller(&lane, CALLER), CALLER);
	stack_python = NULL;
	assert_int_equal(large_caller(&lane, CALLER), CALLER);
}

/* A thread that does nothing else has stacks for one part of its time, whatever a stack takes. */
static uint64_t part_of(uint64_t cost)
{
	struct large_budget budget = { .spent = 0 };
	uint64_t now = 1000, from, stacks = 0;

	for (; large_budget_lasts(&budget, now); now += cost) /* what was saved up */
		large_budget_spend(&budget, cost);
	for (from = now; now - from < LARGE_TICKS;) {
		now += 50; /* a block and its free */
		if (large_skips) {
			large_skips--;
		} else if (large_budget_lasts(&budget, now)) {
			large_budget_spend(&budget, cost);
			now += cost;
			stacks++;
		}
	}
	return (now - from) / (stacks * cost);
}

TEST_SET_UP(stacks_take_one_part_of_the_time, begin)
{
	static const uint64_t cost[] = { 60, 1000, LARGE_COST_MAX };

	for (size_t i = 0; i < sizeof(cost) / sizeof(cost[0]); i++)
		assert_in_range(part_of(cost[i]), LARGE_PARTS * 9 / 10, LARGE_PARTS * 11 / 10);
}

TEST_SET_UP(what_loses_its_cpu_costs_no_more_than_the_most, begin)
{
	struct large_budget budget = { .spent = 0 };

	large_budget_spend(&budget, UINT64_MAX / 2);
	assert_int_equal(budget.spent, (uint64_t)LARGE_PARTS * LARGE_COST_MAX);
}

TEST_SET_UP(a_pause_gives_all_of_it_back, begin)
{
	struct large_budget budget = { .ticks = 500, .spent = LARGE_TICKS + 1000 };

	assert_false(large_budget_lasts(&budget, 600));
	assert_int_equal(large_skips, LARGE_SKIPPED);
	assert_true(large_budget_lasts(&budget, 600 + LARGE_TICKS + 1000));
	assert_int_equal(budget.spent, 0);
}

TEST_SET_UP(blocks_are_passed_over_once_it_is_used_up, begin)
{
	large_begin();
	thread.large = (struct large_budget){ .ticks = recorder_now(), .spent = UINT64_MAX / 2 };
	assert_int_equal(large_caller(&(struct recorder_lane){ 0 }, CALLER), CALLER);
	for (unsigned int i = 0; i < LARGE_SKIPPED; i++)
		assert_false(large_heap_is_due(4096));
	assert_true(large_heap_is_due(4096));
}
