/* SPDX-License-Identifier: MIT */
/*
 * Reads the Python stack of one thread of another process while that process runs. Frames may
 * change during the read; a torn stack is recognised and is no sample. Depth is bounded.
 *
 * A frame with the address, code, instruction and caller of the last look is assumed to run the
 * same code. Since memory may be reused for a code object that is equal in all of this, the code is
 * read again at every STACK_TURN-th look, and for the STACK_CHECKED innermost frames at each. One
 * thread.
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
	STACK_TORN, /* none of STACK_TRIES reads gave valid frames of one moment */
};

#define STACK_TRIES 10u
#define STACK_CHECKED 4u
#define STACK_TURN 8u

/* The stack of a thread as it was last read. Zeroed: none. */
struct stack_known {
	struct stack_frame {
		uint64_t address, code, back, at;
		struct code_place found;
		uint32_t place;
	} * frame; /* owned; the innermost first */
	uint32_t count, room, reads;
	struct memory_moment moment; /* its words say which frame is the innermost */
};
void stack_known_release(struct stack_known *known);

/*
 * Lists what the next look will read and what changes while the thread runs, in an order that shows
 * whether it is of one moment.
 */
void stack_want_moment(struct stack_known *known, const struct memory_hints *hints,
		       struct memory *memory);
/* Lists the rest of what the last look used, and code objects that are to be read again. */
void stack_want_rest(const struct stack_known *known, const struct python_layout *layout,
		     const struct memory_hints *hints, struct memory *memory);

struct stack {
	uint32_t place;             /* 0: there is no room for more places */
	bool is_cut;                /* the stack is deeper than what was read */
	struct call_site innermost; /* set with STACK_READ */
};

/*
 * Returns whether the thread of this state has a Python frame: it runs a Python function or was
 * called by one. False also if that cannot be read.
 */
bool stack_has_frame(struct memory *memory, const struct python_layout *layout, uint64_t thread);

struct stack_wanted {
	uint64_t thread; /* address of the thread's state */
	bool runs;       /* what the reader has cached of it may be out of date */
	/* are called before and after each read but the first; NULL: they are not */
	void (*begin_again)(void *of), (*end_again)(void *of);
	void *of;
};

/* The innermost frame and its instruction at one moment. */
struct stack_mark {
	uint64_t word[MEMORY_WATCHED], frame, at;
	bool is_known;
};
/*
 * Marks the present moment of the thread whose stack is known. Takes one system call, or two if
 * another frame has become the innermost.
 */
void stack_mark(struct memory *memory, const struct python_layout *layout,
		const struct stack_known *known, struct stack_mark *ret_mark);
/*
 * Returns whether the thread has run Python code between the mark and the read of the known stack.
 * False also if that is not known.
 */
bool stack_has_moved(const struct stack_mark *mark, const struct stack_known *known);

/* `reader->memory` must have begun for the process. */
enum stack_result stack_read(struct codes *codes, const struct code_reader *reader,
			     const struct stack_wanted *wanted, struct stack_known *known,
			     struct stack *ret_stack);

#endif
