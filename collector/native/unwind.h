/* SPDX-License-Identifier: MIT */
/*
 * Frames from the registers of a moment and a copy of the stack of the same moment, by the rows of .eh_frame. Nothing else of the
 * process is read, nothing is guessed. Bounded by UNWIND_FRAMES. One thread.
 */
#ifndef COLLECTOR_NATIVE_UNWIND_H
#define COLLECTOR_NATIVE_UNWIND_H

#include <stdint.h>

#include "collector/native/mappings.h"
#include "collector/native/tables.h"

#define UNWIND_FRAMES 512u

struct unwind_moment {
	uint64_t rip, rsp, rbp;
	const uint8_t *stack; /* bytes from rsp on */
	uint32_t stack_bytes;
};

enum unwind_end {
	UNWIND_OUTERMOST, /* nobody called it */
	UNWIND_NO_TABLE,  /* code of no file, or of one without a table of it that cfi.h follows */
	UNWIND_NO_FILE,   /* the file cannot be had */
	UNWIND_NO_RULE,  /* the row leads nowhere: to a register that is not known, or no address */
	UNWIND_NO_STACK, /* beyond what was copied */
	UNWIND_TOO_DEEP,
	UNWIND_END_LIMIT,
};

/* A frame is its address; with FRAME_IS_EXACT and the like above UNWIND_FLAGS_SHIFT. */
#define UNWIND_FLAGS_SHIFT 56u
#define UNWIND_ADDRESS ((1ull << UNWIND_FLAGS_SHIFT) - 1)

/*
 * Into `ret_frame`, UNWIND_FRAMES of room, the innermost first; at least one. The outermost one of a stack that goes on is marked
 * FRAME_IS_TRUNCATED. `pid`: through which files are had.
 */
uint32_t unwind(struct tables *tables, struct mappings *mappings, uint32_t pid,
		const struct unwind_moment *moment, uint64_t *ret_frame, enum unwind_end *ret_end);

#endif
