/* SPDX-License-Identifier: MIT */
/*
 * The original of an interposed function of a library that may come in by dlopen() with
 * RTLD_LOCAL, and of which several versions may be loaded (OpenSSL): the definition that the
 * caller would have got without us. That is the next one behind us, or else the first one in the
 * calling object and the libraries that it is linked with.
 *
 * A result is kept by the caller's address, and its library stays loaded. Any thread; no lock of
 * ours; the first call from an address takes ld.so's lock. errno is preserved.
 */
#ifndef PRELOAD_HOOK_SCOPE_ORIGIN_H
#define PRELOAD_HOOK_SCOPE_ORIGIN_H

#include <stdatomic.h>
#include <stddef.h>

#include "preload/base/hidden.h"

/* callers that are remembered; for others the lookup is done at every call */
#define SCOPE_ORIGINS 16u

struct scope_origin {
	const char *name;
	struct {
		_Atomic(const void *) caller;
		_Atomic(void *) function; /* NULL: being looked up */
	} known[SCOPE_ORIGINS];
};

/* The slow path. NULL: nobody defines it. */
PRELOAD_HIDDEN void *scope_origin_search(struct scope_origin *origin, const void *caller);

static inline void *scope_origin_find(struct scope_origin *origin, const void *caller)
{
	for (unsigned int i = 0; i < SCOPE_ORIGINS; i++) {
		const void *known = atomic_load_explicit(&origin->known[i].caller,
							 memory_order_relaxed);
		void *function;

		if (!known)
			break;
		function = atomic_load_explicit(&origin->known[i].function, memory_order_acquire);
		if (known == caller && function)
			return function;
	}
	return scope_origin_search(origin, caller);
}

#endif
