/* SPDX-License-Identifier: MIT */
/*
 * The Python stack of one thread of another process, read while that runs. Frames change under the
 * reader's eyes: a torn stack is recognised and is not a sample. Depth is bounded.
 *
 * A frame that is what it was at the last look (its address, code, instruction and caller) runs
 * the same code: its code object is read again at every STACK_TURN-th look only, since memory can
 * be used again for another that is equal in all of this. Those of the STACK_CHECKED innermost
 * frames are read each time. One thread.
 */
#ifndef COLLECTOR_SAMPLES_STACK_H
#define COLLECTOR_SAMPLES_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/samples/native_calls.h"
#include "collector/samples/codes.h"

#define STACK_FRAMES_MAX 512u

enum stack_result {
	STACK_READ,
	STACK_NONE, /* the thread runs no Python function */
	STACK_TORN, /* at none of STACK_TRIES reads all frames were frames, of one moment */
};

#define STACK_TRIES 10u
#define STACK_CHECKED 4u
#define STACK_TURN 8u

/* The last stack that was read of a thread. Zeroed: none. */
struct stack_known {
	struct stack_frame {
		uint64_t address, code, back, at;
		struct code_place found;
		uint32_t place;
	} * frame; /* owned; the innermost first */
	uint32_t count, room, reads;
	struct memory_moment moment; /* of what says which frame is the innermost */
};
void stack_known_release(struct stack_known *known);

/* What the next look is going to read, as far as it changes while the thread runs: in an order that tells whether it is of one moment. */
void stack_want_moment(struct stack_known *known, const struct memory_hints *hints,
		       struct memory *memory);
/* The rest of what was of use the last time, and code objects that are due. */
void stack_want_rest(const struct stack_known *known, const struct python_layout *layout,
		     const struct memory_hints *hints, struct memory *memory);

struct stack {
	uint32_t place;             /* 0: there is no room for more places */
	bool is_cut;                /* it is deeper than what was read */
	struct call_site innermost; /* of STACK_READ */
};

/* The thread of this state runs a function of Python, or has called what it runs from one. False also where it cannot be read. */
bool stack_has_frame(struct memory *memory, const struct python_layout *layout, uint64_t thread);

struct stack_wanted {
	uint64_t thread; /* address of the thread's state */
	bool runs;       /* what the reader has of it may have changed meanwhile */
	/* are called before and after each read but the first; NULL: they are not */
	void (*begin_again)(void *of), (*end_again)(void *of);
	void *of;
};

/* `reader->memory` has begun for it. */
/* Where the innermost frame is, and its instruction, at one moment. */
struct stack_mark {
	uint64_t word[MEMORY_WATCHED], frame, at;
	bool is_known;
};
/* Now, of the thread whose stack is known. A call to the kernel, or two if another frame has become the innermost. */
void stack_mark(struct memory *memory, const struct python_layout *layout,
		const struct stack_known *known, struct stack_mark *ret_mark);
/* The thread has run Python code between the mark and the read of the known stack. False also if that cannot be told. */
bool stack_has_moved(const struct stack_mark *mark, const struct stack_known *known);

enum stack_result stack_read(struct codes *codes, const struct code_reader *reader,
			     const struct stack_wanted *wanted, struct stack_known *known,
			     struct stack *ret_stack);

#endif
