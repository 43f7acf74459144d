/* SPDX-License-Identifier: MIT */
/*
 * jemalloc's functions with flags, used by BIND and other programs, for the case that jemalloc is
 * loaded behind us. None of them throws.
 *
 * `otherwise` does with C's functions what jemalloc's manual describes. It serves a program that
 * has bound the function as a weak symbol while no jemalloc is loaded. Flags: bits 0 to 5 are the
 * binary logarithm of the alignment; bit 6 asks for zeroed memory.
 */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "preload/heap/block_record.h"
#include "preload/hook/hook.h"

#define FLAG_ZERO 0x40

static size_t flags_alignment(int flags)
{
	return (size_t)1 << (flags & 63);
}

static void *otherwise_mallocx(size_t size, int flags)
{
	void *block = flags & 63 ? aligned_alloc(flags_alignment(flags), size) : malloc(size);

	if (block && (flags & FLAG_ZERO))
		memset(block, 0, size);
	return block;
}

HOOK_EXPORT void *mallocx(size_t size, int flags)
{
	void *(*next)(size_t, int) = (void *(*)(size_t, int))allocator_next(ALLOCATOR_mallocx);
	bool is_drawn = heap_is_sampled();
	struct recorder_lane *lane = NULL;
	void *block;

	if (!next)
		return otherwise_mallocx(size, flags);
	if (!allocator_has(ALLOCATOR_mallocx))
		return next(size, flags);
	if (UNLIKELY(is_drawn) && heap_sample_misses(size))
		return next(size, flags);
	lane = heap_enter_birth(is_drawn, size);
	block = next(size, flags);
	if (!lane)
		return block;
	if (block)
		record_born(lane, flags & 63 ? EVT_memalign : EVT_malloc, block, size,
			    CALLER_FRAME);
	else
		recorder_leave(lane);
	return block;
}

/* The block moves or stays. On failure it stays allocated. */
static inline __attribute__((always_inline)) void *rallocx_recorded(
	struct recorder_lane *lane, struct heap_halves halves, void *(*next)(void *, size_t, int),
	void *ptr, size_t size, int flags, void *const *frame)
{
	void *fresh;

	if (halves.death) {
		recorder_switch_at(lane, frame, RECORDER_IN_RECORD);
		record_dies(lane, EVT_realloc_free, ptr, frame);
	}
	fresh = next(ptr, size, flags);
	if (fresh && halves.birth) {
		record_born(lane, EVT_realloc, fresh, size, frame);
		return fresh;
	}
	if (!fresh && halves.death)
		record_lives_on(lane, ptr, frame);
	recorder_leave(lane);
	return fresh;
}

HOOK_EXPORT void *rallocx(void *ptr, size_t size, int flags)
{
	void *(*next)(void *, size_t,
		      int) = (void *(*)(void *, size_t, int))allocator_next(ALLOCATOR_rallocx);
	struct recorder_lane *lane;
	struct heap_halves halves;

	if (!next)
		return flags & 63 ? NULL : realloc(ptr, size);
	if (!ptr || !allocator_has(ALLOCATOR_rallocx))
		return next(ptr, size, flags);
	lane = heap_enter_change(heap_is_sampled(), ptr, size, &halves);
	if (!lane)
		return next(ptr, size, flags);
	return rallocx_recorded(lane, halves, next, ptr, size, flags, CALLER_FRAME);
}

/*
 * Resizes in place to between `size` and `size` + `extra` bytes. Returns the block's new size,
 * which is less than `size` on failure.
 */
HOOK_EXPORT size_t xallocx(void *ptr, size_t size, size_t extra, int flags)
{
	size_t (*next)(void *, size_t, size_t, int) = (size_t(*)(
		void *, size_t, size_t, int))allocator_next(ALLOCATOR_xallocx);
	struct recorder_lane *lane;
	struct heap_halves halves;
	size_t bytes;

	if (!next)
		return malloc_usable_size(ptr);
	if (!allocator_has(ALLOCATOR_xallocx))
		return next(ptr, size, extra, flags);
	bytes = next(ptr, size, extra, flags);
	if (bytes < size) /* the block is what it was */
		return bytes;
	lane = heap_enter_change(heap_is_sampled(), ptr, size, &halves);
	if (!lane)
		return bytes;
	if (halves.death) {
		recorder_switch_at(lane, CALLER_FRAME, RECORDER_IN_RECORD);
		record_dies(lane, EVT_realloc_free, ptr, CALLER_FRAME);
	}
	if (halves.birth)
		record_born(lane, EVT_realloc, ptr, size, CALLER_FRAME);
	else
		recorder_leave(lane);
	return bytes;
}

HOOK_EXPORT void dallocx(void *ptr, int flags)
{
	void (*next)(void *, int) = (void (*)(void *, int))allocator_next(ALLOCATOR_dallocx);
	struct recorder_lane *lane = NULL;

	if (!next) {
		free(ptr);
		return;
	}
	if (allocator_has(ALLOCATOR_dallocx))
		lane = block_dies(ptr, CALLER_FRAME);
	next(ptr, flags);
	if (lane)
		recorder_leave(lane);
}

HOOK_EXPORT void sdallocx(void *ptr, size_t size, int flags)
{
	void (*next)(void *, size_t,
		     int) = (void (*)(void *, size_t, int))allocator_next(ALLOCATOR_sdallocx);
	struct recorder_lane *lane = NULL;

	if (!next) {
		free(ptr);
		return;
	}
	if (allocator_has(ALLOCATOR_sdallocx))
		lane = block_dies(ptr, CALLER_FRAME);
	next(ptr, size, flags);
	if (lane)
		recorder_leave(lane);
}
