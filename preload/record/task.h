/* SPDX-License-Identifier: MIT */
/*
 * Finds out which task a thread is running: with asyncio, gevent and the like, a thread runs
 * several tasks by turns. Scopes that open and close on the thread belong to its current task, so
 * each change of task is recorded.
 *
 * A task of asyncio runs in a context of its own (contextvars), which the thread's state points to.
 * A greenlet has a Python stack of its own. The task is 0 outside of both, and if it is not known:
 * the program is not Python, or the layout was not found.
 *
 * Within a task, generators take turns too: an NVTX range that a generator opens belongs to that
 * generator. The thread's state points to the exception state of the innermost generator that runs,
 * which lies within the generator; those of Cython do the same. Coroutines are passed over: those
 * of `async with` push in one and pop in another, and tasks tell them apart.
 *
 * Any thread, with or without the GIL, signal handlers too: a thread reads its own state only. No
 * lock, no allocation. No system call, but for a type of generators that is not CPython's: its name
 * is read by own_memory.h, once.
 */
#ifndef PRELOAD_RECORD_TASK_H
#define PRELOAD_RECORD_TASK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/base/hidden.h"
#include "preload/record/recorder.h"

/* Offsets in CPython's objects, found by preload/python/tasks.c. */
struct task_layout {
	uint16_t context;        /* in a thread's state: the current context */
	uint16_t entered, outer; /* in a context: 1 while it runs; the context before it */
	uint16_t chunk; /* in a thread's state: the block with its innermost frames; 0: none */
	uint16_t frame,
		back; /* before 3.11: its innermost frame; in that, what called it; 0: not there */
	uint16_t exception,
		own_exception; /* in a thread's state: the current exception state; its own one */
	uint16_t exception_outer; /* in an exception state: the one around it */
	uint16_t
		/* in a generator: its exception state; 0: generators are not told apart */
		generator;
	uint16_t cython_generator;  /* the same in one of Cython's */
	uint16_t type;              /* in an object */
	uint64_t generator_type[2]; /* of generators and async generators */
	uint64_t coroutine_type;
};

/* Returns the thread's state. NULL: tasks are not distinguished. Set last. */
PRELOAD_HIDDEN extern void *(*_Atomic task_thread)(void);
PRELOAD_HIDDEN extern struct task_layout task_layout;
/* The program has greenlets. */
PRELOAD_HIDDEN extern _Atomic bool task_greenlets;
/* Some thread has run a task, so operators must record their task too. */
PRELOAD_HIDDEN extern _Atomic bool task_seen;

/* The task that the thread is running; 0: none, or not known. */
PRELOAD_HIDDEN uint64_t task_now(void);

/* The innermost generator that the thread runs; 0: none, or not known. */
PRELOAD_HIDDEN uint64_t task_generator(void);

PRELOAD_HIDDEN void task_look_now(struct recorder_lane *lane, uint64_t ticks);
PRELOAD_HIDDEN void task_look_for_generator_now(struct recorder_lane *lane, uint64_t ticks);

/* Call before a record of something that begins or ends on this thread at `ticks`. */
static inline __attribute__((always_inline)) void task_look(struct recorder_lane *lane,
							    uint64_t ticks)
{
	if (atomic_load_explicit(&task_thread, memory_order_relaxed))
		task_look_now(lane, ticks);
}

/* The same for a scope whose end does not name it: the generator is recorded too. */
static inline __attribute__((always_inline)) void task_look_for_generator(
	struct recorder_lane *lane, uint64_t ticks)
{
	if (atomic_load_explicit(&task_thread, memory_order_relaxed))
		task_look_for_generator_now(lane, ticks);
}

/* As task_look(), where nothing is examined before the first task. */
static inline __attribute__((always_inline)) void task_look_if_any(struct recorder_lane *lane,
								   uint64_t ticks)
{
	if (__builtin_expect(atomic_load_explicit(&task_seen, memory_order_relaxed), 0))
		task_look_now(lane, ticks);
}

#endif
