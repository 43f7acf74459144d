/* SPDX-License-Identifier: MIT */
/*
 * Whether a thread that runs was in C code when it was looked at: its innermost frame of Python stands at an instruction that calls such
 * code. Versions before 3.11 do not tell operations on numbers from those on other objects; there only calls and matrix products count.
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

/* False also where the instruction cannot be read. */
bool native_calls_at(struct memory *memory, const struct python_layout *layout,
		     const struct call_site *site);
/* The two bytes of an instruction. */
bool native_calls_is(unsigned int minor, uint8_t code, uint8_t argument);

#endif
