/* SPDX-License-Identifier: MIT */
/*
 * Whether a running thread was in C code when it was sampled: its innermost Python frame is at an
 * instruction that calls such code. In versions before 3.11, operations on numbers cannot be
 * distinguished from those on other objects, so only calls and matrix products count.
 */
#ifndef COLLECTOR_SAMPLES_NATIVE_CALLS_H
#define COLLECTOR_SAMPLES_NATIVE_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/region/python_layout.h"
#include "collector/samples/memory.h"

/* A frame as it was read: the address of its code, and python_layout.frame_at. */
struct call_site {
	uint64_t code, at;
};

/* Also returns false if the instruction cannot be read. */
bool native_calls_at(struct memory *memory, const struct python_layout *layout,
		     const struct call_site *site);
/* For the two bytes of an instruction. */
bool native_calls_is(unsigned int minor, uint8_t code, uint8_t argument);

#endif
