/* SPDX-License-Identifier: MIT */
/*
 * Chooses native frames, Python's frames, or both joined. If the hook was called from the same
 * frame as last time and all words read further out are unchanged, the last id is returned.
 * Otherwise walk.c walks the stack.
 */

#ifndef __clang__
#pragma GCC optimize("no-tree-slp-vectorize") /* as in walk.c */
#endif

#include "preload/stacks/stack.h"

#include <errno.h>
#include <stddef.h>
#include <ucontext.h>

#include "collector/arch/arch.h"
#include "preload/base/object.h"
#include "preload/stacks/frame_names.h"
#include "preload/stacks/step.h"
#include "preload/stacks/walk.h"

/* other C libraries have neither function; they are not called there */
#pragma weak getcontext
#pragma weak makecontext

#define OWN_FRAMES_MAX 16u     /* limit for frames of this library between a hook and its record */
#define WRAPPERS_MAX 4u        /* limit for the search of a caller that is no wrapper */
#define FALLBACK_ENTRIES 1024u /* entries of the tables if memory is scarce */

unsigned int stack_families;
unsigned int stack_native_families, stack_python_families;
unsigned int stack_without;
uint64_t stack_min_bytes;
uint64_t (*stack_python)(struct recorder_lane *lane);
uint64_t (*stack_join)(struct recorder_lane *lane, uint64_t native, uint64_t python);

/* --- start --- */

static void context_nowhere(void)
{
}

/*
 * A function started by makecontext() returns to an address whose frame no table marks as
 * outermost. This finds that address.
 */
static uintptr_t context_outermost(void)
{
	static char stack[4096] __attribute__((aligned(16)));
	ucontext_t context;

	if (getcontext(&context))
		return 0;
	context.uc_stack.ss_sp = stack;
	context.uc_stack.ss_size = sizeof(stack);
	context.uc_link = NULL;
	makecontext(&context, context_nowhere, 0);
	return ARCH_CONTEXT_RETURN(&context);
}

int stack_begin(unsigned int families, uint64_t entries, unsigned int depth)
{
	if (!object_can_be_found())
		return -ENOSYS;
	if (!stack_threads_begin(depth))
		return -ENOMEM;
	if (!rules_begin(entries, context_outermost()) &&
	    !rules_begin(FALLBACK_ENTRIES, context_outermost()))
		return -ENOMEM;
	if (!frame_names_begin(entries) && !frame_names_begin(FALLBACK_ENTRIES))
		return -ENOMEM;
	stack_families = stack_native_families = families;
	return 0;
}

void stack_forked(void)
{
	frame_names_forked();
	stack_threads_forked();
}

/* --- a stack --- */

/* For a thread that remembers nothing: its first stack, or a stack after its end. */
static __attribute__((noinline)) uint64_t stack_first(struct recorder_lane *lane,
						      struct step_place p)
{
	struct stack_thread *t = stack_thread_claim();
	uint64_t id;

	if (t)
		return stack_walk(t, lane, p);
	t = stack_thread_borrow();
	if (!t)
		return walk_missed(lane);
	id = stack_walk(t, lane, p);
	stack_thread_return(t);
	return id;
}

static inline __attribute__((always_inline)) uint64_t id_at(struct recorder_lane *lane,
							    struct step_place p)
{
	struct stack_thread *t = stack_self;
	uint64_t state, id;
	const struct stack_frame *last;

	if (__builtin_expect(!t || !t->frame, 0))
		return stack_first(lane, p);
	state = __atomic_load_n(&t->state, __ATOMIC_RELAXED);
	last = &t->frame[state & STACK_STATE_FRAMES] - 1;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (walk_is_at(last, &p) && t->epoch == walk_epoch() &&
	    !reads_differ(t, frame_first_read(t, last + 1))) {
		id = t->id;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		if (__atomic_load_n(&t->state, __ATOMIC_RELAXED) == state)
			return id;
	}
	return stack_walk(t, lane, p);
}

static inline struct step_place stack_place_of(void *const *frame)
{
	return (struct step_place){ (uintptr_t)frame[1], arch_frame_cfa(frame),
				    (uintptr_t)frame[0] };
}

uint64_t stack_id(struct recorder_lane *lane, void *const *frame)
{
	return id_at(lane, stack_place_of(frame));
}

static struct step_span own;

void stack_set_own(uintptr_t low, uintptr_t high)
{
	own = (struct step_span){ low, high };
}

static __attribute__((noinline)) uint64_t stack_of_python(struct recorder_lane *lane)
{
	uint64_t id = stack_python ? stack_python(lane) : 0;

	__asm__ volatile(""
			 /*
		 * makes it a call and not a jump, because reaches.txt lists it under this function
		 */
			 : "+r"(id));
	return id;
}

/*
 * Returns the native frames alone if the thread runs no Python, or if the two stacks do not match.
 */
static __attribute__((noinline)) uint64_t stack_of_both(struct recorder_lane *lane,
							struct step_place p)
{
	uint64_t python = stack_of_python(lane), native, id;

	if (python && !stack_join)
		return python;
	native = id_at(lane, p);
	if (!python || !native)
		return native;
	id = stack_join(lane, native, python);
	__asm__ volatile("" : "+r"(id));
	if (!id)
		(void)walk_missed(lane);
	return id ? id : native;
}

/* Native frames, Python's frames or both, as the family is set. */
static inline __attribute__((always_inline)) uint64_t id_for(struct recorder_lane *lane,
							     enum evt_family family,
							     struct step_place p)
{
	frame_names_hear();
	if (__builtin_expect(stack_python_families >> family & 1, 0))
		return stack_native_families >> family & 1 ? stack_of_both(lane, p)
							   : stack_of_python(lane);
	return id_at(lane, p);
}

uint64_t stack_outside(struct recorder_lane *lane, enum evt_family family)
{
	struct step_place p = stack_place_of(STACK_FRAME);
	struct step_span span = { memory_page(p.rsp - 8), memory_page(p.rsp - 8) + MEMORY_PAGE };

	for (unsigned int i = 0; p.word - own.low < own.high - own.low; i++) {
		struct stack_fresh f = { .rule = step_rule(&p) };

		if (i == OWN_FRAMES_MAX || step_out(&span, &p, &f) != STEP_GOES_ON)
			return walk_missed(lane);
	}
	return id_for(lane, family, p);
}

/* --- records --- */

uint64_t stack_plain_caller(void *const *frame)
{
	struct step_place p = stack_place_of(frame);
	struct step_span span = { memory_page(p.rsp - 8), memory_page(p.rsp - 8) + MEMORY_PAGE };
	uint64_t address = p.word;

	for (unsigned int i = 0; i < WRAPPERS_MAX; i++) {
		struct stack_fresh f = { .rule = step_rule(&p) };

		if (!(f.rule & RULE_IS_WRAPPER) || step_out(&span, &p, &f) != STEP_GOES_ON)
			break;
		address = p.word & STEP_ADDRESS;
	}
	return address;
}

uint64_t stack_here(struct recorder_lane *lane, void *const *frame)
{
	uint64_t id = id_for(lane, EVT_FAMILY_alloc, stack_place_of(frame));

	return id ? id | RECORD_STACK_BIT : stack_plain_caller(frame);
}

uint64_t stack_here_of(struct recorder_lane *lane, enum evt_family family, void *const *frame)
{
	uint64_t id = id_for(lane, family, stack_place_of(frame));

	return id ? id | RECORD_STACK_BIT : stack_plain_caller(frame);
}

uint64_t *stack_room(struct recorder_lane *lane, uint64_t stack, uint64_t ticks, unsigned int words)
{
	uint64_t *at;

	if (!stack)
		return recorder_room(lane, words);
	/* space for both records or for none */
	at = recorder_room(lane, RECORD_STACK_WORDS + words);
	if (!at)
		return NULL;
	at[0] = record_word(ticks, RECORD_STACK);
	at[1] = stack;
	recorder_publish(lane, RECORD_STACK_WORDS);
	return at + RECORD_STACK_WORDS;
}

bool stack_put(struct recorder_lane *lane, uint64_t stack, uint32_t type, uint64_t ticks,
	       const uint64_t *field, unsigned int fields)
{
	uint64_t *at = stack_room(lane, stack, ticks, fields + 1);

	if (!at)
		return false;
	at[0] = record_word(ticks, type);
	for (unsigned int i = 0; i < fields; i++)
		at[i + 1] = field[i];
	recorder_publish(lane, fields + 1);
	return true;
}
