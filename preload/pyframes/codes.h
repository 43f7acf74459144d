/* SPDX-License-Identifier: MIT */
/*
 * Code objects of the program: turns a code object and an instruction in it into the id of a
 * line (python_line), which has then been written to a ring. The id is a hash of the function's
 * name, its file and its lines, so it is the same in every process.
 *
 * A process-wide, bounded table keeps what is known, by the object's address. Addresses are
 * reused, so the end of each code object is watched (its type's tp_dealloc is replaced by ours,
 * which calls the original) and invalidates the entry.
 *
 * Objects are read as plain memory, each page only after the kernel has confirmed that it is
 * readable: no call of CPython, no reference. Any thread, signal handlers too; no lock, no
 * allocation.
 */
#ifndef PRELOAD_PYFRAMES_CODES_H
#define PRELOAD_PYFRAMES_CODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/region/python_layout.h"
#include "preload/base/hidden.h"
#include "preload/record/recorder.h"

/*
 * Counts the code objects that have ended. What was derived from an address before the count
 * changed may belong to another object.
 */
PRELOAD_HIDDEN extern uint64_t codes_ended;

/* Call once, with the GIL. Returns false if there is no memory. */
bool codes_begin(const struct python_layout *layout, void *code_type);

/* What a code object says of itself. Texts are views of the object, or of `room`. */
struct code_line {
	const char *function, *file;
	size_t function_bytes, file_bytes;
	uint32_t first, line; /* 0: none */
	char room[2][512];    /* for texts that are not ASCII; longer ones are cut */
};

/*
 * Threads of free-threaded builds run copies of a code's instructions. Returns the corresponding
 * instruction in the code itself; 0, which no code has, if it cannot be found.
 */
uint64_t code_instruction(uint64_t code, uint64_t instruction, uint32_t copy);

/*
 * `instruction` has the form of python_layout.frame_at. Returns false if it is no code object, or
 * cannot be read.
 */
bool code_read(uint64_t code, uint64_t instruction, struct code_line *ret_line);

/* Returns the id; 0: the object cannot be read, or the ring has no room. `lane` is IN_RECORD. */
uint64_t code_line_id(struct recorder_lane *lane, uint64_t code, uint64_t instruction);

#endif
