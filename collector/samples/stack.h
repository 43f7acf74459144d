/* SPDX-License-Identifier: MIT */
/*
 * The Python stack of one thread of another process, read while that runs. Frames change under the reader's eyes:
 * what cannot be a stack is told apart and is no sample. Depth is bounded. One thread.
 */
#ifndef COLLECTOR_SAMPLES_STACK_H
#define COLLECTOR_SAMPLES_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/samples/codes.h"

#define STACK_FRAMES_MAX 512u

enum stack_result {
	STACK_READ,
	STACK_NONE, /* the thread runs no Python function */
	STACK_TORN, /* a frame that is none, or could not be read */
};

struct stack {
	uint32_t place; /* 0: there is no room for more places */
	bool is_cut;    /* it is deeper than what was read */
};

/* `thread`: address of the thread's state. `reader->memory` has begun for it. */
enum stack_result stack_read(struct codes *codes, const struct code_reader *reader, uint64_t thread,
			     struct stack *ret_stack);

#endif
