/* SPDX-License-Identifier: MIT */
/*
 * Calls a function that forgets facts about code, when dlclose() has unloaded a library.
 *
 * Any thread. unload_watch() may be called repeatedly with the same `forget`.
 */
#ifndef PRELOAD_STACKS_UNLOAD_H
#define PRELOAD_STACKS_UNLOAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/base/hidden.h"

/* Called after each dlclose() that has unloaded something, on its thread. */
PRELOAD_HIDDEN extern void (*unload_forget)(void);

static inline void unload_watch(void (*forget)(void))
{
	if (!__atomic_load_n(&unload_forget, __ATOMIC_RELAXED))
		__atomic_store_n(&unload_forget, forget, __ATOMIC_RELEASE);
}

/*
 * What is known of code holds while this word is the same: it counts the calls of dlclose() that
 * have unloaded something, above the number of those that are under way. Do not keep what was found
 * while one is under way.
 */
PRELOAD_HIDDEN extern _Atomic uint64_t unload_state;
#define UNLOAD_UNDER_WAY 1u
#define UNLOAD_DONE (1u << 16)

static inline uint64_t unload_state_now(void)
{
	return atomic_load_explicit(&unload_state, memory_order_acquire);
}

static inline bool unload_is_under_way(uint64_t state)
{
	return state % UNLOAD_DONE != 0;
}

#endif
