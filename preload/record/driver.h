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

/* Set by life/ as the driver calls, and by driver_note(). Reset by who wants driver_found() to be called once more, by the
 * next such call: from a thread of the program's, outside of all that CUPTI calls. */
PRELOAD_HIDDEN extern bool driver_is_known;
/* NULL until the constructor has run. */
PRELOAD_HIDDEN extern void (*driver_found)(void);

/* The first caller calls driver_found(). */
PRELOAD_HIDDEN void driver_report(void);

/* A call has succeeded that needs the driver. */
static inline void driver_note(void)
{
	if (__builtin_expect(!__atomic_load_n(&driver_is_known, __ATOMIC_RELAXED), 0))
		driver_report();
}

#endif
