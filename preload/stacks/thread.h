/* SPDX-License-Identifier: MIT */
/*
 * What a thread remembers of its last stack. Static TLS has the pointer only. The memory comes from a bounded number
 * of slots that are mapped when they are first used, and goes back when the thread ends; a thread that finds none does
 * without. A slot belongs to its thread; signal handlers come in between (stack.c).
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
#define STACK_READS_MAX 3u  /* words of memory that leaving one frame reads */
#define STACK_READS_PADS 3u /* before a thread's reads: of themselves, always the same */

struct stack_read {
	const uint64_t *at;
	uint64_t value;
};

/* Outermost first. */
struct stack_frame {
	uint64_t rsp;   /* where it goes on when it is returned to */
	uint64_t word;  /* address and flags, as in RECORD_FRAME */
	uint64_t rbp;   /* where it is live */
	uint64_t first; /* read of it, in bytes from the thread's first one; STACK_RBP_IS_LIVE */
	uint64_t path;  /* frame_names.h */
};

#define STACK_RBP_IS_LIVE 1u

/*
 * A frame as it was stepped, innermost first. Where its rule is RULE_IS_USUAL, what was read is what the next one says;
 * else that stands here, too.
 */
struct stack_fresh {
	uint64_t word, rsp, rbp;
	uint64_t rule;
	struct stack_read load, saved, ret; /* at NULL: was not read */
};

/* A link of the chain of Python's frames. */
struct stack_python_frame {
	uint64_t frame, code, instruction;
	uint64_t id;   /* of the stack up to here; that of its caller where `is_of_c` */
	uint64_t path; /* frame_path() up to here, likewise */
	uint64_t word; /* as in RECORD_FRAME */
	uint64_t
		entry; /* where `is_entry`: memory of the native frame that runs it; set when stacks are joined */
	bool is_of_c; /* what it says of itself: preload/pyframes */
	uint8_t flag;
	bool is_entry; /* C code has called it */
	uint32_t copy; /* of its code's instructions: the one that it runs */
};

#define STACK_PYTHON_PAGES 32u
#define STACK_PYTHON_LEAVES 32u /* a power of two */

/* preload/pyframes/leaf.h */
struct stack_python_leaf {
	uint64_t code, instruction, outer, word, id, path, sum;
};

/* What the thread remembers of its last Python stack; preload/pyframes has it. */
struct stack_python {
	uint32_t frames;  /* that are known, 0 while they change */
	uint32_t room;    /* for so many */
	uint64_t changes; /* counts the readings */
	uint64_t epoch;   /* that the ids were made under */
	uint64_t outer;   /* frame that called the outermost: 0, or one beyond the room */
	uint64_t thread;  /* thread state that is this thread's own */
	uint64_t trail;   /* preload/pyframes/join.c */
	uint64_t
		cframe; /* where that named its innermost frame last, which can be read; 0: not known */
	uint64_t page[STACK_PYTHON_PAGES];        /* that could be read */
	struct stack_python_frame *frame, *fresh; /* outermost first; as read, innermost first */
	struct stack_python_leaf leaf[STACK_PYTHON_LEAVES];
};

struct stack_thread {
	uint64_t
		state; /* number of changes above STACK_STATE_SHIFT, number of frames that are known */
	uint64_t epoch;      /* that these were found under */
	uintptr_t low, high; /* the pages around the stack that can be read */
	uint64_t id;         /* of the last stack */
	bool cut;            /* the outermost frame known is not that of the stack: depth limit */
	/* One more than the limit: the last has `first` only. frame[-1] lies further out than all. */
	struct stack_frame *frame;
	struct stack_read *read; /* behind STACK_READS_PADS */
	struct stack_fresh *fresh;
	struct stack_python python;
	struct ahead ahead;
	struct sample sample; /* where INTERCEPT_STACKS_EVERY is set */
	struct large_budget large;
};

/* This thread's; NULL: it has no memory, or has ended. */
struct stack_python *stack_thread_python(void);
/*
 * Memory of this thread's Python frames may be gone: CPython unmaps a part of their stack while it still names a frame in it.
 * The next stack is read anew, and no page without asking.
 */
void stack_python_forget(void);

#define STACK_STATE_SHIFT 16u
#define STACK_STATE_FRAMES 0xffffu

PRELOAD_HIDDEN extern __thread struct stack_thread *stack_self
	__attribute__((tls_model("initial-exec")));

/* Frames a stack may have, from now on for ever. */
PRELOAD_HIDDEN extern unsigned int stack_depth_limit;
bool stack_threads_begin(unsigned int depth);
/* This thread's own, NULL when it can have none (counted). */
struct stack_thread *stack_thread_claim(void);
/* The thread ends; from here on it has nothing of its own. */
void stack_thread_ends(void);
/* For one stack of a thread that has ended but still runs (destructors); NULL: it has not ended, or there is none. */
struct stack_thread *stack_thread_borrow(void);
void stack_thread_return(struct stack_thread *borrowed);
/* In a forked child: the other threads are not here. */
void stack_threads_forked(void);

#endif
