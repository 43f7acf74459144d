/* SPDX-License-Identifier: MIT */
/*
 * Calls and returns of Python functions, and of the C functions that Python calls, with
 * INTERCEPT_TRACE=+functions: what cProfile sees. From CPython 3.12 on they are seen by
 * sys.monitoring, with a tool id of our own. Before that, by the C profile function of each thread,
 * which we leave to a program that uses it itself. README.md has the rest.
 */
#ifndef PRELOAD_FUNCTIONS_FUNCTIONS_H
#define PRELOAD_FUNCTIONS_FUNCTIONS_H

#include <stdbool.h>

/* For python/listeners.def; with the GIL. The program is about to run. */
bool functions_begin(void *arguments);

/* The program is about to set the profile function of this thread. */
bool functions_see_setprofile(void *arguments);

/*
 * A module is imported, which each new interpreter does first. Calls in it are not seen, because
 * the callbacks belong to one interpreter.
 */
bool functions_see_interpreter(void *arguments);

#endif
