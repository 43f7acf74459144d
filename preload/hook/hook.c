/* SPDX-License-Identifier: MIT */
/*
 * Looks up the originals. It takes the next definition and not __libc_malloc, so that an allocator
 * that the program preloads or links behind us remains the program's allocator.
 */
#include "preload/hook/hook.h"

#include "preload/hook/origin.h"

PRELOAD_HOT struct hook_originals hook_real;
PRELOAD_HOT bool hook_ready;

static void original_set(void *original, const char *name)
{
	void *found = origin_next(name);

	if (found)
		__atomic_store_n((void **)original, found, __ATOMIC_RELAXED);
}

#define HOOK_LIBC_libc(name) original_set(&hook_real.name, #name);
#define HOOK_LIBC_alias(name)
#define HOOK_LIBC_allocator(name)
#define HOOK_LIBC_nvtoolsext(name)

bool hook_resolve(void)
{
	if (hook_ready)
		return true;
#define HOOK(library, returns, name, parameters, arguments) HOOK_LIBC_##library(name)
#include "preload/families.def"
	if (!hook_real.malloc || !hook_real.free)
		return false;
	__atomic_store_n(&hook_ready, true, __ATOMIC_RELEASE);
	return true;
}
