/* SPDX-License-Identifier: MIT */
/*
 * The futex calls that the library makes. The futexes are shared, because the words are in the
 * shared region and the other side is another process. The caller preserves errno.
 */
#ifndef PRELOAD_BASE_FUTEX_H
#define PRELOAD_BASE_FUTEX_H

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Returns when the word is no longer `value`, when woken, when interrupted or after `ns`. */
static inline void futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t ns)
{
	struct timespec timeout = { (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) };

	syscall(SYS_futex, word, FUTEX_WAIT, value, &timeout, NULL, 0);
}

static inline void futex_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

#endif
