/* SPDX-License-Identifier: MIT */
/*
 * A block is recorded after the original returned it and before the original frees it, as blocks of
 * the heap are. An allocator may call another one (pymalloc asks the raw domain for large blocks);
 * only the outermost call is recorded. Its calls of the heap are recorded there as any others.
 */
/* cases: python_pymem */
#include "preload/pymem/pymem.h"

#include <stdint.h>

#include "preload/python/listeners.h"
#include "preload/python/python_api.h"
#include "preload/record/recorder.h"
#include "preload/settings/settings.h"
#include "preload/stacks/frame_names.h"
#include "preload/stacks/stack.h"

#define LAYERS 2u /* number of calls of pymem_begin() */

static struct python_allocator original[LAYERS][PYTHON_MEMORY_LIMIT];

/* --- the outermost call --- */

/*
 * A frame's address in 32 bits, never 0. Stacks are too small for two frames to have the same mark.
 */
static inline uint32_t frame_mark(const void *frame)
{
	return (uint32_t)((uintptr_t)frame >> 4) | 1;
}

/*
 * Returns false if the call is not to be recorded. If a longjmp() has left an allocator, its mark
 * belongs to a frame that is gone; calls made by an allocator that is running lie deeper than its
 * mark.
 */
static inline __attribute__((always_inline)) bool call_begin(const void *frame)
{
	uint32_t *inside = &recorder_self.inside, mark = frame_mark(frame);

	if (recorder_is_shut(EVT_FAMILY_pymem) ||
	    __builtin_expect(*inside && (int32_t)(mark - *inside) < 0, 0))
		return false;
	*inside = mark;
	return true;
}

static inline void call_end(void)
{
	recorder_self.inside = 0;
}

/* --- records --- */

/* As stack_here_of(), without the work that native frames need. */
static inline uint64_t python_caller_of(struct recorder_lane *lane, void *const *frame)
{
	uint64_t id;

	frame_names_hear();
	id = stack_python_of(lane, EVT_FAMILY_pymem);
	return id ? id | RECORD_STACK_BIT : stack_plain_caller(frame);
}

static inline uint64_t caller_of(struct recorder_lane *lane, void *const *frame)
{
	if (stack_is_wanted(EVT_FAMILY_pymem))
		return stack_native_families >> EVT_FAMILY_pymem & 1
			       ? stack_here_of(lane, EVT_FAMILY_pymem, frame)
			       : python_caller_of(lane, frame);
	return stack_is_off(EVT_FAMILY_pymem) ? 0 : (uintptr_t)frame[1];
}

static inline void put_born(struct recorder_lane *lane, uint64_t ptr, uint64_t size,
			    uint64_t caller)
{
	uint64_t now = recorder_now(), *at;

	if (__builtin_expect(!record_fits_packed(ptr, size, caller), 0)) {
		(void)recorder_put(lane, EVT_pymem_alloc, now, (uint64_t[]){ ptr, size, caller },
				   3);
		return;
	}
	at = recorder_room(lane, RECORD_PACKED_WORDS);
	if (!at)
		return;
	at[0] = record_word(now, EVT_pymem_alloc | RECORD_PACKED);
	at[1] = record_packed_low(ptr, size);
	at[2] = record_packed_high(caller, size);
	recorder_publish(lane, RECORD_PACKED_WORDS);
}

/* `frame` is that of the function that CPython calls. */
static inline __attribute__((always_inline)) void record_born(const void *block, uint64_t size,
							      void *const *frame)
{
	struct recorder_lane *lane = recorder_enter(EVT_FAMILY_pymem, RECORDER_IN_RECORD);

	if (!lane)
		return;
	put_born(lane, (uintptr_t)block, size, caller_of(lane, frame));
	recorder_leave(lane);
}

static inline __attribute__((always_inline)) void record_of_block(uint32_t type, const void *block)
{
	struct recorder_lane *lane = recorder_enter(EVT_FAMILY_pymem, RECORDER_IN_RECORD);

	if (!lane)
		return;
	(void)recorder_put(lane, type, recorder_now(), &(uint64_t){ (uintptr_t)block }, 1);
	recorder_leave(lane);
}

/* --- replacements of CPython's allocators --- */

static void *pymem_malloc(void *context, size_t bytes)
{
	const struct python_allocator *theirs = context;
	void *block;

	if (!call_begin(STACK_FRAME))
		return theirs->malloc(theirs->context, bytes);
	block = theirs->malloc(theirs->context, bytes);
	call_end();
	if (block)
		record_born(block, bytes, STACK_FRAME);
	return block;
}

static void *pymem_calloc(void *context, size_t count, size_t bytes)
{
	const struct python_allocator *theirs = context;
	void *block;

	if (!call_begin(STACK_FRAME))
		return theirs->calloc(theirs->context, count, bytes);
	block = theirs->calloc(theirs->context, count, bytes);
	call_end();
	if (block)
		record_born(block, count * bytes, STACK_FRAME);
	return block;
}

/*
 * For 0 bytes it returns a block like any other. NULL is a failure, and the old block stays
 * allocated.
 */
static void *pymem_realloc(void *context, void *old, size_t bytes)
{
	const struct python_allocator *theirs = context;
	void *block;

	if (!call_begin(STACK_FRAME))
		return theirs->realloc(theirs->context, old, bytes);
	if (old)
		record_of_block(EVT_pymem_free, old);
	block = theirs->realloc(theirs->context, old, bytes);
	call_end();
	if (block)
		record_born(block, bytes, STACK_FRAME);
	else if (old)
		record_of_block(EVT_pymem_realloc_failed, old);
	return block;
}

static void pymem_free(void *context, void *block)
{
	const struct python_allocator *theirs = context;

	if (!block || !call_begin(STACK_FRAME)) {
		theirs->free(theirs->context, block);
		return;
	}
	record_of_block(EVT_pymem_free, block);
	theirs->free(theirs->context, block);
	call_end();
}

static void domain_take(int domain, struct python_allocator *theirs)
{
	struct python_allocator ours = { theirs, pymem_malloc, pymem_calloc, pymem_realloc,
					 pymem_free };

	python_api.PyMem_GetAllocator(domain, theirs);
	if (theirs->malloc != pymem_malloc)
		python_api.PyMem_SetAllocator(domain, &ours);
}

/*
 * Called in the constructor, before anything is allocated, and once more, because PYTHONMALLOC and
 * debug builds set other allocators in between. Those may call the first ones, so each set is kept.
 */
bool pymem_begin(void *arguments)
{
	static unsigned int layer;

	(void)arguments;
	if (!(settings.trace & 1u << SETTINGS_FAMILY_pymem) || layer == LAYERS)
		return true;
	for (int domain = 0; domain < PYTHON_MEMORY_LIMIT; domain++)
		domain_take(domain, &original[layer][domain]);
	layer++;
	return true;
}
