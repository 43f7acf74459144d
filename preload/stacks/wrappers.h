/* SPDX-License-Identifier: MIT */
/*
 * Whether an address, or any byte of a span, is inside one of the functions of wrappers.def, by
 * the dynamic symbol table of the object that holds the address and its GNU hash section (System
 * V gABI; as binutils writes it).
 *
 * Takes no lock, allocates nothing, makes no system call: any thread, signal handlers too. The
 * object must stay mapped meanwhile, which an executing one does. Offsets are checked against
 * its span.
 */
#ifndef PRELOAD_STACKS_WRAPPERS_H
#define PRELOAD_STACKS_WRAPPERS_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/base/hidden.h"

/*
 * Functions of ours that stand between a caller and an allocator's operator new while that runs: wrappers, too, without a
 * symbol that could be looked up. [start, stop): where they lie. Once, in a constructor.
 */
PRELOAD_HIDDEN void wrappers_have_ours(const void *start, const void *stop);

/* [low, high): where the object of `map` lies. False when its tables are not what we know. */
bool wrappers_contain(const struct link_map *map, uintptr_t low, uintptr_t high, uintptr_t address);

/* The same of [from, from + bytes). */
bool wrappers_meet(const struct link_map *map, uintptr_t low, uintptr_t high, uintptr_t from,
		   uintptr_t bytes);

#endif
