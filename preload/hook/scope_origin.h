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

#include "preload/base/hidden.h"
#include "preload/hook/known_origin.h"

/* callers that are remembered */
#define SCOPE_ORIGINS 16u

struct scope_origin {
	const char *name;
	struct known_origin known[SCOPE_ORIGINS];
};

/* The slow path. NULL: nobody defines it. */
PRELOAD_HIDDEN void *scope_origin_search(struct scope_origin *origin, const void *caller);

static inline void *scope_origin_find(struct scope_origin *origin, const void *caller)
{
	void *function = known_origin_find(origin->known, SCOPE_ORIGINS, caller);

	return function ? function : scope_origin_search(origin, caller);
}

#endif
