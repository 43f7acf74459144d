/* SPDX-License-Identifier: MIT */
/*
 * The correlation number that CUPTI gives a CUDA call. CUPTI's callback (gpu/) hands it to the
 * record of the call (cuda/) on the same thread. An interposed call takes the number into its
 * record. A call that cannot be interposed is recorded only by the callback.
 *
 *   0                          no interposed call is running
 *   CORRELATION_AWAITED        a call is running, CUPTI has not called back yet
 *   number << 2 | _TAKEN       a call is running, and this is its number
 *   number << 2 | _OWN         a call that we do not interpose is running; the callback records it
 *
 * Thread-local, initial-exec, plain data: 4 bytes, 30 bits of them for the number. A call with a
 * larger number is recorded by the callback. A signal handler that calls CUDA may take the number
 * of the call that it interrupted; work of that call is then uncorrelated.
 */
#ifndef PRELOAD_RECORD_CORRELATION_H
#define PRELOAD_RECORD_CORRELATION_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/base/hidden.h"

#define CORRELATION_AWAITED 1u
#define CORRELATION_TAKEN 2u
#define CORRELATION_OWN 3u
#define CORRELATION_LIMIT (1u << 30)

PRELOAD_HIDDEN extern __thread uint32_t correlation_self __attribute__((tls_model("initial-exec")));

/* CUPTI's callbacks are on, so interposed calls have to set their word. */
PRELOAD_HIDDEN extern bool correlation_wanted;

/*
 * Ticks. CUPTI was switched off then: whether the work of a call that had begun before was reported
 * is not known, and a CUPTI that comes back begins to count anew. So such a call has no number.
 */
PRELOAD_HIDDEN extern uint64_t correlation_off_ticks;

static inline bool correlation_is_void(uint64_t start_ticks)
{
	return start_ticks < __atomic_load_n(&correlation_off_ticks, __ATOMIC_RELAXED);
}

/* Surrounds an interposed call that is not part of another interposed call. */
static inline void correlation_begin(void)
{
	if (__builtin_expect(__atomic_load_n(&correlation_wanted, __ATOMIC_RELAXED), 0))
		correlation_self = CORRELATION_AWAITED;
}

/* Returns the number of the call that began then, 0 if it has none. */
static inline uint64_t correlation_end(uint64_t start_ticks)
{
	uint32_t self = correlation_self;

	if (__builtin_expect(self == 0, 1))
		return 0;
	correlation_self = 0;
	return (self & 3) == CORRELATION_TAKEN && !correlation_is_void(start_ticks) ? self >> 2 : 0;
}

#endif
