/* SPDX-License-Identifier: MIT */
/*
 * The originals of interposed functions of torch (TORCH lines of hooks.def). RTLD_NEXT does not
 * suffice, because torch is loaded by dlopen() with RTLD_LOCAL, and two copies of it may be loaded.
 * So the original is the first of
 *
 *   1. the definition in another preloaded library between us and torch;
 *   2. the calling object's own definition;
 *   3. the definition in the loaded object whose path has most in common with the caller's.
 *
 * A result in a libc10.so is kept by the caller's address, and that library stays loaded (its
 * STB_GNU_UNIQUE symbols prevent unloading anyway). A definition in any other object is looked up
 * at every call.
 *
 * Any thread; no lock of ours. The first call from an address walks the list of loaded objects,
 * under ld.so's lock. errno is preserved.
 */
#ifndef PRELOAD_HOOK_TORCH_ORIGIN_H
#define PRELOAD_HOOK_TORCH_ORIGIN_H

#include <stdatomic.h>
#include <stddef.h>

/* callers that are remembered; for others the lookup is done at every call */
#define TORCH_ORIGINS 8u

struct torch_origin {
	const char *name;
	struct {
		_Atomic(const void *) caller;
		_Atomic(void *) function; /* NULL: being looked up */
	} known[TORCH_ORIGINS];
};

/*
 * The slow path. Without a caller any definition will do, and the result is not kept. NULL: nobody
 * defines it.
 */
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
