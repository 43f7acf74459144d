/* SPDX-License-Identifier: MIT */
/*
 * What a thread remembers of its last stack. Static TLS has only the pointer. The memory comes from
 * a bounded number of slots, which are mapped when they are first used and given back when the
 * thread ends. A thread that finds no slot works without. A slot belongs to its thread; signal
 * handlers may interrupt its use (stack.c).
 */
#ifndef PRELOAD_STACKS_THREAD_H
#define PRELOAD_STACKS_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/base/hidden.h"
#include "preload/stacks/ahead.h"
#include "preload/stacks/large.h"
#include "preload/stacks/sample.h"

#define STACK_DEPTH_MAX 4096u
#define STACK_READS_MAX 3u /* memory words that are read to leave one frame */
/* padding before a thread's reads: they read themselves, so they never differ */
#define STACK_READS_PADS 3u

struct stack_read {
	const uint64_t *at;
	uint64_t value;
};

/* Outermost first. */
struct stack_frame {
	uint64_t rsp;  /* stack pointer after the return to this frame */
	uint64_t word; /* address and flags, as in RECORD_FRAME */
	uint64_t rbp;  /* its rbp, if it is live */
	/* byte offset of its first read from the thread's first read, and STACK_RBP_IS_LIVE */
	uint64_t first;
	uint64_t path; /* frame_names.h */
};

#define STACK_RBP_IS_LIVE 1u

/*
 * A frame that was stepped over, innermost first. If its rule is RULE_IS_USUAL, the next frame
 * contains the words that were read. Otherwise they are stored here too.
 */
struct stack_fresh {
	uint64_t word, rsp, rbp;
	uint64_t rule;
	struct stack_read load, saved, ret; /* NULL in `at`: not read */
};

/* A link of the chain of Python frames. */
struct stack_python_frame {
	uint64_t frame, code, instruction;
	uint64_t id;   /* of the stack up to here; if `is_of_c`, that of its caller */
	uint64_t path; /* frame_path() up to here, in the same way */
	uint64_t word; /* as in RECORD_FRAME */
	/* if `is_entry`: address in the native frame that runs it; set when stacks are joined */
	uint64_t entry;
	bool is_of_c; /* as its own data says: preload/pyframes */
	uint8_t flag;
	bool is_entry; /* it was called by C code */
	uint32_t copy; /* which copy of its code's instructions it runs */
};

#define STACK_PYTHON_PAGES 32u
#define STACK_PYTHON_LEAVES 32u /* a power of two */

/* preload/pyframes/leaf.h */
struct stack_python_leaf {
	uint64_t code, instruction, outer, word, id, path, sum;
};

/* What the thread remembers of its last Python stack. preload/pyframes uses it. */
struct stack_python {
	uint32_t frames;  /* known frames, 0 while they change */
	uint32_t room;    /* capacity in frames */
	uint64_t changes; /* number of readings */
	uint64_t epoch;   /* epoch in which the ids were made */
	uint64_t outer;   /* frame that called the outermost one: 0, or one beyond the capacity */
	uint64_t thread;  /* the thread state that belongs to this thread */
	uint64_t trail;   /* preload/pyframes/join.c */
	/* readable place where the thread state last named its innermost frame; 0: not known */
	uint64_t cframe;
	uint64_t page[STACK_PYTHON_PAGES]; /* pages known as readable */
	/* outermost first; and as read, innermost first */
	struct stack_python_frame *frame, *fresh;
	struct stack_python_leaf leaf[STACK_PYTHON_LEAVES];
};

struct stack_thread {
	uint64_t state; /* number of changes above STACK_STATE_SHIFT, and number of known frames */
	uint64_t epoch; /* epoch in which they were found */
	uintptr_t low, high; /* the readable pages around the stack */
	uint64_t id;         /* id of the last stack */
	/* the depth limit cut the stack, so the outermost known frame is not the stack's */
	bool cut;
	/*
	 * One more than the limit: the last has only `first`. frame[-1] compares as further out
	 * than all others.
	 */
	struct stack_frame *frame;
	struct stack_read *read; /* after STACK_READS_PADS */
	struct stack_fresh *fresh;
	struct stack_python python;
	struct ahead ahead;
	struct sample sample; /* if INTERCEPT_STACKS_EVERY is set */
	struct large_budget large, small;
};

/* Returns this thread's data. NULL: it has no memory, or has ended. */
struct stack_python *stack_thread_python(void);
/*
 * Memory of this thread's Python frames may be unmapped: CPython unmaps a part of their stack while
 * it still names a frame in it. The next stack is read from the start, and each page is probed
 * first.
 */
void stack_python_forget(void);

#define STACK_STATE_SHIFT 16u
#define STACK_STATE_FRAMES 0xffffu

PRELOAD_HIDDEN extern __thread struct stack_thread *stack_self
	__attribute__((tls_model("initial-exec")));

/* Maximum number of frames per stack. Does not change after the start. */
PRELOAD_HIDDEN extern unsigned int stack_depth_limit;
bool stack_threads_begin(unsigned int depth);
/* Returns this thread's own data, NULL if it can have none (counted). */
struct stack_thread *stack_thread_claim(void);
/* The thread ends; it has no data of its own from here on. */
void stack_thread_ends(void);
/*
 * For one stack of a thread that has ended but still runs (destructors). NULL: it has not ended, or
 * there is none.
 */
struct stack_thread *stack_thread_borrow(void);
void stack_thread_return(struct stack_thread *borrowed);
/* Call in a forked child: the other threads do not exist here. */
void stack_threads_forked(void);

#endif
