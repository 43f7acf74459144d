/* SPDX-License-Identifier: MIT */
/*
 * The originals of interposed functions of torch (TORCH lines of hooks.def). Not RTLD_NEXT alone: torch comes in by
 * dlopen() with RTLD_LOCAL, and there may be two of it. So the original is
 *
 *   1. that of another preloaded library, which stands between;
 *   2. the calling object's own;
 *   3. that of the loaded object whose path has most in common with the caller's.
 *
 * What was found in a libc10.so is kept by the address that calls, and that library is kept loaded (it cannot be
 * unloaded anyhow: its STB_GNU_UNIQUE symbols); what any other object defines is looked up at every call.
 *
 * Any thread; no lock of ours; the first call from an address walks the list of loaded objects, under ld.so's lock.
 * errno is preserved.
 */
#ifndef PRELOAD_HOOK_TORCH_ORIGIN_H
#define PRELOAD_HOOK_TORCH_ORIGIN_H

#include <stdatomic.h>
#include <stddef.h>

#define TORCH_ORIGINS \
	8u /* places that a function is called from; more are looked up at every call */

struct torch_origin {
	const char *name;
	struct {
		_Atomic(const void *) caller;
		_Atomic(void *) function; /* NULL: being looked for */
	} known[TORCH_ORIGINS];
};

/* The slow way; without a caller any will do, and nothing is kept. NULL: nobody defines it. */
void *torch_origin_search(struct torch_origin *origin, const void *caller);

static inline void *torch_origin_find(struct torch_origin *origin, const void *caller)
{
	for (unsigned int i = 0; i < TORCH_ORIGINS; i++) {
		const void *known = atomic_load_explicit(&origin->known[i].caller,
							 memory_order_relaxed);
		void *function;

		if (!known)
			break;
		function = atomic_load_explicit(&origin->known[i].function, memory_order_acquire);
		if (known == caller && function)
			return function;
	}
	return torch_origin_search(origin, caller);
}

#endif
