/* SPDX-License-Identifier: MIT */
/*
 * The C heap: malloc and its relatives. Allocations are recorded after the original and frees
 * before it, so that another thread that gets the same address cannot be recorded first. errno is
 * the original's.
 *
 * The allocator remains the program's; the hooks change nothing about it. Callers and stacks:
 * caller.h. libstdc++'s new and delete come through malloc and free. An allocator's own new and
 * delete: operator_hooks.c.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "preload/heap/heap_record.h"
#include "preload/hook/hook.h"

/*
 * Returns false if no object behind us has a malloc(), so the C library is unknown to us. While the
 * heap is recorded, there is one.
 */
static __attribute__((noinline, cold)) bool heap_is_found(void)
{
	if (hook_resolve())
		return true;
	errno = ENOMEM;
	return false;
}

static inline bool heap_is_there(void)
{
	return !UNLIKELY(!hook_ready) || heap_is_found();
}

/* Nothing of the heap is recorded now, and the originals are known. */
static inline bool heap_is_shut(void)
{
	return recorder_is_shut(RECORDER_HEAP) && hook_ready;
}

/* Each of these is there twice, for a recorded heap and for a sampled one. */
static inline __attribute__((always_inline)) void *malloc_by(bool is_drawn, size_t size)
{
	struct recorder_lane *lane;
	void *ptr;

	lane = heap_enter_birth(is_drawn, size);
	if (UNLIKELY(!lane))
		return UNLIKELY(!heap_is_there()) ? NULL : hook_real.malloc(size);
	ptr = hook_real.malloc(size);
	if (UNLIKELY(!ptr))
		recorder_leave(lane);
	else
		record_born(lane, EVT_malloc, ptr, size, CALLER_FRAME);
	return ptr;
}

static HOOK_RECORDED void *malloc_slowly(size_t size)
{
	return malloc_by(false, size);
}

/* Of the heap's gate that is open, so the heap is not sampled. */
static HOOK_RECORDED void *malloc_recorded(size_t size)
{
	struct recorder_lane *lane = recorder_enter_at_once(RECORDER_HEAP, RECORDER_IN_CALL);
	void *ptr;

	if (UNLIKELY(!lane))
		return malloc_slowly(size);
	ptr = hook_real.malloc(size);
	if (UNLIKELY(!ptr))
		recorder_leave(lane);
	else
		record_born_whole(lane, EVT_malloc, ptr, size, CALLER_FRAME);
	return ptr;
}

static HOOK_RECORDED void *malloc_drawn(size_t size)
{
	return malloc_by(true, size);
}

HOOK_EXPORT void *malloc(size_t size)
{
	if (!UNLIKELY(!recorder_gate(RECORDER_HEAP)))
		return malloc_recorded(size);
	if (heap_is_sampled())
		return heap_sample_misses(size) ? hook_real.malloc(size) : malloc_drawn(size);
	return heap_is_shut() ? hook_real.malloc(size) : malloc_slowly(size);
}

static inline __attribute__((always_inline)) void *calloc_by(bool is_drawn, size_t count,
							     size_t size)
{
	struct recorder_lane *lane;
	void *ptr;

	lane = heap_enter_birth(is_drawn, count * size);
	if (UNLIKELY(!lane))
		return UNLIKELY(!heap_is_there()) ? NULL : hook_real.calloc(count, size);
	ptr = hook_real.calloc(count, size);
	if (UNLIKELY(!ptr))
		recorder_leave(lane);
	else
		record_born(lane, EVT_calloc, ptr, count * size, CALLER_FRAME);
	return ptr;
}

static HOOK_RECORDED void *calloc_recorded(size_t count, size_t size)
{
	return calloc_by(false, count, size);
}

static HOOK_RECORDED void *calloc_drawn(size_t count, size_t size)
{
	return calloc_by(true, count, size);
}

HOOK_EXPORT void *calloc(size_t count, size_t size)
{
	if (UNLIKELY(heap_is_sampled()))
		return heap_sample_misses(count * size) ? hook_real.calloc(count, size)
							: calloc_drawn(count, size);
	return UNLIKELY(heap_is_shut()) ? hook_real.calloc(count, size)
					: calloc_recorded(count, size);
}

/*
 * realloc(p, 0) returns NULL after freeing p (glibc), or a block of no bytes (others); each is
 * recorded as what it is. NULL for a size above 0 is a failure, and p stays allocated.
 */
static inline __attribute__((always_inline)) void *realloc_recorded(struct recorder_lane *lane,
								    struct heap_halves halves,
								    void *ptr, size_t size,
								    void *const *frame)
{
	void *fresh;

	if (halves.death) {
		recorder_switch_at(lane, frame, RECORDER_IN_RECORD);
		record_dies(lane, EVT_realloc_free, ptr, frame);
	}
	fresh = hook_real.realloc(ptr, size);
	if (fresh && halves.birth) {
		record_born(lane, EVT_realloc, fresh, size, frame);
		return fresh;
	}
	if (!fresh && halves.death && size)
		record_lives_on(lane, ptr, frame);
	recorder_leave(lane);
	return fresh;
}

static inline __attribute__((always_inline)) void *realloc_from(void *ptr, size_t size,
								void *const *frame)
{
	struct recorder_lane *lane;
	struct heap_halves halves;

	lane = heap_enter_change(heap_is_sampled(), ptr, size, &halves);
	if (UNLIKELY(!lane))
		return UNLIKELY(!heap_is_there()) ? NULL : hook_real.realloc(ptr, size);
	return realloc_recorded(lane, halves, ptr, size, frame);
}

HOOK_EXPORT void *realloc(void *ptr, size_t size)
{
	return realloc_from(ptr, size, CALLER_FRAME);
}

/*
 * Does not use the original reallocarray, which would call our realloc. Does not only call ours
 * either: an allocator loaded before us may have a realloc of its own, but no reallocarray.
 */
extern void *realloc_ours(void *ptr, size_t size)
	__attribute__((alias("realloc"), visibility("hidden"), nothrow, leaf, alloc_size(2)));
static void *(*volatile program_realloc)(void *, size_t) = realloc;

HOOK_EXPORT void *reallocarray(void *ptr, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	if (program_realloc != realloc_ours)
		return program_realloc(ptr, bytes);
	return realloc_from(ptr, bytes, CALLER_FRAME);
}

static inline __attribute__((always_inline)) void free_by(bool is_drawn, void *ptr)
{
	struct recorder_lane *lane;

	lane = heap_enter_death(is_drawn, ptr);
	if (UNLIKELY(!lane)) {
		if (heap_is_there())
			hook_real.free(ptr);
		return;
	}
	record_dies(lane, EVT_free, ptr, CALLER_FRAME);
	hook_real.free(ptr);
	recorder_leave(lane);
}

static HOOK_RECORDED void free_slowly(void *ptr)
{
	free_by(false, ptr);
}

static HOOK_RECORDED void free_recorded(void *ptr)
{
	struct recorder_lane *lane = recorder_enter_at_once(RECORDER_HEAP, RECORDER_IN_RECORD);

	if (UNLIKELY(!lane)) {
		free_slowly(ptr);
		return;
	}
	record_dies_whole(lane, EVT_free, ptr, CALLER_FRAME);
	hook_real.free(ptr);
	recorder_leave(lane);
}

static HOOK_RECORDED void free_drawn(void *ptr)
{
	free_by(true, ptr);
}

static inline __attribute__((always_inline)) void free_now(void *ptr)
{
	if (!ptr)
		return;
	if (!UNLIKELY(!recorder_gate(RECORDER_HEAP)))
		free_recorded(ptr);
	else if (heap_is_sampled() && sampled_blocks_may_have(ptr))
		free_drawn(ptr);
	else if (heap_is_sampled() || heap_is_shut())
		hook_real.free(ptr);
	else
		free_slowly(ptr);
}

HOOK_EXPORT void free(void *ptr)
{
	free_now(ptr);
}

HOOK_EXPORT void cfree(void *ptr)
{
	free_now(ptr);
}

/*
 * C23's sized frees. For an allocator without them, the program's free() is called, which is not
 * ours if an allocator loaded before us defines one. Volatile, because the compiler would otherwise
 * call ours directly.
 */
static void (*volatile program_free)(void *) = free;

HOOK_EXPORT void free_sized(void *ptr, size_t size)
{
	(void)size;
	program_free(ptr);
}

HOOK_EXPORT void free_aligned_sized(void *ptr, size_t alignment, size_t size)
{
	(void)alignment;
	(void)size;
	program_free(ptr);
}

HOOK_EXPORT int posix_memalign(void **ret, size_t alignment, size_t size)
{
	bool is_drawn = heap_is_sampled();
	struct recorder_lane *lane;
	int error;

	if (UNLIKELY(is_drawn) && heap_sample_misses(size))
		return hook_real.posix_memalign(ret, alignment, size);
	lane = heap_enter_birth(is_drawn, size);
	if (UNLIKELY(!lane))
		return UNLIKELY(!heap_is_there()) ? ENOMEM
						  : hook_real.posix_memalign(ret, alignment, size);
	error = hook_real.posix_memalign(ret, alignment, size);
	if (error || !*ret)
		recorder_leave(lane);
	else
		record_born(lane, EVT_memalign, *ret, size, CALLER_FRAME);
	return error;
}

/*
 * aligned_alloc, memalign, valloc and pvalloc differ only in their parameters, and an allocator may
 * lack all of them.
 */
#define MEMALIGN_HOOK(name, parameters, arguments)                                \
	static __attribute__((noinline, cold)) bool heap_has_##name(void)         \
	{                                                                         \
		if (heap_is_there() && hook_real.name)                            \
			return true;                                              \
		errno = ENOMEM;                                                   \
		return false;                                                     \
	}                                                                         \
                                                                                  \
	HOOK_EXPORT void *name parameters                                         \
	{                                                                         \
		bool is_drawn = heap_is_sampled();                                \
		struct recorder_lane *lane;                                       \
		void *ptr;                                                        \
                                                                                  \
		if (UNLIKELY(!hook_real.name) && !heap_has_##name())              \
			return NULL;                                              \
		if (UNLIKELY(is_drawn) && heap_sample_misses(size))               \
			return hook_real.name arguments;                          \
		lane = heap_enter_birth(is_drawn, size);                          \
		if (UNLIKELY(!lane))                                              \
			return hook_real.name arguments;                          \
		ptr = hook_real.name arguments;                                   \
		if (UNLIKELY(!ptr))                                               \
			recorder_leave(lane);                                     \
		else                                                              \
			record_born(lane, EVT_memalign, ptr, size, CALLER_FRAME); \
		return ptr;                                                       \
	}

MEMALIGN_HOOK(aligned_alloc, (size_t alignment, size_t size), (alignment, size))
MEMALIGN_HOOK(memalign, (size_t alignment, size_t size), (alignment, size))
MEMALIGN_HOOK(valloc, (size_t size), (size))
MEMALIGN_HOOK(pvalloc, (size_t size), (size))

HOOK_EXPORT size_t malloc_usable_size(void *ptr)
{
	if (!ptr || !heap_is_there())
		return 0;
	return hook_real.malloc_usable_size(ptr);
}
