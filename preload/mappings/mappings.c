/* SPDX-License-Identifier: MIT */
/*
 * Memory that a program maps. Anonymous mappings go to family alloc, beside the heap, and mappings
 * of files to family io. Both gates are checked first, and if neither records, the hook jumps to
 * the original.
 *
 * A mapping is recorded after the original and an unmapping before it, so that no other thread can
 * be recorded with the same address first. An unmapping that fails for another reason than its
 * arguments (too many mappings) is recorded all the same. A mapping made within another hook
 * belongs to an allocator, which obtains or returns the memory of its blocks, or to ourselves. It
 * is not recorded; the blocks are.
 *
 * Any thread, signal handlers too, before our constructor too. No lock, no allocation; errno is the
 * original's.
 */
/* cases: mappings */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "collector/arch/pages.h"
#include "preload/hook/hook.h"
#include "preload/io/io.h"
#include "preload/record/recorder.h"
#include "preload/stacks/large.h"
#include "preload/stacks/stack.h"
#include "preload/stacks/thread.h"

#define CALLER ((uintptr_t)__builtin_return_address(0))

static inline __attribute__((always_inline)) bool is_shut(void)
{
	return recorder_is_shut(EVT_FAMILY_alloc) && io_is_shut();
}

static bool is_within_hook(void)
{
	return recorder_self.lane[0].owner >= RECORDER_BUSY_MIN;
}

/*
 * `large`: bytes that begin, which may have a stack of Python around the caller, the last field; 0:
 * none do.
 */
static void mappings_record(uint32_t type, uint64_t large, const uint64_t *field,
			    unsigned int fields)
{
	uint64_t stack;
	struct recorder_lane *lane;
	int saved = errno;

	if (is_within_hook())
		return;
	lane = recorder_enter(EVT_FAMILY_alloc, RECORDER_IN_RECORD);
	if (lane) {
		stack = large >= large_heap_bytes ? large_stack_from(lane, field[fields - 1]) : 0;
		(void)stack_put(lane, stack, type, recorder_now(), field, fields);
		recorder_leave(lane);
	}
	errno = saved;
}

static void record_gone(const void *address, uint64_t bytes)
{
	mappings_record(EVT_unmap, 0, (uint64_t[]){ (uintptr_t)address, bytes }, 2);
}

/* --- mmap --- */

struct mapping {
	size_t bytes;
	int protection, flags, fd;
	off_t offset;
	uintptr_t caller;
};

static void record_mapping(const struct mapping *m, const void *address)
{
	if (m->flags & MAP_ANONYMOUS)
		mappings_record(EVT_map_anonymous, m->protection ? m->bytes : 0,
				(uint64_t[]){ (uintptr_t)address, arch_page_up(m->bytes),
					      (uint64_t)m->protection,
					      (uint64_t)(unsigned int)m->flags, m->caller },
				5);
	else if (m->flags & MAP_FIXED)
		record_gone(address, arch_page_up(m->bytes));
}

/* A function of its own, so that the machine code shows what it calls (scripts/reach.py). */
static __attribute__((noinline)) void *original_mmap(void *wish, const struct mapping *m)
{
	return hook_real.mmap(wish, m->bytes, m->protection, m->flags, m->fd, m->offset);
}

static __attribute__((noinline)) void *recorded_mmap(void *wish, const struct mapping *m)
{
	static struct string function = { .bytes = "mmap", .length = 4 };
	bool is_file = !(m->flags & MAP_ANONYMOUS) && m->fd >= 0;
	struct io_call call;
	void *result;

	if (!hook_real.mmap && (!hook_resolve() || !hook_real.mmap))
		return (void *)io_missing(false);
	is_file = is_file && !io_is_off();
	call = (struct io_call){ &function, is_file ? recorder_now() : 0, m->fd };
	result = original_mmap(wish, m);
	if (result != MAP_FAILED)
		record_mapping(m, result);
	if (is_file)
		io_record_map(&call, result, m->bytes, m->offset);
	return result;
}

#define MMAP_HOOK(name)                                                                           \
	HOOK_EXPORT void *name(void *wish, size_t bytes, int protection, int flags, int fd,       \
			       off_t offset)                                                      \
	{                                                                                         \
		if (IO_LIKELY(hook_real.name && is_shut()))                                       \
			return hook_real.name(wish, bytes, protection, flags, fd, offset);        \
		return recorded_mmap(                                                             \
			wish, &(struct mapping){ bytes, protection, flags, fd, offset, CALLER }); \
	}

MMAP_HOOK(mmap)
MMAP_HOOK(mmap64)

/* --- munmap --- */

/* With these arguments the kernel refuses at once. */
static bool is_refused(const void *address, size_t bytes)
{
	return (uintptr_t)address % arch_page() || !arch_page_up(bytes);
}

static __attribute__((noinline)) int recorded_munmap(void *address, size_t bytes)
{
	static struct string function = { .bytes = "munmap", .length = 6 };
	struct io_call call = { &function, 0, -1 };
	bool of_io;
	int result;

	if (!hook_real.munmap && (!hook_resolve() || !hook_real.munmap))
		return (int)io_missing(false);
	of_io = !io_is_off() && !is_within_hook();
	if (!is_refused(address, bytes))
		record_gone(address, arch_page_up(bytes));
	call.start = of_io ? recorder_now() : 0;
	result = hook_real.munmap(address, bytes);
	stack_python_forget();
	if (of_io)
		io_record_unmap(&call, address, bytes, result);
	return result;
}

HOOK_EXPORT int munmap(void *address, size_t bytes)
{
	if (IO_LIKELY(hook_real.munmap && is_shut()))
		return hook_real.munmap(address, bytes);
	return recorded_munmap(address, bytes);
}

/* --- mremap --- */

/* If old_bytes is 0, the old mapping stays and the same memory is mapped a second time. */
HOOK_EXPORT void *mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...)
{
	void *wish = NULL, *result;

	if (flags & MREMAP_FIXED) {
		va_list list;

		va_start(list, flags);
		wish = va_arg(list, void *);
		va_end(list);
	}
	if (!hook_real.mremap && (!hook_resolve() || !hook_real.mremap))
		return (void *)io_missing(false);
	result = hook_real.mremap(old, old_bytes, bytes, flags, wish);
	if (result != MAP_FAILED && old_bytes && !recorder_is_shut(EVT_FAMILY_alloc))
		mappings_record(EVT_remap, 0,
				(uint64_t[]){ (uintptr_t)old, arch_page_up(old_bytes),
					      (uintptr_t)result, arch_page_up(bytes), CALLER },
				5);
	return result;
}

/* --- brk --- */

static void record_break(uintptr_t before, uintptr_t now, uintptr_t caller)
{
	if (now > before)
		mappings_record(
			EVT_map_anonymous, now - before,
			(uint64_t[]){ before, now - before, PROT_READ | PROT_WRITE, 0, caller }, 5);
	else if (now < before)
		record_gone((const void *)now, before - now);
}

/* The original does not tell where the break was before. */
HOOK_EXPORT int brk(void *end)
{
	uintptr_t before;
	int result;

	if (!hook_real.brk && (!hook_resolve() || !hook_real.brk))
		return (int)io_missing(false);
	if (recorder_is_shut(EVT_FAMILY_alloc) || !hook_real.sbrk)
		return hook_real.brk(end);
	before = (uintptr_t)hook_real.sbrk(0);
	result = hook_real.brk(end);
	if (!result && before != UINTPTR_MAX)
		record_break(before, (uintptr_t)end, CALLER);
	return result;
}

HOOK_EXPORT void *sbrk(intptr_t change)
{
	void *before;

	if (!hook_real.sbrk && (!hook_resolve() || !hook_real.sbrk))
		return (void *)io_missing(false);
	before = hook_real.sbrk(change);
	if (change && before != (void *)-1 && !recorder_is_shut(EVT_FAMILY_alloc))
		record_break((uintptr_t)before, (uintptr_t)before + (uintptr_t)change, CALLER);
	return before;
}
