/* SPDX-License-Identifier: MIT */
/*
 * See large.h. What stacks take is measured, so that the budget holds on any machine and at any
 * depth.
 */
#include "preload/stacks/large.h"

#include "preload/stacks/frame_names.h"
#include "preload/stacks/stack.h"
#include "preload/stacks/thread.h"

/* of the table of frames that were sent; what is evicted is sent again */
#define ENTRIES (1u << 14)

uint64_t large_heap_bytes = UINT64_MAX;
unsigned int large_families;
uint64_t large_bytes;
__thread uint16_t large_skips __attribute__((tls_model("initial-exec")));

unsigned int large_smaller;

static unsigned int wanted, wanted_smaller, wanted_depth;

void large_prepare(unsigned int families, uint64_t bytes, unsigned int depth)
{
	large_bytes = bytes;
	wanted = families;
	wanted_depth = depth;
}

void large_prepare_smaller(unsigned int families)
{
	wanted_smaller = families;
}

bool large_map(void)
{
	return !wanted || (stack_threads_begin(wanted_depth) &&
			   (frame_names.entry || frame_names_begin(ENTRIES)));
}

void large_begin(void)
{
	__atomic_store_n(&large_smaller, wanted_smaller, __ATOMIC_RELEASE);
	__atomic_store_n(&large_families, wanted, __ATOMIC_RELEASE);
	if (wanted >> EVT_FAMILY_alloc & 1)
		__atomic_store_n(&large_heap_bytes, large_bytes, __ATOMIC_RELEASE);
}

bool large_budget_lasts(struct large_budget *budget, uint64_t now)
{
	uint64_t passed = now - budget->ticks;

	budget->ticks = now;
	budget->spent = passed < budget->spent ? budget->spent - passed : 0;
	if (budget->spent < LARGE_TICKS)
		return true;
	large_skips = LARGE_SKIPPED;
	return false;
}

void large_budget_spend(struct large_budget *budget, uint64_t ticks)
{
	budget->spent += LARGE_PARTS * (ticks < LARGE_COST_MAX ? ticks : LARGE_COST_MAX);
}

bool large_small_lasts(struct large_budget *budget, uint64_t now)
{
	uint64_t passed = now - budget->ticks;

	budget->ticks = now;
	budget->spent = passed < budget->spent ? budget->spent - passed : 0;
	if (budget->spent < LARGE_SMALL_TICKS)
		return true;
	budget->skips = LARGE_SKIPPED;
	return false;
}

void large_small_spend(struct large_budget *budget, uint64_t ticks)
{
	budget->spent += LARGE_SMALL_PARTS * (ticks < LARGE_COST_MAX ? ticks : LARGE_COST_MAX);
}

static struct stack_thread *large_thread(void)
{
	struct stack_thread *t = stack_self ? stack_self : stack_thread_claim();

	return t && t->frame && stack_python ? t : NULL;
}

uint64_t large_stack(struct recorder_lane *lane)
{
	struct stack_thread *t = large_thread();
	uint64_t now, id;

	if (!t)
		return 0;
	now = recorder_now();
	if (!large_budget_lasts(&t->large, now))
		return 0;
	frame_names_hear();
	id = stack_python(lane);
	large_budget_spend(&t->large, recorder_now() - now);
	return id;
}

uint64_t large_small_stack(struct recorder_lane *lane)
{
	struct stack_thread *t = large_thread();
	uint64_t now, id;

	if (!t)
		return 0;
	if (t->small.skips) {
		t->small.skips--;
		return 0;
	}
	now = recorder_now();
	if (!large_small_lasts(&t->small, now))
		return 0;
	frame_names_hear();
	id = stack_python(lane);
	large_small_spend(&t->small, recorder_now() - now);
	return id;
}

uint64_t large_stack_from(struct recorder_lane *lane, uint64_t caller)
{
	uint64_t python = caller >> ARCH_ADDRESS_BITS ? 0 : large_stack(lane);

	return python ? frame_name(lane, python, caller, frame_path(python, caller)) : 0;
}

uint64_t large_caller(struct recorder_lane *lane, uint64_t caller)
{
	uint64_t id;

	recorder_switch(lane, RECORDER_IN_RECORD);
	id = large_stack_from(lane, caller);
	return id ? id | RECORD_STACK_BIT : caller;
}
