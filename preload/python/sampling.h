/* SPDX-License-Identifier: MIT */
/*
 * Gives the collector what it needs to sample this program's Python stacks from outside
 * (collector/samples/): where the interpreter's state is, and which layout it has. Both are written
 * to the process's entry of the region after a check with a frame of our own: what the offsets read
 * must equal what Python says. Nothing in the program changes, and none of its threads does
 * anything for this later.
 */
#ifndef PRELOAD_PYTHON_SAMPLING_H
#define PRELOAD_PYTHON_SAMPLING_H

#include <stdbool.h>

#include "preload/base/hidden.h"

/* True if INTERCEPT_SAMPLE asks for samples. */
bool sampling_is_wanted(void) PRELOAD_HIDDEN;

/*
 * Takes the argument tuple of check_layout() in bootstrap.py. With the GIL, in the function that
 * the arguments describe.
 */
void sampling_check(void *arguments) PRELOAD_HIDDEN;

/*
 * Writes what is known into the process's current entry: recording has begun, or a forked child has
 * an entry of its own. Uses plain memory and system calls.
 */
void sampling_tell(void) PRELOAD_HIDDEN;

/* Where glibc keeps a thread's id, from pthread_self() on; 0: not known. */
unsigned int sampling_tid_offset(void) PRELOAD_HIDDEN;

#endif
