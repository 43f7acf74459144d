/* SPDX-License-Identifier: MIT */
/*
 * Who holds a mutex of the C library that another thread waits for: glibc keeps the owner's
 * thread id in it. A condition variable, a semaphore and a lock of Python keep no owner. One
 * thread.
 */
#ifndef COLLECTOR_SAMPLES_MUTEX_H
#define COLLECTOR_SAMPLES_MUTEX_H

#include <stdint.h>

#include "collector/samples/memory.h"

#define MUTEX_BYTES 24u

/* `address`: of the word that is waited for, in the process; 0: there is none. The tid; 0: that is no mutex, or nobody has it. */
uint32_t mutex_owner(struct memory *memory, uint32_t pid, uint64_t address);

/* By its bytes alone, for tests: whether there is such a thread is not asked. */
uint32_t mutex_owner_of(const uint8_t bytes[MUTEX_BYTES]);

#endif
