/* SPDX-License-Identifier: MIT */
/*
 * C++'s operator new and delete, if the allocator behind us defines them itself. Otherwise they
 * jump on to the next definition (libstdc++'s call malloc(), which is recorded).
 *
 * operator new throws, and an exception must not leave anything of ours open. So no lane is held
 * around the original. Some allocators' operators call malloc(), which records the block;
 * block_born() notices that. operator delete does not throw and is recorded as free() is.
 */
#include <stdlib.h>

#include "preload/heap/block_record.h"
#include "preload/hook/hook.h"
#include "preload/stacks/wrappers.h"

/*
 * In a section of its own, whose ends the linker names, so that callers are looked for behind these
 * functions.
 */
#define OURS __attribute__((section("text_operators"), noinline))

extern const char ours_start[] __asm__("__start_text_operators")
	__attribute__((visibility("hidden")));
extern const char ours_stop[] __asm__("__stop_text_operators")
	__attribute__((visibility("hidden")));

__attribute__((constructor)) static void operators_begin(void)
{
	wrappers_have_ours(ours_start, ours_stop);
}

/*
 * `otherwise` is returned if nobody defines the operator. A program that only tests for it (a weak
 * symbol) finds ours. The recording part is a function of its own, so that the other calls cost
 * only a jump. It is reached by a jump too, so it sees our caller.
 */
#define OPERATOR_NEW(name, event, parameters, arguments, otherwise)                \
	typedef void *(*name##_type)parameters;                                    \
                                                                                   \
	static OURS void *name##_recorded parameters                               \
	{                                                                          \
		name##_type next = (name##_type)allocator_next(ALLOCATOR_##name);  \
		struct block_before before = block_before();                       \
		void *block = next arguments;                                      \
                                                                                   \
		if (block)                                                         \
			block_born(before, event, block, size, CALLER_FRAME);      \
		return block;                                                      \
	}                                                                          \
                                                                                   \
	HOOK_EXPORT void *name parameters                                          \
	{                                                                          \
		name##_type next = (name##_type)allocator_next(ALLOCATOR_##name);  \
                                                                                   \
		if (!next)                                                         \
			return otherwise;                                          \
		return allocator_has(ALLOCATOR_##name) ? name##_recorded arguments \
						       : next arguments;           \
	}

#define OPERATOR_NEWS(which)                                                                      \
	OPERATOR_NEW(_Zn##which##m, EVT_malloc, (size_t size), (size), malloc(size))              \
	OPERATOR_NEW(_Zn##which##mRKSt9nothrow_t, EVT_malloc, (size_t size, const void *nothrow), \
		     (size, nothrow), malloc(size))                                               \
	OPERATOR_NEW(_Zn##which##mSt11align_val_t, EVT_memalign, (size_t size, size_t alignment), \
		     (size, alignment), aligned_alloc(alignment, size))                           \
	OPERATOR_NEW(_Zn##which##mSt11align_val_tRKSt9nothrow_t, EVT_memalign,                    \
		     (size_t size, size_t alignment, const void *nothrow),                        \
		     (size, alignment, nothrow), aligned_alloc(alignment, size))

OPERATOR_NEWS(w)
OPERATOR_NEWS(a)

#define OPERATOR_DELETE(name, parameters, arguments)                              \
	typedef void(*name##_type) parameters;                                    \
                                                                                  \
	static __attribute__((noinline)) void name##_recorded parameters          \
	{                                                                         \
		name##_type next = (name##_type)allocator_next(ALLOCATOR_##name); \
		struct recorder_lane *lane = block_dies(ptr, CALLER_FRAME);       \
                                                                                  \
		next arguments;                                                   \
		if (lane)                                                         \
			recorder_leave(lane);                                     \
	}                                                                         \
                                                                                  \
	HOOK_EXPORT void name parameters                                          \
	{                                                                         \
		name##_type next = (name##_type)allocator_next(ALLOCATOR_##name); \
                                                                                  \
		if (!next)                                                        \
			free(ptr);                                                \
		else if (ptr && allocator_has(ALLOCATOR_##name))                  \
			name##_recorded arguments;                                \
		else                                                              \
			next arguments;                                           \
	}

#define OPERATOR_DELETES(which)                                                             \
	OPERATOR_DELETE(_Zd##which##Pv, (void *ptr), (ptr))                                 \
	OPERATOR_DELETE(_Zd##which##Pvm, (void *ptr, size_t size), (ptr, size))             \
	OPERATOR_DELETE(_Zd##which##PvRKSt9nothrow_t, (void *ptr, const void *nothrow),     \
			(ptr, nothrow))                                                     \
	OPERATOR_DELETE(_Zd##which##PvSt11align_val_t, (void *ptr, size_t alignment),       \
			(ptr, alignment))                                                   \
	OPERATOR_DELETE(_Zd##which##PvmSt11align_val_t,                                     \
			(void *ptr, size_t size, size_t alignment), (ptr, size, alignment)) \
	OPERATOR_DELETE(_Zd##which##PvSt11align_val_tRKSt9nothrow_t,                        \
			(void *ptr, size_t alignment, const void *nothrow),                 \
			(ptr, alignment, nothrow))

OPERATOR_DELETES(l)
OPERATOR_DELETES(a)
