/* SPDX-License-Identifier: MIT */
/*
 * Unwinds from registers and a copy of the stack of the same moment, by the rows of .eh_frame.
 * Reads nothing else of the process and guesses nothing. Bounded by UNWIND_FRAMES. One thread.
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
	uint64_t link; /* the link register, with ARCH_PERF_HAS_LINK */
};

enum unwind_end {
	UNWIND_OUTERMOST, /* there is no caller */
	/* code of no file, or of a file without a table row that cfi.h supports */
	UNWIND_NO_TABLE,
	UNWIND_NO_FILE,  /* the file cannot be opened */
	UNWIND_NO_RULE,  /* the row depends on an unknown register, or gives no valid address */
	UNWIND_NO_STACK, /* beyond the copied part */
	UNWIND_TOO_DEEP,
	UNWIND_END_LIMIT,
};

/* A frame is its address, with flags such as FRAME_IS_EXACT above UNWIND_FLAGS_SHIFT. */
#define UNWIND_FLAGS_SHIFT 56u
#define UNWIND_ADDRESS ((1ull << UNWIND_FLAGS_SHIFT) - 1)

/*
 * Writes at least one frame into `ret_frame` (room for UNWIND_FRAMES), innermost first. If the
 * stack goes on, its outermost frame is marked FRAME_IS_TRUNCATED. `pid`: the process through which
 * files are opened.
 */
uint32_t unwind(struct tables *tables, struct mappings *mappings, uint32_t pid,
		const struct unwind_moment *moment, uint64_t *ret_frame, enum unwind_end *ret_end);

#endif
