/* SPDX-License-Identifier: MIT */
/*
 * Whether the CUDA driver has announced its start (InitializeInjection). It does not if it
 * started before us, or was given another library or none. Then the first call that succeeds on
 * a GPU announces it instead. Hooks of CUDA know only this; life/ sets what happens.
 *
 * Any thread, not from within a function of the heap, and with none of our locks held: CUPTI is
 * loaded and started.
 */
#ifndef PRELOAD_RECORD_DRIVER_H
#define PRELOAD_RECORD_DRIVER_H

#include <stdbool.h>

#include "preload/base/hidden.h"

/*
 * life/ sets it when the driver calls us, driver_note() sets it otherwise. Resetting it makes the
 * next successful call run driver_found() once more, on a thread of the program and outside of
 * CUPTI's callbacks.
 */
PRELOAD_HIDDEN extern bool driver_is_known;
/* NULL until the constructor has run. */
PRELOAD_HIDDEN extern void (*driver_found)(void);

/* Calls driver_found(), but only for the first caller. */
PRELOAD_HIDDEN void driver_report(void);

/* Call after a call that needs the driver has succeeded. */
static inline void driver_note(void)
{
	if (__builtin_expect(!__atomic_load_n(&driver_is_known, __ATOMIC_RELAXED), 0))
		driver_report();
}

#endif
