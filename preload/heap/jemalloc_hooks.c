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
	struct recorder_lane *lane = NULL;
	void *block;

	if (!next)
		return otherwise_mallocx(size, flags);
	if (!allocator_has(ALLOCATOR_mallocx))
		return next(size, flags);
	lane = recorder_enter(EVT_FAMILY_alloc, RECORDER_IN_CALL);
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
	struct recorder_lane *lane, void *(*next)(void *, size_t, int), void *ptr, size_t size,
	int flags, void *const *frame)
{
	void *fresh;

	record_dies(lane, EVT_realloc_free, ptr, frame);
	fresh = next(ptr, size, flags);
	if (fresh) {
		record_born(lane, EVT_realloc, fresh, size, frame);
		return fresh;
	}
	recorder_switch_at(lane, frame, RECORDER_IN_RECORD);
	recorder_put(lane, EVT_realloc_failed, recorder_now(), &(uint64_t){ (uintptr_t)ptr }, 1);
	recorder_leave(lane);
	return NULL;
}

HOOK_EXPORT void *rallocx(void *ptr, size_t size, int flags)
{
	void *(*next)(void *, size_t,
		      int) = (void *(*)(void *, size_t, int))allocator_next(ALLOCATOR_rallocx);
	struct recorder_lane *lane;

	if (!next)
		return flags & 63 ? NULL : realloc(ptr, size);
	if (!ptr || !allocator_has(ALLOCATOR_rallocx))
		return next(ptr, size, flags);
	lane = recorder_enter(EVT_FAMILY_alloc, RECORDER_IN_RECORD);
	if (!lane)
		return next(ptr, size, flags);
	return rallocx_recorded(lane, next, ptr, size, flags, CALLER_FRAME);
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
	size_t bytes;

	if (!next)
		return malloc_usable_size(ptr);
	if (!allocator_has(ALLOCATOR_xallocx))
		return next(ptr, size, extra, flags);
	lane = recorder_enter(EVT_FAMILY_alloc, RECORDER_IN_CALL);
	bytes = next(ptr, size, extra, flags);
	if (!lane)
		return bytes;
	if (bytes < size) {
		recorder_leave(lane);
		return bytes;
	}
	recorder_switch(lane, RECORDER_IN_RECORD);
	record_dies(lane, EVT_realloc_free, ptr, CALLER_FRAME);
	record_born(lane, EVT_realloc, ptr, size, CALLER_FRAME);
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
