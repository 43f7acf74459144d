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
 * Sets the span [start, stop) of our own functions that are between a caller and an allocator's
 * operator new. They count as wrappers, too, and have no symbol to look up. Call once, in a
 * constructor.
 */
PRELOAD_HIDDEN void wrappers_have_ours(const void *start, const void *stop);

/* [low, high) is the span of `map`'s object. Returns false if its tables have an unknown form. */
bool wrappers_contain(const struct link_map *map, uintptr_t low, uintptr_t high, uintptr_t address);

/* As wrappers_contain(), for the bytes [from, from + bytes). */
bool wrappers_meet(const struct link_map *map, uintptr_t low, uintptr_t high, uintptr_t from,
		   uintptr_t bytes);

#endif
