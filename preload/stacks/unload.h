/* SPDX-License-Identifier: MIT */
/*
 * Whoever keeps what is known of code is called when a library has been unloaded by dlclose().
 *
 * Any thread. unload_watch() may be called again and again, for one and the same `forget`.
 */
#ifndef PRELOAD_STACKS_UNLOAD_H
#define PRELOAD_STACKS_UNLOAD_H

#include "preload/base/hidden.h"

/* Called behind each dlclose() that has unloaded something, on its thread. */
PRELOAD_HIDDEN extern void (*unload_forget)(void);

static inline void unload_watch(void (*forget)(void))
{
	if (!__atomic_load_n(&unload_forget, __ATOMIC_RELAXED))
		__atomic_store_n(&unload_forget, forget, __ATOMIC_RELEASE);
}

#endif
