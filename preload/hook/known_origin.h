/* SPDX-License-Identifier: MIT */
/*
 * Originals that were looked up before, by the address that called: a small table of atomics in
 * each hook. For others than the first callers the lookup is done at every call. Any thread; no
 * lock.
 */
#ifndef PRELOAD_HOOK_KNOWN_ORIGIN_H
#define PRELOAD_HOOK_KNOWN_ORIGIN_H

#include <stdatomic.h>
#include <stddef.h>

struct known_origin {
	_Atomic(const void *) caller;
	_Atomic(void *) function; /* NULL: being looked up */
};

/* NULL: not known. */
static inline void *known_origin_find(struct known_origin *known, unsigned int count,
				      const void *caller)
{
	for (unsigned int i = 0; i < count; i++) {
		const void *seen = atomic_load_explicit(&known[i].caller, memory_order_relaxed);
		void *function;

		if (!seen)
			break;
		function = atomic_load_explicit(&known[i].function, memory_order_acquire);
		if (seen == caller && function)
			return function;
	}
	return NULL;
}

static inline void known_origin_keep(struct known_origin *known, unsigned int count,
				     const void *caller, void *function)
{
	for (unsigned int i = 0; i < count; i++) {
		const void *none = NULL;

		if (!atomic_compare_exchange_strong(&known[i].caller, &none, caller))
			continue;
		atomic_store_explicit(&known[i].function, function, memory_order_release);
		return;
	}
}

#endif
