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

#include "preload/hook/known_origin.h"

/* callers that are remembered */
#define TORCH_ORIGINS 8u

struct torch_origin {
	const char *name;
	struct known_origin known[TORCH_ORIGINS];
};

/*
 * The slow path. Without a caller any definition will do, and the result is not kept. NULL: nobody
 * defines it.
 */
void *torch_origin_search(struct torch_origin *origin, const void *caller);

static inline void *torch_origin_find(struct torch_origin *origin, const void *caller)
{
	void *function = known_origin_find(origin->known, TORCH_ORIGINS, caller);

	return function ? function : torch_origin_search(origin, caller);
}

#endif
