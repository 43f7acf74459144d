/* SPDX-License-Identifier: MIT */
/*
 * The names of threading.Thread, given by the program or made up ("Thread-1 (work)"). Up to 3.13,
 * the kernel only knows the process's name for threads of Python.
 *
 * The name at the start is told when the thread is created (thread_starts.c). Nothing is called
 * when it changes, or where a thread that C created becomes one of Python's. So at CPython's audit
 * events, of any thread, the number of threads that `threading` lists is compared with the last
 * one; if it has changed they are looked at, and once more when the program ends. With the GIL, or
 * one at a time; the program cannot see it.
 */
#ifndef PRELOAD_PYTHON_THREAD_NAMES_H
#define PRELOAD_PYTHON_THREAD_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/base/hidden.h"

/* At each audit event, once the program runs. */
PRELOAD_HIDDEN void thread_names_see(const char *event, void *arguments);
/*
 * An attribute as object.__getattribute__() has it: a new reference, or NULL. No exception stays.
 */
PRELOAD_HIDDEN void *thread_names_attribute(void *object, const char *name);
/*
 * The thread has that name, a str. `pool_threads`: it is of a pool that may have so many threads;
 * 0: it is not, or that is not known.
 */
PRELOAD_HIDDEN void thread_names_tell(uint32_t tid, void *name, uint32_t pool_threads);
/* A number that is an int of Python; 0: it is none, or does not fit. */
PRELOAD_HIDDEN uint32_t thread_names_number_of(void *value);
/* The interpreter goes down: there are no modules to be asked for. */
PRELOAD_HIDDEN bool thread_names_are_over(void);

/* thread_starts.c: once, before the program's first line. */
PRELOAD_HIDDEN void thread_starts_begin(void);
/* This thread is about to start another one, with the arguments of that audit event. */
PRELOAD_HIDDEN void thread_starts_see(void *arguments);
/* The program ends: names may have changed. */
PRELOAD_HIDDEN void thread_names_end(void);

#endif
