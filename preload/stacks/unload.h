/* SPDX-License-Identifier: MIT */
/*
 * Calls a function that forgets facts about code, when dlclose() has unloaded a library.
 *
 * Any thread. unload_watch() may be called repeatedly with the same `forget`.
 */
#ifndef PRELOAD_STACKS_UNLOAD_H
#define PRELOAD_STACKS_UNLOAD_H

#include "preload/base/hidden.h"

/* Called after each dlclose() that has unloaded something, on its thread. */
PRELOAD_HIDDEN extern void (*unload_forget)(void);

static inline void unload_watch(void (*forget)(void))
{
	if (!__atomic_load_n(&unload_forget, __ATOMIC_RELAXED))
		__atomic_store_n(&unload_forget, forget, __ATOMIC_RELEASE);
}

#endif
