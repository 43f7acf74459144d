/* SPDX-License-Identifier: MIT */
/*
 * The owner of a mutex of the C library for which another thread waits: glibc stores the owner's
 * thread id in the mutex. Condition variables, semaphores and Python's locks have no owner. To be
 * used by one thread.
 */
#ifndef COLLECTOR_SAMPLES_MUTEX_H
#define COLLECTOR_SAMPLES_MUTEX_H

#include <stdint.h>

#include "collector/samples/memory.h"

#define MUTEX_BYTES 24u

/*
 * `address`: of the word for which the thread waits, in the process; 0: there is none. Returns the
 * owner's thread id; 0: it is no mutex, or nobody holds it.
 */
uint32_t mutex_owner(struct memory *memory, uint32_t pid, uint64_t address);

/* The same by the bytes alone, for tests: does not check whether the thread exists. */
uint32_t mutex_owner_of(const uint8_t bytes[MUTEX_BYTES]);

#endif
