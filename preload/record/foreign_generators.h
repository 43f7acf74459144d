/* SPDX-License-Identifier: MIT */
/*
 * Which types are generators of Cython. A module made by Cython has types of its own for them,
 * which nobody exports; they are known by their names.
 *
 * Any thread, signal handlers too. No lock, no allocation. Each type is read once, by a system call
 * (own_memory.h), since what is taken for a type may be anything; up to 32 of them are remembered,
 * and all others are not generators.
 */
#ifndef PRELOAD_RECORD_FOREIGN_GENERATORS_H
#define PRELOAD_RECORD_FOREIGN_GENERATORS_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/base/hidden.h"

/*
 * Is this the address of a type of generators or async generators of Cython? `type_at` is where an
 * object has its type, in bytes. Coroutines are not meant.
 */
PRELOAD_HIDDEN bool foreign_generators_have(uint64_t type, unsigned int type_at);

#endif
