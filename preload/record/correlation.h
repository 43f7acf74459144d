/* SPDX-License-Identifier: MIT */
/*
 * The number that CUPTI gives a CUDA call, handed from its callback (gpu/) to the record of the call (cuda/) on the
 * thread that makes it. A call that can be interposed takes the number along; one that cannot has no record but
 * the callback's.
 *
 *   0                          no interposed call is running
 *   CORRELATION_AWAITED        one is, CUPTI has not called yet
 *   number << 2 | _TAKEN       one is, and this is its number
 *   number << 2 | _OWN         a call past us is running, which the callback records
 *
 * Thread-local, initial-exec, plain data: 4 bytes, of which numbers have 30 bits; a call of a greater one is recorded by
 * the callback. A signal handler that calls CUDA may take the number from the call
 * that it interrupted: work of that call is then without a place.
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

/* CUPTI calls back: an interposed call need not ask otherwise. */
PRELOAD_HIDDEN extern bool correlation_wanted;

/* Around an interposed call that is no other's part. */
static inline void correlation_begin(void)
{
	if (__builtin_expect(__atomic_load_n(&correlation_wanted, __ATOMIC_RELAXED), 0))
		correlation_self = CORRELATION_AWAITED;
}

/* Its number, 0 when it has none. */
static inline uint64_t correlation_end(void)
{
	uint32_t self = correlation_self;

	if (__builtin_expect(self == 0, 1))
		return 0;
	correlation_self = 0;
	return (self & 3) == CORRELATION_TAKEN ? self >> 2 : 0;
}

#endif
